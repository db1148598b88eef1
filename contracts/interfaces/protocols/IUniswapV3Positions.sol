// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @dev A position, as `positions` of the manager answers it.
struct UniswapPosition {
    uint96 nonce;
    address operator;
    address token0;
    address token1;
    uint24 fee;
    int24 tickLower;
    int24 tickUpper;
    uint128 liquidity;
    uint256 feeGrowthInside0LastX128;
    uint256 feeGrowthInside1LastX128;
    uint128 tokensOwed0;
    uint128 tokensOwed1;
}

/// @notice What is asked of Uniswap V3's `NonfungiblePositionManager`.
interface IUniswapV3Positions {
    function factory() external view returns (address);

    /// @notice Reverts where there is no such position.
    function positions(uint256 tokenId) external view returns (UniswapPosition memory);

    /// @notice Reverts, with words, where there is no such position.
    function ownerOf(uint256 tokenId) external view returns (address);
    function balanceOf(address owner) external view returns (uint256);

    /// @notice What was received last stands last.
    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256);
    function totalSupply() external view returns (uint256);

    /// @notice Right after one is opened it stands last.
    function tokenByIndex(uint256 index) external view returns (uint256);
}

/// @notice What is asked of the factory of Uniswap V3's pools.
interface IUniswapV3Factory {
    function getPool(address tokenA, address tokenB, uint24 fee) external view returns (address);
}
