// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @dev What kind of account holds the funds that a cage guards.
enum AccountKind {
    Embedded,
    Safe,
    Erc7579,
    Delegation
}

/// @notice The one who signs for a real account that was there before its cage.
interface IForeignDesk {
    /// What holds the funds.
    function holder() external view returns (address);

    /// Has the account ask `module` of `cage` about all it does, as its owners do.
    function install(address module, address cage) external;
}
