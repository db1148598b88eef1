// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Deed, HouseholdHandler} from "./HouseholdHandler.sol";

/// @notice The fuzzer's handler in a fixed sequence, in which everything was done that may be, and everything refused that must be.
contract HouseholdWalkTest is HouseholdHandler {
    uint256 private constant STEPS = 500;
    uint256 private constant DEEP_WALKS = 100;
    uint256 private constant LEAST = 3;

    function setUp() public override {
        super.setUp();
        begin();
    }

    /// Another walk each, from the same beginning; `npm run test:deep` takes many.
    function test_AHouseholdThatDoesAllItMayKeepsItsLaws() external {
        bytes32 profile = keccak256(bytes(vm.envOr("HARDHAT_TEST_PROFILE", string(""))));
        uint256 walks = profile == keccak256("deep") ? DEEP_WALKS : 1;
        for (uint256 i; i < walks; ++i) {
            uint256 beginning = vm.snapshotState();
            walk(i * STEPS);
            if (i == 0) assertAllWasDone();
            vm.revertToState(beginning);
        }
    }

    function walk(uint256 first) private {
        for (uint256 i = first; i < first + STEPS && bytes(broken).length == 0; ++i) {
            act(uint256(keccak256(abi.encode("household", i))));
        }
        assertEq(broken, "");
    }

    function assertAllWasDone() private view {
        for (uint256 i; i <= uint256(type(Deed).max); ++i) {
            assertGe(done[Deed(i)], LEAST, string.concat("seldom done: deed ", vm.toString(i)));
        }
    }
}
