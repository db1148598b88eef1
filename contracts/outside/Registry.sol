// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Registry
/// @notice ERC-1820: where an account says who does what for it. At the same address on every chain, for it was deployed without a key.
library Registry {
    address internal constant ADDRESS = 0x1820a4B7618BdE71Dce8cdc73aAB6C95905faD24;

    /// @notice What an enforcer implements for the account it acts for.
    bytes32 internal constant ENFORCER = keccak256("PolicyCageEnforcer");
}
