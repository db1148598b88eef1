// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Flags of a cage
/// @notice Bits of `CageState.flags`.
library CageFlags {
    uint8 internal constant HALTED = 1;
    uint8 internal constant HAS_PARENT = 2;
    /// It has, or had, a child.
    uint8 internal constant HAD_CHILD = 4;
}
