// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PolicyCageConfig, Roles} from "./Types.sol";

/// @title Policy cage factory
/// @notice Creates cages at addresses that are known beforehand and commit to everything a cage starts with.
interface IPolicyCageFactory {
    /// @notice `actual` is not the hash of the creation code this factory was made for.
    error CageCodeRefused(bytes32 actual, bytes32 expected);
    /// @notice The same creator has already made exactly this cage.
    error CageExists(address cage);

    /// @notice A cage was created. Anyone may create one and name any owner: what a cage allows is what it says itself.
    /// @param creator Who asked for it.
    event CageCreated(
        address indexed cage,
        address indexed owner,
        address indexed creator,
        address account,
        bytes32 constitutionHash
    );

    /// @notice Creates a cage, and with it the account it guards. Reverts with the cage's own error where it refuses the policy.
    /// @param code Creation code of `PolicyCage` with its libraries linked, without constructor arguments.
    /// @param salt Tells apart cages that one creator makes from the same policy and roles.
    function createCage(
        bytes calldata code,
        PolicyCageConfig calldata config,
        Roles calldata roles,
        bytes32 salt
    ) external returns (address cage, address account);

    /// @notice Where `createCage` of `creator` puts cage and account: other code, policy, roles, salt or creator, other addresses.
    function addressesOf(
        bytes calldata code,
        PolicyCageConfig calldata config,
        Roles calldata roles,
        bytes32 salt,
        address creator
    ) external view returns (address cage, address account);

    /// @notice True for a cage that this factory created: one that runs its code. Cages of a family ask it about each other.
    function isCage(address cage) external view returns (bool);

    /// @notice keccak256 of the only creation code this factory deploys.
    function cageCodeHash() external view returns (bytes32);
}
