// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {FamilyHandler} from "./FamilyHandler.sol";

/// @notice The fuzzer's handler in a fixed sequence, in which everything that is refused was tried, and much was allowed.
contract FamilyWalkTest is FamilyHandler {
    function setUp() public override {
        super.setUp();
        begin();
    }

    function test_AFamilyThatDoesAllItMayKeepsItsLaws() external {
        for (uint256 i; i < 400; ++i) act(uint256(keccak256(abi.encode("family", i))));

        assertEq(broken, "");
        assertGt(executed, 60, "executed");
        assertGt(refusedByAFamily, 30, "refused by those above");
        assertGt(refusedInside, 5, "refused inside another");
    }
}
