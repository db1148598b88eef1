// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {CageFixture} from "./CageFixture.sol";

contract ExecuteTest is CageFixture {
    function test_NavIsWhatTheAccountHolds() public view {
        assertEq(nav(), 910_000e6);
    }

    function test_SwapAtFeedPricePasses() public {
        execute(buyWeth(5_000e6));

        assertEq(weth.balanceOf(address(account)), 62.5 ether);
        assertEq(cage.dailySpent(), 5_000e6);
    }
}
