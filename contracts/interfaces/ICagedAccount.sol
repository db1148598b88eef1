// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IGolemEntry} from "./IGolemEntry.sol";
import {Call} from "./Types.sol";

/// @title Caged account
/// @notice Holds the funds and asks its cage before and after everything.
interface ICagedAccount is IGolemEntry {
    /// @notice Only the cage's owner.
    error NotOwner(address caller);
    /// @notice The owner may not call cage or account this way.
    error TargetRefused(address target);
    /// @notice Zero is not a recipient.
    error InvalidRecipient(address recipient);

    event Withdrawn(address indexed asset, address indexed recipient, uint256 amount);
    event OwnerExecuted(uint256 calls);

    /// @notice Owner: takes `amount` of `asset` out, whatever the state of cage, session, feeds and oracles.
    function withdraw(address asset, uint256 amount, address recipient) external;

    /// @notice Owner: calls anything but cage and account, uncapped and unscreened, so that positions can always be unwound.
    /// @return results Return data of each call.
    function ownerExecute(Call[] calldata calls) external returns (bytes[] memory results);

    /// @notice ERC-1271: always invalid. The account signs nothing: no Permit, no Permit2, no off-chain order.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);
}
