// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @dev What Aave V3 knows of a market, as `getReserveData` answers it in every version from 3.0 on.
struct AaveReserve {
    uint256 configuration;
    uint128 liquidityIndex;
    uint128 currentLiquidityRate;
    uint128 variableBorrowIndex;
    uint128 currentVariableBorrowRate;
    uint128 currentStableBorrowRate;
    uint40 lastUpdateTimestamp;
    uint16 id;
    address aToken;
    address stableDebtToken;
    address variableDebtToken;
    address interestRateStrategy;
    uint128 accruedToTreasury;
    uint128 unbacked;
    uint128 isolationModeTotalDebt;
}

/// @notice The functions of Aave V3's pool that tell of an account.
interface IAavePool {
    function getReserveData(address asset) external view returns (AaveReserve memory);
    function getReserveNormalizedIncome(address asset) external view returns (uint256);
    function getReserveNormalizedVariableDebt(address asset) external view returns (uint256);
    function getUserConfiguration(address user) external view returns (uint256);
}

/// @notice A token of an Aave V3 market whose balance grows with an index.
interface IAaveScaledToken {
    function scaledBalanceOf(address user) external view returns (uint256);
}
