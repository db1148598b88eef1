// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Operation} from "./ISafe.sol";

/// @title A Safe's cage
/// @notice What `SafePolicyGuard` says beside a golem's entry and the two interfaces of guards.
interface ISafePolicyGuard {
    /// @notice Only the guarded Safe.
    error NotSafe(address caller);
    /// @notice The Safe does not ask this contract about modules and about what its owners sign: others could act beside the golem.
    error GuardNotInstalled();
    /// @notice Beside this contract no module acts: it would pass by every rule.
    error ModuleRefused(address module);
    /// @notice Foreign code as the Safe itself could take guards away. Only MultiSendCallOnly 1.5.0 is unwrapped.
    error DelegateCallRefused(address target);
    /// @notice A refund of gas pays whoever sends the transaction out of the Safe.
    error GasRefundRefused(uint256 gasPrice);
    /// @notice The Safe may call itself this way only once it was announced long enough ago.
    error AnnouncementNeeded(bytes4 selector);
    /// @notice The batch is not encoded plainly.
    error MalformedBatch();
    /// @notice Calls of the cage or of the guard, and calls that move funds, need a transaction each.
    error MixedBatch();
    /// @notice `key` is the golem's and an owner's: end its session or take it off the owners, in this transaction.
    error GolemIsOwner(address key);
    /// @notice The same transaction is announced already.
    error AlreadyAnnounced(bytes32 id, uint256 maturesAt);
    /// @notice It was never announced, or was revoked or used.
    error NotAnnounced(bytes32 id);

    /// @notice From `maturesAt` on, for 14 days, owners may have the Safe make this transaction once, whatever it does.
    event Announced(bytes32 indexed id, address to, uint256 value, bytes data, Operation operation, uint256 maturesAt);
    event AnnouncementRevoked(bytes32 indexed id, address indexed by);
    event AnnouncementUsed(bytes32 indexed id);

    /// @notice The Safe: announces a transaction of its own, which passes unmeasured 48 hours later, as long as the golem is no owner. The way
    /// out: it needs neither cage nor feeds.
    /// @return id What `revoke` takes.
    function announce(
        address to,
        uint256 value,
        bytes calldata data,
        Operation operation
    ) external returns (bytes32 id);

    /// @notice The Safe, the cage's owner or its guardian: takes an announcement back.
    function revoke(bytes32 id) external;

    /// @notice The Safe as this contract's code: records why `golem` was refused.
    function recordAs(address golem, bytes calldata reason) external;

    /// @notice The Safe as this contract's code: a transfer in the name of `golem`.
    function transferAs(address golem, address asset, uint256 amount, address recipient) external;

    /// @notice The guarded Safe, which holds the funds.
    function safe() external view returns (address);

    /// @notice Seconds since 1970 from which an announced transaction passes; 0 when it is not announced.
    function maturesAt(bytes32 id) external view returns (uint256);
}
