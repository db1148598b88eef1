// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @title Uniswap V3 math
/// @notice Prices are square roots of token1 per token0, both in base units, times 2^96. Results are those of Uniswap's own contracts, digit
/// by digit.
library UniswapV3Math {
    /// @notice Square root of 1.0001^tick, rounded up as the pool rounds it. Its digits are those of Uniswap's `TickMath`.
    /// @param tick Within 887 272 of zero.
    function sqrtPriceAt(int24 tick) internal pure returns (uint256) {
        uint256 distance = tick < 0 ? uint256(-int256(tick)) : uint256(int256(tick));
        // Factors and their products have at most 128 bits and one.
        unchecked {
            uint256 ratio = distance & 0x1 != 0 ? 0xfffcb933bd6fad37aa2d162d1a594001 : 1 << 128;
            if (distance & 0x2 != 0) ratio = (ratio * 0xfff97272373d413259a46990580e213a) >> 128;
            if (distance & 0x4 != 0) ratio = (ratio * 0xfff2e50f5f656932ef12357cf3c7fdcc) >> 128;
            if (distance & 0x8 != 0) ratio = (ratio * 0xffe5caca7e10e4e61c3624eaa0941cd0) >> 128;
            if (distance & 0x10 != 0) ratio = (ratio * 0xffcb9843d60f6159c9db58835c926644) >> 128;
            if (distance & 0x20 != 0) ratio = (ratio * 0xff973b41fa98c081472e6896dfb254c0) >> 128;
            if (distance & 0x40 != 0) ratio = (ratio * 0xff2ea16466c96a3843ec78b326b52861) >> 128;
            if (distance & 0x80 != 0) ratio = (ratio * 0xfe5dee046a99a2a811c461f1969c3053) >> 128;
            if (distance & 0x100 != 0) ratio = (ratio * 0xfcbe86c7900a88aedcffc83b479aa3a4) >> 128;
            if (distance & 0x200 != 0) ratio = (ratio * 0xf987a7253ac413176f2b074cf7815e54) >> 128;
            if (distance & 0x400 != 0) ratio = (ratio * 0xf3392b0822b70005940c7a398e4b70f3) >> 128;
            if (distance & 0x800 != 0) ratio = (ratio * 0xe7159475a2c29b7443b29c7fa6e889d9) >> 128;
            if (distance & 0x1000 != 0) ratio = (ratio * 0xd097f3bdfd2022b8845ad8f792aa5825) >> 128;
            if (distance & 0x2000 != 0) ratio = (ratio * 0xa9f746462d870fdf8a65dc1f90e061e5) >> 128;
            if (distance & 0x4000 != 0) ratio = (ratio * 0x70d869a156d2a1b890bb3df62baf32f7) >> 128;
            if (distance & 0x8000 != 0) ratio = (ratio * 0x31be135f97d08fd981231505542fcfa6) >> 128;
            if (distance & 0x10000 != 0) ratio = (ratio * 0x9aa508b5b7a84e1c677de54f3e99bc9) >> 128;
            if (distance & 0x20000 != 0) ratio = (ratio * 0x5d6af8dedb81196699c329225ee604) >> 128;
            if (distance & 0x40000 != 0) ratio = (ratio * 0x2216e584f5fa1ea926041bedfe98) >> 128;
            if (distance & 0x80000 != 0) ratio = (ratio * 0x48a170391f7dc42444e8fa2) >> 128;
            if (tick > 0) ratio = type(uint256).max / ratio;
            return (ratio + type(uint32).max) >> 32;
        }
    }

    /// @notice Square root of `numerator` / `denominator`, rounded down. Reverts where the ratio has 160 bits or more.
    function sqrtPriceOf(uint256 numerator, uint256 denominator) internal pure returns (uint256) {
        if (numerator / denominator < 1 << 62) return Math.sqrt(Math.mulDiv(numerator, 1 << 192, denominator));
        return Math.sqrt(Math.mulDiv(numerator, 1 << 96, denominator)) << 48;
    }

    /// @notice What `liquidity` between two prices is made of at the price `sqrtPrice`, rounded down as when it is taken out.
    /// @param lower Square root of the lower price, below `upper`.
    function amountsAt(
        uint256 sqrtPrice,
        uint256 lower,
        uint256 upper,
        uint128 liquidity
    ) internal pure returns (uint256 amount0, uint256 amount1) {
        uint256 price = Math.max(lower, Math.min(upper, sqrtPrice));
        amount0 = Math.mulDiv(uint256(liquidity) << 96, upper - price, upper) / price;
        amount1 = Math.mulDiv(liquidity, price - lower, 1 << 96);
    }

    /// @notice Fees for each unit of liquidity between two ticks, times 2^128: a number that wraps, of which only differences count.
    /// @param everywhere Of all time.
    /// @param below Outside the lower tick, and `above` outside the upper one.
    function growthInside(
        int24 tick,
        int24 lower,
        int24 upper,
        uint256 everywhere,
        uint256 below,
        uint256 above
    ) internal pure returns (uint256) {
        unchecked {
            if (tick < lower) below = everywhere - below;
            if (tick >= upper) above = everywhere - above;
            return everywhere - below - above;
        }
    }
}
