// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";
import {AuthoritySelectors} from "../generated/AuthoritySelectors.sol";
import {IPolicyCage} from "../interfaces/IPolicyCage.sol";
import {IPolicyCageExtension as Cage} from "../interfaces/IPolicyCageExtension.sol";
import {AssetConfig, NATIVE, PolicyCageConfig, PriceFeed, Strategy} from "../interfaces/Types.sol";
import {ChainlinkReader} from "../outside/ChainlinkReader.sol";
import {CageState, FeedRecord} from "./CageState.sol";
import {Constitution} from "./Constitution.sol";
import {PolicyTable} from "./PolicyTable.sol";

/// @title Configuration
/// @notice The rule fields of a cage: their ranges, their tiers, and every change of them. Runs in the cage's own storage.
///
/// A change takes the same way as the first configuration: read the policy, change it, check it as a whole, write it as code, hash it.
/// What a range allows stands in one function a field, used at deployment, at submission and when the setter runs.
library Configuration {
    uint256 internal constant ELEVATED = 1 hours;
    uint256 internal constant HIGH = 24 hours;
    uint256 internal constant CRITICAL = 48 hours;

    uint256 internal constant MAX_ASSETS = 10;
    uint256 internal constant MAX_PROTOCOLS = 32;
    uint256 internal constant MAX_STRATEGIES = 128;
    uint256 internal constant MAX_RECIPIENTS = 16;
    uint256 internal constant MAX_DUST_USD = 1e6;
    uint256 internal constant BASE_DECIMALS = 6;

    // ── Entry points ──

    /// @notice Checks and stores the first configuration of a cage.
    function initialize(CageState storage state, PolicyCageConfig memory config, address account) external {
        _requireRanges(config);
        if (config.wrappedNative.code.length == 0) revert Cage.InvalidAddress("wrappedNative", config.wrappedNative);
        if (config.hasSequencerFeed ? config.sequencerFeed.code.length == 0 : config.sequencerFeed != address(0)) {
            revert Cage.InvalidAddress("sequencerFeed", config.sequencerFeed);
        }
        _requireOracle(config.sanctionOracle);
        _requireStructure(config, account);
        for (uint256 i; i < config.assets.length; ++i) {
            AssetConfig memory row = config.assets[i];
            state.feeds[row.asset] = _requireFeed(row.asset, row.priceFeed);
        }
        // The shutdown reserve is counted in the base asset's own units.
        _within("baseDecimals", state.feeds[config.baseAsset].decimals, BASE_DECIMALS, BASE_DECIMALS);
        for (uint256 i; i < config.approvedProtocols.length; ++i) _requireCode(config.approvedProtocols[i]);

        _store(state, config);
    }

    /// @notice Tier of a timelocked call whose arguments lie in their ranges; reverts for every other call.
    /// @return delay Seconds between submission and maturity.
    function check(bytes calldata call) external pure returns (uint256 delay) {
        bytes4 selector = bytes4(call);
        PolicyCageConfig memory scratch;
        delay = _setScalar(scratch, selector, call[4:]);
        if (delay == 0) delay = _checkList(selector, call[4:]);
    }

    /// @notice Runs a timelocked call that has matured.
    function run(CageState storage state, bytes calldata call, address account) external {
        bytes4 selector = bytes4(call);
        bytes calldata arguments = call[4:];
        PolicyCageConfig memory config = _load(state);

        if (_setScalar(config, selector, arguments) == 0) _setList(state, config, selector, arguments);
        if (selector == Cage.setSanctionOracle.selector) _requireOracle(config.sanctionOracle);
        _requireStructure(config, account);

        _store(state, config);

        _emitNamed(config, selector);
        emit Cage.ConfigurationChanged(selector, call);
    }

    // ── Single values ──

    /// Decodes a setter of plain values into `config`, range by range. Returns 0 for any other selector.
    function _setScalar(
        PolicyCageConfig memory config,
        bytes4 selector,
        bytes calldata arguments
    ) private pure returns (uint256 delay) {
        if (selector == Cage.setMaxAssetCount.selector) {
            config.maxAssetCount = _maxAssetCount(abi.decode(arguments, (uint256)));
            return ELEVATED;
        }
        if (selector == Cage.setMaxPositionBps.selector) {
            config.maxPositionBps = _maxPositionBps(abi.decode(arguments, (uint256)));
            return ELEVATED;
        }
        if (selector == IPolicyCage.setMaxPositions.selector) {
            config.maxPositions = _maxPositions(abi.decode(arguments, (uint256)));
            return ELEVATED;
        }
        if (selector == Cage.setMaxConcentrationBps.selector) {
            config.maxConcentrationBps = _maxConcentrationBps(abi.decode(arguments, (uint256)));
            return ELEVATED;
        }
        if (selector == Cage.setMinCollateralRatioBps.selector) {
            config.minCollateralRatioBps = _minCollateralRatioBps(abi.decode(arguments, (uint256)));
            return ELEVATED;
        }
        if (selector == Cage.setRebalanceLimits.selector) {
            (uint256 interval, uint256 perDay) = abi.decode(arguments, (uint256, uint256));
            config.minRebalanceInterval = _minRebalanceInterval(interval);
            config.maxRebalancesPerDay = _maxRebalancesPerDay(perDay);
            return ELEVATED;
        }
        if (selector == IPolicyCage.setDrawdownThreshold.selector) {
            config.drawdownThresholdBps = _drawdownThresholdBps(abi.decode(arguments, (uint256)));
            return HIGH;
        }
        if (selector == Cage.setSoftDrawdown.selector) {
            (uint256 bps, uint256 window) = abi.decode(arguments, (uint256, uint256));
            config.maxDrawdownBps = _maxDrawdownBps(bps);
            config.drawdownWindow = _drawdownWindow(window);
            return HIGH;
        }
        if (selector == IPolicyCage.setSpendingCaps.selector) {
            (uint256 perTransaction, uint256 perDay) = abi.decode(arguments, (uint256, uint256));
            config.perTransactionCapUsdc = _perTransactionCap(perTransaction);
            config.perDayCapUsdc = _perDayCap(perDay);
            return HIGH;
        }
        if (selector == Cage.setSessionCap.selector) {
            config.perSessionCapUsdc = _perSessionCap(abi.decode(arguments, (uint256)));
            return HIGH;
        }
        if (selector == Cage.setMaxTradeLossBps.selector) {
            config.maxTradeLossBps = _maxTradeLossBps(abi.decode(arguments, (uint256)));
            return HIGH;
        }
        if (selector == Cage.setAllowArbitraryCalldata.selector) {
            config.allowArbitraryCalldata = abi.decode(arguments, (bool));
            return HIGH;
        }
        if (selector == Cage.setSanctionOracle.selector) {
            config.sanctionOracle = abi.decode(arguments, (address));
            if (config.sanctionOracle == address(0)) revert Cage.InvalidAddress("sanctionOracle", address(0));
            return CRITICAL;
        }
        if (selector == Cage.setSanctionsScreening.selector) {
            config.isSanctionsScreeningOn = abi.decode(arguments, (bool));
            return CRITICAL;
        }
    }

    function _requireRanges(PolicyCageConfig memory config) private pure {
        _maxAssetCount(config.maxAssetCount);
        _maxPositionBps(config.maxPositionBps);
        _maxPositions(config.maxPositions);
        _maxConcentrationBps(config.maxConcentrationBps);
        _minCollateralRatioBps(config.minCollateralRatioBps);
        _minRebalanceInterval(config.minRebalanceInterval);
        _maxRebalancesPerDay(config.maxRebalancesPerDay);
        _drawdownThresholdBps(config.drawdownThresholdBps);
        _maxDrawdownBps(config.maxDrawdownBps);
        _drawdownWindow(config.drawdownWindow);
        _perTransactionCap(config.perTransactionCapUsdc);
        _perSessionCap(config.perSessionCapUsdc);
        _perDayCap(config.perDayCapUsdc);
        _maxTradeLossBps(config.maxTradeLossBps);
    }

    function _maxAssetCount(uint256 value) private pure returns (uint8) {
        return uint8(_within("maxAssetCount", value, 1, MAX_ASSETS));
    }

    function _maxPositionBps(uint256 value) private pure returns (uint16) {
        return uint16(_within("maxPositionBps", value, 1, 10_000));
    }

    function _maxPositions(uint256 value) private pure returns (uint8) {
        return uint8(_within("maxPositions", value, 1, 20));
    }

    function _maxConcentrationBps(uint256 value) private pure returns (uint16) {
        return uint16(_within("maxConcentrationBps", value, 500, 10_000));
    }

    function _minCollateralRatioBps(uint256 value) private pure returns (uint32) {
        return uint32(_within("minCollateralRatioBps", value, 10_500, type(uint32).max));
    }

    function _minRebalanceInterval(uint256 value) private pure returns (uint32) {
        return uint32(_within("minRebalanceInterval", value, 0, 86_400));
    }

    function _maxRebalancesPerDay(uint256 value) private pure returns (uint8) {
        return uint8(_within("maxRebalancesPerDay", value, 1, 255));
    }

    function _drawdownThresholdBps(uint256 value) private pure returns (uint16) {
        return uint16(_within("drawdownThresholdBps", value, 500, 5_000));
    }

    function _maxDrawdownBps(uint256 value) private pure returns (uint16) {
        return uint16(_within("maxDrawdownBps", value, 100, 5_000));
    }

    function _drawdownWindow(uint256 value) private pure returns (uint32) {
        return uint32(_within("drawdownWindow", value, 1, type(uint32).max));
    }

    function _perTransactionCap(uint256 value) private pure returns (uint56) {
        return uint56(_within("perTransactionCapUsdc", value, 100e6, 1_000_000e6));
    }

    function _perSessionCap(uint256 value) private pure returns (uint56) {
        return uint56(_within("perSessionCapUsdc", value, 1_000e6, 10_000_000e6));
    }

    function _perDayCap(uint256 value) private pure returns (uint56) {
        return uint56(_within("perDayCapUsdc", value, 1_000e6, 10_000_000e6));
    }

    function _maxTradeLossBps(uint256 value) private pure returns (uint16) {
        return uint16(_within("maxTradeLossBps", value, 1, 1_000));
    }

    function _within(bytes32 field, uint256 value, uint256 min, uint256 max) private pure returns (uint256) {
        if (value < min || value > max) revert Cage.OutOfRange(field, value, min, max);
        return value;
    }

    // ── Lists ──

    /// Argument checks and tiers of the setters that need the present policy.
    function _checkList(bytes4 selector, bytes calldata arguments) private pure returns (uint256 delay) {
        if (selector == IPolicyCage.whitelistAsset.selector) {
            (address asset, ) = abi.decode(arguments, (address, bool));
            _requireNonZero("asset", asset);
            return ELEVATED;
        }
        if (selector == Cage.removeAsset.selector) {
            _requireNonZero("asset", abi.decode(arguments, (address)));
            return ELEVATED;
        }
        if (selector == Cage.setPriceFeed.selector) {
            (address asset, PriceFeed memory priceFeed) = abi.decode(arguments, (address, PriceFeed));
            _requireNonZero("asset", asset);
            _requireBand(priceFeed);
            return CRITICAL;
        }
        if (selector == Cage.whitelistProtocol.selector) {
            (address protocol, ) = abi.decode(arguments, (address, bool));
            _requireNonZero("protocol", protocol);
            return ELEVATED;
        }
        if (selector == Cage.setStrategies.selector) {
            (Strategy[] memory strategies, ) = abi.decode(arguments, (Strategy[], bool));
            _within("strategies", strategies.length, 1, MAX_STRATEGIES);
            _requireStrategies(strategies);
            return HIGH;
        }
        if (selector == Cage.setRecipients.selector) {
            (bool hasMainWallet, address mainWallet, address[] memory cladeWallets) = abi.decode(
                arguments,
                (bool, address, address[])
            );
            _requireRecipients(hasMainWallet, mainWallet, cladeWallets);
            return HIGH;
        }
        if (selector == Cage.setOperator.selector) {
            abi.decode(arguments, (address));
            return HIGH;
        }
        if (selector == Cage.setGuardian.selector) {
            abi.decode(arguments, (address));
            return ELEVATED;
        }
        if (selector == Cage.liftSuspension.selector) {
            _requireNonZero("suspended", abi.decode(arguments, (address)));
            return ELEVATED;
        }
        revert Cage.NotTimelocked(selector);
    }

    function _setList(
        CageState storage state,
        PolicyCageConfig memory config,
        bytes4 selector,
        bytes calldata arguments
    ) private {
        _checkList(selector, arguments);
        if (selector == IPolicyCage.whitelistAsset.selector) {
            (address asset, bool allowed) = abi.decode(arguments, (address, bool));
            _whitelistAsset(state, config, asset, allowed);
        } else if (selector == Cage.removeAsset.selector) {
            _removeAsset(state, config, abi.decode(arguments, (address)));
        } else if (selector == Cage.setPriceFeed.selector) {
            (address asset, PriceFeed memory priceFeed) = abi.decode(arguments, (address, PriceFeed));
            _setPriceFeed(state, config, asset, priceFeed);
        } else if (selector == Cage.whitelistProtocol.selector) {
            (address protocol, bool allowed) = abi.decode(arguments, (address, bool));
            if (allowed) _addProtocol(config, protocol);
            else _removeProtocol(state, config, protocol);
        } else if (selector == Cage.setStrategies.selector) {
            (Strategy[] memory strategies, bool allowed) = abi.decode(arguments, (Strategy[], bool));
            for (uint256 i; i < strategies.length; ++i) _setStrategy(config, strategies[i], allowed);
        } else if (selector == Cage.setRecipients.selector) {
            (config.hasMainWallet, config.mainWallet, config.cladeWallets) = abi.decode(
                arguments,
                (bool, address, address[])
            );
        } else if (selector == Cage.setOperator.selector) {
            address operator = abi.decode(arguments, (address));
            _requireNoSession(state, operator);
            state.operator = operator;
        } else if (selector == Cage.setGuardian.selector) {
            address guardian = abi.decode(arguments, (address));
            _requireNoSession(state, guardian);
            state.guardian = guardian;
        } else {
            _liftSuspension(state, abi.decode(arguments, (address)));
        }
    }

    function _whitelistAsset(
        CageState storage state,
        PolicyCageConfig memory config,
        address asset,
        bool allowed
    ) private {
        (bool isListed, uint256 index) = _findAsset(config.assets, asset);
        if (isListed) {
            if (config.assets[index].isSellOnly == !allowed) revert Cage.NothingToChange("asset", asset);
            config.assets[index].isSellOnly = !allowed;
            emit IPolicyCage.AssetWhitelisted(asset, allowed);
            return;
        }
        if (!allowed) revert Cage.NothingToChange("asset", asset);

        PriceFeed memory priceFeed = state.feeds[asset].priceFeed;
        if (priceFeed.feed == address(0)) revert Cage.PriceFeedMissing(asset);
        state.feeds[asset] = _requireFeed(asset, priceFeed);

        AssetConfig[] memory grown = new AssetConfig[](config.assets.length + 1);
        for (uint256 i; i < grown.length; ++i) {
            if (i < index) grown[i] = config.assets[i];
            else if (i > index) grown[i] = config.assets[i - 1];
        }
        grown[index] = AssetConfig({asset: asset, isSellOnly: false, priceFeed: priceFeed});
        config.assets = grown;
        emit IPolicyCage.AssetWhitelisted(asset, true);
    }

    function _removeAsset(CageState storage state, PolicyCageConfig memory config, address asset) private {
        (bool isListed, uint256 index) = _findAsset(config.assets, asset);
        if (!isListed) revert Cage.NothingToChange("asset", asset);
        if (state.isSuspended[asset]) _liftSuspension(state, asset);

        AssetConfig[] memory shrunk = new AssetConfig[](config.assets.length - 1);
        for (uint256 i; i < shrunk.length; ++i) shrunk[i] = config.assets[i < index ? i : i + 1];
        config.assets = shrunk;
        emit IPolicyCage.AssetWhitelisted(asset, false);
        // Requiring the base asset in the table, `_requireStructure` refuses to remove it.
    }

    function _setPriceFeed(
        CageState storage state,
        PolicyCageConfig memory config,
        address asset,
        PriceFeed memory priceFeed
    ) private {
        state.feeds[asset] = _requireFeed(asset, priceFeed);
        (bool isListed, uint256 index) = _findAsset(config.assets, asset);
        if (isListed) config.assets[index].priceFeed = priceFeed;
        // Native currency and its wrapper are one risk at one price: a new feed for either is the feed of both.
        if (asset != NATIVE && asset != config.wrappedNative) return;
        address twin = asset == NATIVE ? config.wrappedNative : NATIVE;
        (isListed, index) = _findAsset(config.assets, twin);
        if (!isListed) return;
        priceFeed = _copyWithDust(priceFeed, config.assets[index].priceFeed.dust);
        state.feeds[twin] = _requireFeed(twin, priceFeed);
        config.assets[index].priceFeed = priceFeed;
    }

    function _copyWithDust(PriceFeed memory from, uint128 dust) private pure returns (PriceFeed memory) {
        return
            PriceFeed({
                feed: from.feed,
                heartbeat: from.heartbeat,
                minAnswer: from.minAnswer,
                maxAnswer: from.maxAnswer,
                dust: dust,
                issuer: from.issuer
            });
    }

    function _addProtocol(PolicyCageConfig memory config, address protocol) private view {
        _requireCode(protocol);
        address[] memory list = config.approvedProtocols;
        address[] memory grown = new address[](list.length + 1);
        uint256 index;
        while (index < list.length && list[index] < protocol) ++index;
        for (uint256 i; i < list.length; ++i) {
            if (list[i] == protocol) revert Cage.NothingToChange("protocol", protocol);
            grown[i < index ? i : i + 1] = list[i];
        }
        grown[index] = protocol;
        config.approvedProtocols = grown;
    }

    function _removeProtocol(CageState storage state, PolicyCageConfig memory config, address protocol) private {
        address[] memory list = config.approvedProtocols;
        uint256 kept;
        for (uint256 i; i < list.length; ++i) if (list[i] != protocol) list[kept++] = list[i];
        if (kept == list.length) revert Cage.NothingToChange("protocol", protocol);
        _shorten(list, kept);
        if (state.isSuspended[protocol]) _liftSuspension(state, protocol);

        Strategy[] memory pairs = config.strategyWhitelist;
        kept = 0;
        for (uint256 i; i < pairs.length; ++i) if (pairs[i].protocol != protocol) pairs[kept++] = pairs[i];
        assembly ("memory-safe") {
            mstore(pairs, kept)
        }
    }

    function _setStrategy(PolicyCageConfig memory config, Strategy memory pair, bool allowed) private pure {
        Strategy[] memory list = config.strategyWhitelist;
        uint256 wanted = PolicyTable.key(pair);
        uint256 index;
        while (index < list.length && PolicyTable.key(list[index]) < wanted) ++index;
        bool isListed = index < list.length && PolicyTable.key(list[index]) == wanted;
        if (isListed == allowed) revert Cage.NothingToChange("strategy", pair.protocol);

        Strategy[] memory next = new Strategy[](allowed ? list.length + 1 : list.length - 1);
        for (uint256 i; i < next.length; ++i) {
            if (allowed) next[i] = i < index ? list[i] : i == index ? pair : list[i - 1];
            else next[i] = list[i < index ? i : i + 1];
        }
        config.strategyWhitelist = next;
    }

    function _liftSuspension(CageState storage state, address suspended) private {
        if (!state.isSuspended[suspended]) revert Cage.NothingToChange("suspended", suspended);
        state.isSuspended[suspended] = false;
        --state.suspensions;
        emit Cage.SuspensionLifted(suspended);
    }

    function _requireNoSession(CageState storage state, address key) private view {
        if (key == state.session.key && block.timestamp < state.session.expiresAt) revert Cage.InvalidSessionKey(key);
    }

    function _findAsset(
        AssetConfig[] memory assets,
        address asset
    ) private pure returns (bool isListed, uint256 index) {
        while (index < assets.length && assets[index].asset < asset) ++index;
        isListed = index < assets.length && assets[index].asset == asset;
    }

    function _shorten(address[] memory list, uint256 length) private pure {
        assembly ("memory-safe") {
            mstore(list, length)
        }
    }

    // ── The policy as a whole ──

    /// Everything that must hold between the fields, whatever was changed last.
    function _requireStructure(PolicyCageConfig memory config, address account) private view {
        _requireAssets(config);
        _requireProtocols(config, account);
        _requireStrategies(config.strategyWhitelist);
        for (uint256 i; i < config.strategyWhitelist.length; ++i) {
            address protocol = config.strategyWhitelist[i].protocol;
            if (!_contains(config.approvedProtocols, protocol)) revert IPolicyCage.ProtocolNotApproved(protocol);
        }
        _requireRecipients(config.hasMainWallet, config.mainWallet, config.cladeWallets);
        if (config.hasMainWallet) _requireForeign("recipient", config.mainWallet, account);
        for (uint256 i; i < config.cladeWallets.length; ++i) {
            _requireForeign("recipient", config.cladeWallets[i], account);
        }
    }

    function _requireAssets(PolicyCageConfig memory config) private pure {
        _within("assets", config.assets.length, 1, config.maxAssetCount);
        bool hasBase;
        PriceFeed memory native;
        PriceFeed memory wrapped;
        for (uint256 i; i < config.assets.length; ++i) {
            AssetConfig memory row = config.assets[i];
            _requireNonZero("asset", row.asset);
            if (i > 0 && row.asset <= config.assets[i - 1].asset) revert Cage.NotAscending("assets", i);
            if (row.asset == config.baseAsset) {
                if (row.isSellOnly) revert Cage.BaseAssetRequired(row.asset);
                hasBase = true;
            }
            if (row.asset == NATIVE) native = row.priceFeed;
            if (row.asset == config.wrappedNative) wrapped = row.priceFeed;
        }
        if (!hasBase) revert Cage.BaseAssetRequired(config.baseAsset);
        if (config.baseAsset == NATIVE || config.baseAsset == config.wrappedNative) {
            revert Cage.InvalidAddress("baseAsset", config.baseAsset);
        }
        if (native.feed != address(0) && wrapped.feed != address(0)) {
            native = _copyWithDust(native, wrapped.dust);
            if (keccak256(abi.encode(native)) != keccak256(abi.encode(wrapped))) {
                revert Cage.NativeFeedMismatch(native.feed, wrapped.feed);
            }
        }
    }

    function _requireProtocols(PolicyCageConfig memory config, address account) private view {
        address[] memory list = config.approvedProtocols;
        _within("approvedProtocols", list.length, 0, MAX_PROTOCOLS);
        for (uint256 i; i < list.length; ++i) {
            if (i > 0 && list[i] <= list[i - 1]) revert Cage.NotAscending("approvedProtocols", i);
            _requireForeign("protocol", list[i], account);
            (bool isAsset, ) = _findAsset(config.assets, list[i]);
            if (isAsset || list[i] == config.wrappedNative) revert Cage.InvalidAddress("protocol", list[i]);
        }
    }

    /// A pair list that is bounded, ascending, and gives no authority away.
    function _requireStrategies(Strategy[] memory list) private pure {
        _within("strategies", list.length, 0, MAX_STRATEGIES);
        for (uint256 i; i < list.length; ++i) {
            if (i > 0 && PolicyTable.key(list[i]) <= PolicyTable.key(list[i - 1])) {
                revert Cage.NotAscending("strategies", i);
            }
            if (AuthoritySelectors.contains(list[i].selector)) {
                revert Cage.AuthorityCallRefused(list[i].protocol, list[i].selector);
            }
        }
    }

    function _requireRecipients(bool hasMainWallet, address mainWallet, address[] memory cladeWallets) private pure {
        if (hasMainWallet == (mainWallet == address(0))) revert Cage.InvalidAddress("mainWallet", mainWallet);
        _within("cladeWallets", cladeWallets.length, 0, hasMainWallet ? MAX_RECIPIENTS - 1 : MAX_RECIPIENTS);
        for (uint256 i; i < cladeWallets.length; ++i) {
            _requireNonZero("cladeWallet", cladeWallets[i]);
            if (i > 0 && cladeWallets[i] <= cladeWallets[i - 1]) revert Cage.NotAscending("cladeWallets", i);
            if (cladeWallets[i] == mainWallet) revert Cage.InvalidAddress("cladeWallet", mainWallet);
        }
    }

    // ── Facts about other contracts, checked when the field is set ──

    function _requireOracle(address oracle) private view {
        if (oracle.code.length == 0) revert Cage.InvalidAddress("sanctionOracle", oracle);
    }

    function _requireCode(address protocol) private view {
        if (protocol.code.length == 0) revert Cage.InvalidAddress("protocol", protocol);
    }

    function _requireForeign(bytes32 field, address value, address account) private view {
        if (value == address(0) || value == address(this) || value == account) {
            revert Cage.InvalidAddress(field, value);
        }
    }

    function _requireNonZero(bytes32 field, address value) private pure {
        if (value == address(0)) revert Cage.InvalidAddress(field, value);
    }

    function _requireBand(PriceFeed memory priceFeed) private pure {
        _requireNonZero("feed", priceFeed.feed);
        _within("heartbeat", priceFeed.heartbeat, 1, type(uint32).max);
        _within("minAnswer", priceFeed.minAnswer, 1, priceFeed.maxAnswer);
    }

    /// A feed that answers plausibly now, for an asset whose dust is worth at most one dollar.
    function _requireFeed(address asset, PriceFeed memory priceFeed) private view returns (FeedRecord memory record) {
        _requireBand(priceFeed);
        record.priceFeed = priceFeed;
        if (asset == NATIVE) {
            record.decimals = 18;
        } else {
            bool isKnown;
            (isKnown, record.decimals) = SafeERC20.tryGetDecimals(IERC20(asset));
            if (!isKnown) revert Cage.InvalidAddress("asset", asset);
        }
        _within("decimals", record.decimals, 0, 36);

        // A feed's `decimals()` is an ERC-20's.
        bool hasDecimals;
        (hasDecimals, record.feedDecimals) = SafeERC20.tryGetDecimals(IERC20(priceFeed.feed));
        if (!hasDecimals) revert Cage.PriceFeedRefused(asset, priceFeed.feed);
        _within("feedDecimals", record.feedDecimals, 0, 18);
        uint256 answer = ChainlinkReader.price(
            priceFeed.feed,
            priceFeed.heartbeat,
            priceFeed.minAnswer,
            priceFeed.maxAnswer
        );
        if (answer == 0) revert Cage.PriceFeedRefused(asset, priceFeed.feed);

        uint256 dustUsd = Math.ceilDiv(
            priceFeed.dust * answer * 1e6,
            10 ** (uint256(record.feedDecimals) + record.decimals)
        );
        if (dustUsd > MAX_DUST_USD) revert Cage.DustTooValuable(asset, dustUsd, MAX_DUST_USD);
    }

    function _contains(address[] memory list, address wanted) private pure returns (bool) {
        for (uint256 i; i < list.length; ++i) if (list[i] == wanted) return true;
        return false;
    }

    // ── Storage ──

    function _load(CageState storage state) private view returns (PolicyCageConfig memory) {
        return abi.decode(SSTORE2.read(state.configuration), (PolicyCageConfig));
    }

    function _store(CageState storage state, PolicyCageConfig memory config) private {
        uint8[] memory decimals = new uint8[](config.assets.length);
        uint8[] memory feedDecimals = new uint8[](config.assets.length);
        for (uint256 i; i < decimals.length; ++i) {
            FeedRecord storage record = state.feeds[config.assets[i].asset];
            decimals[i] = record.decimals;
            feedDecimals[i] = record.feedDecimals;
        }
        state.table = PolicyTable.write(config, decimals, feedDecimals);
        state.configuration = SSTORE2.write(abi.encode(config));

        bytes32 former = state.constitutionHash;
        bytes32 next = Constitution.hash(config);
        if (next == former) return;
        state.constitutionHash = next;
        emit Cage.ConstitutionUpdated(++state.constitutionVersion, former, next);
    }

    function _emitNamed(PolicyCageConfig memory config, bytes4 selector) private {
        if (selector == IPolicyCage.setSpendingCaps.selector) {
            emit IPolicyCage.SpendingCapUpdated(config.perTransactionCapUsdc, config.perDayCapUsdc);
        } else if (selector == IPolicyCage.setDrawdownThreshold.selector) {
            emit IPolicyCage.DrawdownThresholdUpdated(config.drawdownThresholdBps);
        } else if (selector == IPolicyCage.setMaxPositions.selector) {
            emit IPolicyCage.PositionLimitUpdated(config.maxPositions);
        }
    }
}
