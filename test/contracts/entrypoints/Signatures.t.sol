// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {GolemFixture} from "../support/GolemFixture.sol";

/// @notice The embedded account signs nothing. A Safe signs what its owners sign.
contract SignaturesTest is GolemFixture {
    function testFuzz_NoSignatureIsValid(bytes32 hash, bytes calldata signature) public view {
        assertEq(account.isValidSignature(hash, signature), bytes4(0xffffffff));
    }

    function testFuzz_NoSignatureOfTheOwnerIsValid(bytes32 hash) public view {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(ownerKey, hash);

        assertEq(account.isValidSignature(hash, abi.encodePacked(r, s, v)), bytes4(0xffffffff));
    }
}
