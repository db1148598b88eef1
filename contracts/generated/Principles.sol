// SPDX-License-Identifier: MIT
// Written by `npm run generate`.
pragma solidity ^0.8.28;

/// @dev keccak256 of `contracts/principles.md`.
bytes32 constant PRINCIPLES_HASH = 0xf83ecdc1fb260ab82b98c16fc2f319e5a4497adf5a0a08427b2b41144b8ad792;
