// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Deed, HouseholdHandler} from "./HouseholdHandler.sol";

/// @notice The fuzzer's handler in a fixed sequence, in which everything was done that may be, and everything refused that must be.
contract HouseholdWalkTest is HouseholdHandler {
    uint256 private constant STEPS = 500;
    uint256 private constant LEAST = 3;

    function setUp() public override {
        super.setUp();
        begin();
    }

    function test_AHouseholdThatDoesAllItMayKeepsItsLaws() external {
        for (uint256 i; i < STEPS && bytes(broken).length == 0; ++i) {
            act(uint256(keccak256(abi.encode("household", i))));
        }

        assertEq(broken, "");
        for (uint256 i; i <= uint256(type(Deed).max); ++i) {
            emit log_named_uint(string.concat("deed ", vm.toString(i)), done[Deed(i)]);
        }
        for (uint256 i; i <= uint256(type(Deed).max); ++i) {
            assertGe(done[Deed(i)], LEAST, string.concat("seldom done: deed ", vm.toString(i)));
        }
    }
}
