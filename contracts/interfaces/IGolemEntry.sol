// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Trade} from "./Types.sol";

/// @title Golem's entry
/// @notice Where a golem acts, whatever kind of account it trades for. Amounts are base units of the asset.
interface IGolemEntry {
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
    /// @notice Only the account itself.
    error NotSelf(address caller);

    /// @notice Executes `trades` in order under the cage's rules, all or nothing.
    function execute(Trade[] calldata trades) external;

    /// @notice As `execute`, but a refusal by a rule is recorded as `CageViolation` and answered with false, with nothing else changed.
    /// Reverts for everything that is not a refusal: no session, a failing call, too little gas.
    function attempt(Trade[] calldata trades) external returns (bool isExecuted);

    /// @notice Sends `amount` of `asset` to an approved recipient.
    function transferOut(address asset, uint256 amount, address recipient) external;

    /// @notice The account to itself: an execution in the name of `golem`.
    function executeAs(address golem, Trade[] calldata trades) external;

    /// @notice The cage that guards the account.
    function cage() external view returns (address);
}
