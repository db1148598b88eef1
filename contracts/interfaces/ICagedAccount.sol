// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Call, Trade} from "./Types.sol";

/// @title Caged account
/// @notice Holds the funds and asks its cage before and after everything. Amounts are base units of the asset.
interface ICagedAccount {
    /// @notice There is nothing to execute.
    error EmptyExecution();
    /// @notice Trade `index` is not encoded plainly: one of its offsets leads back, or farther than 2^32 bytes.
    error MalformedTrade(uint256 index);
    /// @notice Call `index` failed. `reason` is its revert data, cut at 256 bytes: a protocol cannot fake a cage error.
    error CallFailed(uint256 index, bytes reason);
    /// @notice `recipient` received a different amount from what was sent.
    error TransferShort(uint256 received, uint256 amount);
    /// @notice The asset did not move as asked; `reason` is its revert data, cut at 256 bytes.
    error AssetCallFailed(address asset, bytes reason);
    /// @notice Only the cage's owner.
    error NotOwner(address caller);
    /// @notice Only the account itself.
    error NotSelf(address caller);
    /// @notice The owner may not call cage or account this way.
    error TargetRefused(address target);
    /// @notice Zero is not a recipient.
    error InvalidRecipient(address recipient);

    event Withdrawn(address indexed asset, address indexed recipient, uint256 amount);
    event OwnerExecuted(uint256 calls);

    /// @notice Golem: executes `trades` in order under the cage's rules, all or nothing.
    function execute(Trade[] calldata trades) external;

    /// @notice Golem: as `execute`, but a refusal by a rule is recorded as `CageViolation` and answered with false, with nothing else
    /// changed. Reverts for everything that is not a refusal: no session, a failing call, too little gas.
    function attempt(Trade[] calldata trades) external returns (bool isExecuted);

    /// @notice The account to itself: the execution of an attempt, in the name of `golem`.
    function executeAs(address golem, Trade[] calldata trades) external;

    /// @notice Golem: sends `amount` of `asset` to an approved recipient.
    function transferOut(address asset, uint256 amount, address recipient) external;

    /// @notice Owner: takes `amount` of `asset` out, whatever the state of cage, session, feeds and oracles.
    function withdraw(address asset, uint256 amount, address recipient) external;

    /// @notice Owner: calls anything but cage and account, uncapped and unscreened, so that positions can always be unwound.
    /// @return results Return data of each call.
    function ownerExecute(Call[] calldata calls) external returns (bytes[] memory results);

    /// @notice ERC-1271: always invalid. The account signs nothing: no Permit, no Permit2, no off-chain order.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);

    /// @notice The cage that guards this account.
    function cage() external view returns (address);
}
