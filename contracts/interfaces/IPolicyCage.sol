// SPDX-License-Identifier: MIT
pragma solidity ^0.8.26;

/// @title IPolicyCage
/// @notice On-chain DeFi constitution enforcement.
/// Every write operation passes through these checks before execution.
/// The cage does not know an LLM exists — it checks numeric bounds
/// and address whitelists, and reverts if they fail.
interface IPolicyCage {
    // ── Asset constraints ──
    /// @notice Returns true if the asset is in the approved whitelist.
    function isApprovedAsset(address asset) external view returns (bool);
    /// @notice Returns true if the protocol address is approved for interaction.
    function isApprovedProtocol(address protocol) external view returns (bool);
    // ── Position constraints ──
    /// @notice Checks whether adding `newAmount` of `asset` would exceed
    /// the maximum concentration limit relative to `totalPortfolio`.
    function checkConcentration(
        address asset,
        uint256 newAmount,
        uint256 totalPortfolio
    ) external view returns (bool);
    /// @notice Checks whether `borrowValue` against `collateralValue`
    /// maintains the minimum collateral ratio.
    function checkCollateralRatio(
        uint256 borrowValue,
        uint256 collateralValue
    ) external view returns (bool);
    // ── Drawdown ──
    /// @notice Checks whether `currentNav` relative to `highWaterMark`
    /// is within the maximum allowed drawdown.
    function checkDrawdown(
        uint256 currentNav,
        uint256 highWaterMark
    ) external view returns (bool);
    // ── Spending ──
    /// @notice Checks whether `amount` plus `dailySpent` stays within
    /// the configured spending limit.
    function checkSpendingLimit(
        uint256 amount,
        uint256 dailySpent
    ) external view returns (bool);
    // ── Sanctions ──
    /// @notice Queries the sanctions oracle for `target`.
    /// Returns true if the address is clear.
    function checkSanctions(address target) external view returns (bool);
    // ── Constitution ──
    /// @notice The keccak256 hash of the serialized constitution parameters.
    /// Compared against the Golem's local copy at boot.
    function constitutionHash() external view returns (bytes32);
    // ── Custom errors ──
    error AssetNotApproved(address asset);
    error ProtocolNotApproved(address protocol);
    error ConcentrationExceeded(uint256 current, uint256 max);
    error CollateralRatioTooLow(uint256 current, uint256 min);
    error DrawdownExceeded(uint256 current, uint256 max);
    error SpendingLimitExceeded(uint256 amount, uint256 remaining);
    error SanctionedAddress(address target);

    // ── Events ──
    event AssetWhitelisted(address indexed token, bool allowed);
    event SpendingCapUpdated(uint256 perTx, uint256 perDay);
    event DrawdownThresholdUpdated(uint256 bps);
    event PositionLimitUpdated(uint256 maxPositions);
    event CageViolation(
        address indexed golem,
        bytes32 violationType,
        uint256 attemptedValue,
        uint256 limit
    );
    event EmergencyHalt(address indexed triggeredBy, uint256 timestamp);

    // ── Owner-only configuration ──
    function whitelistAsset(address token, bool allowed) external;
    function setSpendingCaps(uint256 perTxUsdc, uint256 perDayUsdc) external;
    function setDrawdownThreshold(uint256 bps) external;
    function setMaxPositions(uint256 max) external;
    function emergencyHalt() external;
    function resume() external;
}
