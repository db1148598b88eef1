// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Test} from "forge-std/Test.sol";
import {IUniswapV3Pool} from "../../../contracts/interfaces/protocols/IUniswapV3Pool.sol";
import {UniswapV3Math} from "../../../contracts/positions/UniswapV3Math.sol";
import {UniswapArtifacts} from "../support/LiquidityFixture.sol";

interface IPoolFactory {
    function createPool(address tokenA, address tokenB, uint24 fee) external returns (address);
}

interface IUnstartedPool {
    function initialize(uint160 sqrtPriceX96) external;
}

/// @notice Against the published pool, which says of every price which tick it is at.
contract UniswapV3MathTest is Test {
    int24 internal constant MAX_TICK = 887_272;

    IPoolFactory internal factory;
    uint160 internal tokens;

    function setUp() public {
        factory = IPoolFactory(UniswapArtifacts.deployFactory());
    }

    /// A tick begins exactly at its price: a digit more or less is another tick, or is not the least price of this one.
    function testFuzz_PriceOfATickIsWhereThePoolSaysThatItBegins(int24 tick) public {
        tick = int24(bound(tick, -MAX_TICK + 1, MAX_TICK - 1));
        uint256 price = UniswapV3Math.sqrtPriceAt(tick);

        assertEq(tickAt(price), tick);
        assertEq(tickAt(price - 1), tick - 1);
    }

    function test_EveryFactorOfATickIsThePools() public {
        for (int24 bit = 1; bit < MAX_TICK; bit *= 2) {
            testFuzz_PriceOfATickIsWhereThePoolSaysThatItBegins(bit);
            testFuzz_PriceOfATickIsWhereThePoolSaysThatItBegins(-bit);
        }
        assertEq(UniswapV3Math.sqrtPriceAt(-MAX_TICK), 4_295_128_739);
        assertEq(
            UniswapV3Math.sqrtPriceAt(MAX_TICK),
            1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342
        );
    }

    /// Of 18 digits at least.
    function testFuzz_PriceIsTheRootOfTheRatio(uint96 numerator, uint96 denominator, uint8 digits) public pure {
        uint256 top = bound(numerator, 1, type(uint96).max) * 10 ** bound(digits, 0, 48);
        uint256 bottom = bound(denominator, 1, type(uint96).max);
        vm.assume(top / bottom < 1 << 158);

        uint256 root = UniswapV3Math.sqrtPriceOf(top, bottom);

        // root^2 <= top / bottom x 2^192 < (root + 1)^2, where rounding is one unit in 2^60.
        uint256 ratio = top / bottom < 1 << 62 ? Math.mulDiv(top, 1 << 192, bottom) : Math.mulDiv(top, 1 << 96, bottom);
        uint256 exact = top / bottom < 1 << 62 ? root : root >> 48;
        assertLe(exact * exact, ratio);
        assertGt((exact + 1) * (exact + 1), ratio);
    }

    function tickAt(uint256 price) private returns (int24 tick) {
        tokens += 2;
        address pool = factory.createPool(address(tokens), address(tokens + 1), 500);
        IUnstartedPool(pool).initialize(uint160(price));
        (, tick) = IUniswapV3Pool(pool).slot0();
    }
}
