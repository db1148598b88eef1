// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Test} from "forge-std/Test.sol";
import {FamilyHandler} from "./FamilyHandler.sol";

/// @notice The fuzzer only knows contracts that stand beside the tests.
contract Family is FamilyHandler {}

/// @notice However a family acts, its parent's day bounds what it spends.
contract FamilyInvariantsTest is Test {
    Family private _handler;

    function setUp() external {
        _handler = new Family();
        _handler.setUp();
        _handler.begin();
        targetContract(address(_handler));
        targetSelector(FuzzSelector({addr: address(_handler), selectors: _handler.actions()}));
    }

    function invariant_TogetherAFamilySpendsNoMoreThanItsParentsDay() external view {
        assertEq(_handler.broken(), "");
    }
}
