// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice A condition of a delegation: `enforcer` is asked with `terms`, which are signed, and `args`, which are not.
struct Caveat {
    address enforcer;
    bytes terms;
    bytes args;
}

/// @notice What `delegator` lets `delegate` do for it, or for whom `authority` delegated to it (ERC-7710).
struct Delegation {
    address delegate;
    address delegator;
    bytes32 authority;
    Caveat[] caveats;
    uint256 salt;
    bytes signature;
}

/// @title MetaMask's delegation manager
/// @notice What this project calls of `DelegationManager` 1.3.0.
interface IDelegationManager {
    function redeemDelegations(
        bytes[] calldata permissionContexts,
        bytes32[] calldata modes,
        bytes[] calldata executionCallDatas
    ) external;
}

/// @title MetaMask's smart account
/// @notice What this project calls of a `DeleGator`.
interface IDelegator {
    /// @notice The only contract that redeems delegations of this account.
    function delegationManager() external view returns (address);
}

/// @title Caveat enforcer
/// @notice What the delegation manager asks of every caveat: once before and after all it was given, and around each execution.
interface ICaveatEnforcer {
    function beforeAllHook(
        bytes calldata terms,
        bytes calldata args,
        bytes32 mode,
        bytes calldata executionCalldata,
        bytes32 delegationHash,
        address delegator,
        address redeemer
    ) external;

    function beforeHook(
        bytes calldata terms,
        bytes calldata args,
        bytes32 mode,
        bytes calldata executionCalldata,
        bytes32 delegationHash,
        address delegator,
        address redeemer
    ) external;

    function afterHook(
        bytes calldata terms,
        bytes calldata args,
        bytes32 mode,
        bytes calldata executionCalldata,
        bytes32 delegationHash,
        address delegator,
        address redeemer
    ) external;

    function afterAllHook(
        bytes calldata terms,
        bytes calldata args,
        bytes32 mode,
        bytes calldata executionCalldata,
        bytes32 delegationHash,
        address delegator,
        address redeemer
    ) external;
}
