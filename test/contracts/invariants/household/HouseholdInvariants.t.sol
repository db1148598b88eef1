// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Test} from "forge-std/Test.sol";
import {HouseholdHandler} from "./HouseholdHandler.sol";

/// @notice The fuzzer only knows contracts that stand beside the tests.
contract Household is HouseholdHandler {}

/// @notice However a household with debt and liquidity acts, all of its laws hold together.
contract HouseholdInvariantsTest is Test {
    Household private _handler;

    function setUp() external {
        _handler = new Household();
        _handler.setUp();
        _handler.begin();
        targetContract(address(_handler));
        targetSelector(FuzzSelector({addr: address(_handler), selectors: _handler.actions()}));
    }

    /// The long form is the walk's.
    /// forge-config: default.invariant.fail-on-revert = true
    /// forge-config: default.invariant.runs = 16
    function invariant_AHouseholdWithDebtAndLiquidityKeepsItsLaws() external view {
        assertEq(_handler.broken(), "");
    }
}
