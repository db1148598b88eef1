// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title A delegator's cage
/// @notice What `PolicyCageEnforcer` says beside a golem's entry and a caveat enforcer.
interface IPolicyCageEnforcer {
    /// @notice Only the delegation manager of the caged account asks about caveats here.
    error NotManager(address caller);
    /// @notice The caveat is of another account's delegation: there it would guard nothing.
    error DelegatorRefused(address delegator);
    /// @notice Whoever redeems, only this contract does so for the caged account, at the word of the session's key.
    error RedeemerRefused(address redeemer);
    /// @notice The cage guards another account, or hears another enforcer.
    error CageRefused(address cage);
    /// @notice The account has named `enforcer` in the ERC-1820 registry, not this contract: others could not find out when it executes.
    error NotNamed(address enforcer);
    /// @notice Not the account but `manager` writes for it in the ERC-1820 registry, or the registry does not say: whoever manages the account
    /// takes this contract's name off whenever it likes.
    error ForeignManager(address manager);
    /// @notice This contract could not use the delegation, or another could. `field` is what is wrong in it.
    error InvalidDelegation(bytes32 field);
    /// @notice The manager or another caveat refuses the delegation itself, whatever is done by it. `reason` is cut at 256 bytes.
    error DelegationRefused(bytes reason);

    /// @notice `cage` is heard from now on: nobody, where no delegation came with it.
    event Installed(address indexed cage, bytes32 indexed contextHash);

    /// @notice The account: its cage and the delegation to redeem from now on, in place of the former ones. Signatures are the manager's to
    /// judge.
    /// @param cage The cage that hears this contract for the account.
    /// @param context Delegations from the one to this contract back to the account's own, which has this contract as a caveat; without
    /// any, the golem stops.
    function install(address cage, bytes calldata context) external;

    /// @notice The delegations that are redeemed, ABI-encoded; empty for none.
    function permissionContext() external view returns (bytes memory);

    /// @notice The account that holds the funds.
    function account() external view returns (address);

    /// @notice The only delegation manager this contract trusts: the account's own.
    function delegationManager() external view returns (address);
}
