// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice What is asked of a pool of Uniswap V3.
interface IUniswapV3Pool {
    function token0() external view returns (address);
    function token1() external view returns (address);

    /// @notice Sums over time of the tick and of 1 / liquidity, as of each of `secondsAgos`. Reverts where the oldest observation is younger.
    function observe(
        uint32[] calldata secondsAgos
    ) external view returns (int56[] memory tickCumulatives, uint160[] memory secondsPerLiquidityCumulativeX128s);
}
