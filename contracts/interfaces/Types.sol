// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @dev The native currency in every asset list (ERC-7528).
address constant NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

/// @notice How the chain prices one asset, and when it refuses to.
/// @param feed Chainlink-compatible aggregator (the proxy) that answers asset/USD.
/// @param heartbeat Oldest answer accepted, in seconds of age (inclusive).
/// @param minAnswer Lowest plausible answer, in the feed's decimals (inclusive, above zero).
/// @param maxAnswer Highest plausible answer, in the feed's decimals (inclusive).
/// @param dust Amount of the asset, in its own base units, at or under which a holding is ignored unless a trade names it.
/// @param issuer The protocol whose risk the asset carries, for the concentration rule. Zero when the asset carries its own.
struct PriceFeed {
    address feed;
    uint32 heartbeat;
    uint96 minAnswer;
    uint96 maxAnswer;
    uint128 dust;
    address issuer;
}

/// @notice One row of the asset table.
/// @param asset ERC-20 token, or `0xEeee...EEeE` (ERC-7528) for the native currency.
/// @param isSellOnly True for an asset that keeps its value in NAV and may be sold, but never bought.
struct AssetConfig {
    address asset;
    bool isSellOnly;
    PriceFeed priceFeed;
}

/// @notice One allowed (protocol, selector) pair.
struct Strategy {
    address protocol;
    bytes4 selector;
}

/// @notice What measures the positions and debts that one approved protocol keeps for the account.
struct Valuer {
    address protocol;
    address valuer;
}

/// @notice Every rule field of a cage. Values are USDC with 6 decimals, shares are basis points of 10 000, times are seconds.
/// @dev Arrays are strictly ascending by address (strategies by address, then selector; valuers by protocol). Ranges: `Configuration`.
/// @param assets Approved and sell-only assets; the base asset is among them and is never sell-only.
/// @param maxAssetCount Most rows the asset table may have.
/// @param approvedProtocols Contracts that may be called.
/// @param strategyWhitelist Pairs that may be called.
/// @param allowArbitraryCalldata True skips the pair check, but for protocols with a valuer. Calls that give authority away or open debt are
/// refused all the same.
/// @param hasMainWallet True when `mainWallet` is an approved recipient; transfers to it scale the high-water mark.
/// @param cladeWallets Further approved recipients; transfers to them do not scale the mark.
/// @param maxDrawdownBps Soft limit, enforced by the runtime inside `drawdownWindow`; stored so that it is hashed.
/// @param drawdownThresholdBps Hard breaker against the signed high-water mark.
/// @param largeTradeValueUsdc What an execution may spend unannounced; 0 where nothing has to be announced.
/// @param largeTradeDelay How long before its execution a larger one has to be announced; 0 where nothing has to be.
/// @param baseAsset USDC: what every value is measured in. Immutable.
/// @param wrappedNative The wrapped native token. Immutable.
/// @param hasSequencerFeed True on a layer 2 whose `sequencerFeed` must report a sequencer that is up. Immutable.
/// @param valuers Protocols whose positions and debts are measured. Only their pairs may open debt.
struct PolicyCageConfig {
    AssetConfig[] assets;
    uint8 maxAssetCount;
    address[] approvedProtocols;
    Strategy[] strategyWhitelist;
    bool allowArbitraryCalldata;
    bool hasMainWallet;
    address mainWallet;
    address[] cladeWallets;
    uint16 maxPositionBps;
    uint8 maxPositions;
    uint16 maxConcentrationBps;
    uint32 minCollateralRatioBps;
    uint16 drawdownThresholdBps;
    uint16 maxDrawdownBps;
    uint32 drawdownWindow;
    uint32 minRebalanceInterval;
    uint8 maxRebalancesPerDay;
    uint56 perTransactionCapUsdc;
    uint56 perSessionCapUsdc;
    uint56 perDayCapUsdc;
    uint16 maxTradeLossBps;
    uint56 largeTradeValueUsdc;
    uint32 largeTradeDelay;
    address sanctionOracle;
    bool isSanctionsScreeningOn;
    address baseAsset;
    address wrappedNative;
    bool hasSequencerFeed;
    address sequencerFeed;
    Valuer[] valuers;
}

/// @notice Who is who for a cage. Not part of the constitution.
/// @param operator May sign high-water marks, nothing else. Zero when there is none.
/// @param guardian May halt, suspend, close the session and revoke pending changes. Zero when there is none.
/// @param account The account that is caged, where there is one already. Zero where the cage is to make its own.
/// @param enforcer Who acts for that account in its golem's name, where it does not do so itself: `PolicyCageEnforcer` of a smart account of
/// MetaMask's framework. Zero for every other.
struct Roles {
    address owner;
    address operator;
    address guardian;
    address account;
    address enforcer;
}

/// @notice The most of one asset a trade may take from the account, in the asset's base units.
struct TradeInput {
    address asset;
    uint256 maxAmount;
}

/// @notice One call of a golem.
/// @param protocol Contract to call.
/// @param value Native currency to send, in wei.
/// @param data Calldata.
/// @param inputs What the protocol may take; the account approves exactly this and clears it afterwards.
/// @param outputs Assets the trade is meant to buy.
struct Trade {
    address protocol;
    uint256 value;
    bytes data;
    TradeInput[] inputs;
    address[] outputs;
}

/// @notice One call of the owner.
struct Call {
    address target;
    uint256 value;
    bytes data;
}

/// @notice A high-water mark as the owner or operator signs it (EIP-712 type `HighWaterMark`).
/// @param value NAV peak in USDC, 6 decimals.
/// @param asOf Time the signer read NAV.
/// @param nonce The cage's next high-water-mark nonce.
/// @param deadline Last second the signature may be used.
struct HighWaterMark {
    uint256 value;
    uint256 asOf;
    uint256 nonce;
    uint256 deadline;
}

/// @notice The golem's key on-chain. At most one session is open.
/// @param id Number of the session; every opening is a new one.
/// @param key Address that may drive the account.
/// @param expiresAt First second at which the session is no longer active. Zero once closed.
/// @param capUsdc Most this session may spend, before the policy's own per-session cap.
/// @param spentUsdc Spent by this session so far.
struct Session {
    uint256 id;
    address key;
    uint256 expiresAt;
    uint256 capUsdc;
    uint256 spentUsdc;
}

/// @notice What was charged in one hour and stops counting as a whole.
/// @param releasedAt When it stops counting.
struct Release {
    uint256 releasedAt;
    uint256 amountUsdc;
    uint256 rebalances;
}

/// @notice What is left of each cap.
/// @param spendableUsdc What an execution may spend now: the least of the three, and 0 when none may start.
/// @param nextRebalanceAt Earliest time of the next execution.
struct Headroom {
    uint256 perTransactionUsdc;
    uint256 perSessionUsdc;
    uint256 perDayUsdc;
    uint256 spendableUsdc;
    uint256 rebalances;
    uint256 nextRebalanceAt;
}
