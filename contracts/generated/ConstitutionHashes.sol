// SPDX-License-Identifier: MIT
// Written by `npm run generate`.
pragma solidity ^0.8.28;

/// @dev keccak256 of `contracts/principles.md`.
bytes32 constant PRINCIPLES_HASH = 0xf83ecdc1fb260ab82b98c16fc2f319e5a4497adf5a0a08427b2b41144b8ad792;

/// @dev EIP-712 hashes of the types in `contracts/constitution.type`.
bytes32 constant CONSTITUTION_TYPEHASH = 0x00bc762d4e0157c97289ef32f13d6e9c222714b86154758e077f81b394ee3e85;
bytes32 constant ASSET_TYPEHASH = 0x6d403ca71ad1e84362e02e24776fd31408eb096eaf507b5921a7295e7e1be797;
bytes32 constant STRATEGY_TYPEHASH = 0x4a5db9546350712f839131eb57a706d2b44a0dd4f8358beecd81171917ff541b;
bytes32 constant VALUER_TYPEHASH = 0x88aff1cafce84ab338164c35107dbdc82e725c35db562976cb64ec0285d03d24;
