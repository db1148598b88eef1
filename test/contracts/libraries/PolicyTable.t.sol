// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AssetConfig, NATIVE, PolicyCageConfig, Strategy} from "../../../contracts/interfaces/Types.sol";
import {PolicyTable, Row, Table} from "../../../contracts/rules/PolicyTable.sol";
import {MockAggregator} from "../../../contracts/mocks/MockAggregator.sol";
import {MockERC20} from "../../../contracts/mocks/MockERC20.sol";
import {ConfigFixture} from "../support/ConfigFixture.sol";

/// @notice Whatever the policy, the table says what the policy says.
contract PolicyTableTest is ConfigFixture {
    using PolicyTable for Table;
    using PolicyTable for Row;

    function testFuzz_SingleValuesAreThePolicys(uint256 seed) public {
        PolicyCageConfig memory config = randomConfig(seed);
        Table t = tableOf(config);

        assertEq(t.perTransactionCapUsdc(), config.perTransactionCapUsdc);
        assertEq(t.perSessionCapUsdc(), config.perSessionCapUsdc);
        assertEq(t.perDayCapUsdc(), config.perDayCapUsdc);
        assertEq(t.maxTradeLossBps(), config.maxTradeLossBps);
        assertEq(t.largeTradeValueUsdc(), config.largeTradeValueUsdc);
        assertEq(t.largeTradeDelay(), config.largeTradeDelay);
        assertEq(t.maxPositionBps(), config.maxPositionBps);
        assertEq(t.maxConcentrationBps(), config.maxConcentrationBps);
        assertEq(t.drawdownThresholdBps(), config.drawdownThresholdBps);
        assertEq(t.minRebalanceInterval(), config.minRebalanceInterval);
        assertEq(t.maxRebalancesPerDay(), config.maxRebalancesPerDay);
        assertEq(t.maxPositions(), config.maxPositions);
        assertEq(t.minCollateralRatioBps(), config.minCollateralRatioBps);
        assertEq(t.sanctionOracle(), config.sanctionOracle);
        assertEq(t.isSanctionsScreeningOn(), config.isSanctionsScreeningOn);
        assertEq(t.allowArbitraryCalldata(), config.allowArbitraryCalldata);
        assertEq(t.assetCount(), config.assets.length);
        assertEq(t.protocolCount(), config.approvedProtocols.length);
        assertEq(t.strategyCount(), config.strategyWhitelist.length);
        assertEq(t.rowAt(t.baseIndex()).asset(), config.baseAsset);
    }

    /// Every field at the largest number its type holds: no field runs into its neighbour.
    function test_FieldsHoldTheLargestNumbersOfTheirTypes() public {
        PolicyCageConfig memory config = defaultConfig();
        config.perTransactionCapUsdc = type(uint56).max;
        config.perDayCapUsdc = type(uint56).max;
        config.maxPositionBps = type(uint16).max;
        config.drawdownThresholdBps = type(uint16).max;
        config.minRebalanceInterval = type(uint32).max;
        config.maxPositions = type(uint8).max;
        config.minCollateralRatioBps = type(uint32).max;
        config.perSessionCapUsdc = 0;
        config.maxTradeLossBps = 0;
        config.maxConcentrationBps = 0;
        config.maxRebalancesPerDay = 0;
        config.isSanctionsScreeningOn = false;
        config.allowArbitraryCalldata = true;
        config.largeTradeValueUsdc = type(uint56).max;
        Table t = tableOf(config);

        assertEq(t.perTransactionCapUsdc(), type(uint56).max);
        assertEq(t.perSessionCapUsdc(), 0);
        assertEq(t.perDayCapUsdc(), type(uint56).max);
        assertEq(t.maxTradeLossBps(), 0);
        assertEq(t.maxPositionBps(), type(uint16).max);
        assertEq(t.maxConcentrationBps(), 0);
        assertEq(t.drawdownThresholdBps(), type(uint16).max);
        assertEq(t.assetCount(), 4);
        assertEq(t.minRebalanceInterval(), type(uint32).max);
        assertEq(t.maxRebalancesPerDay(), 0);
        assertEq(t.maxPositions(), type(uint8).max);
        assertEq(t.strategyCount(), 1);
        assertEq(t.minCollateralRatioBps(), type(uint32).max);
        assertFalse(t.isSanctionsScreeningOn());
        assertTrue(t.allowArbitraryCalldata());
        assertEq(t.largeTradeValueUsdc(), type(uint56).max);
        assertEq(t.largeTradeDelay(), 0);
    }

    function testFuzz_RowsAreThePolicysAssets(uint256 seed) public {
        PolicyCageConfig memory config = randomConfig(seed);
        Table t = tableOf(config);
        (uint8[] memory decimals, uint8[] memory feedDecimals) = decimalsOf(config);
        uint256 baseDecimals = feedDecimals[t.baseIndex()];

        assertEq(t.baseFeedUnit(), 10 ** baseDecimals, "baseFeedUnit");
        for (uint256 i; i < config.assets.length; ++i) {
            AssetConfig memory row = config.assets[i];
            assertEq(t.rowAt(i).asset(), row.asset, "asset");
            assertEq((t.sellOnly() >> i) & 1 == 1, row.isSellOnly, "sellOnly");
            assertEq(t.rowAt(i).feed(), row.priceFeed.feed, "feed");
            assertEq(t.rowAt(i).heartbeat(), row.priceFeed.heartbeat, "heartbeat");
            assertEq(t.rowAt(i).minAnswer(), row.priceFeed.minAnswer, "minAnswer");
            assertEq(t.rowAt(i).maxAnswer(), row.priceFeed.maxAnswer, "maxAnswer");
            assertEq(t.rowAt(i).dust(), row.priceFeed.dust, "dust");
            assertEq(t.rowAt(i).unit(), 10 ** (18 + uint256(decimals[i])), "unit");
            assertEq(t.rowAt(i).scale(), 10 ** (24 + baseDecimals - feedDecimals[i]), "scale");
        }
        assertEq(t.sellOnly() >> config.assets.length, 0, "no row, no bit");
    }

    function testFuzz_TwinsAreNativeCurrencyAndItsWrapper(uint256 seed) public {
        PolicyCageConfig memory config = randomConfig(seed);
        Table t = tableOf(config);
        uint256 native = t.indexOfAsset(NATIVE);
        uint256 wrapped = t.indexOfAsset(address(weth));
        bool hasBoth = native != PolicyTable.NONE && wrapped != PolicyTable.NONE;

        for (uint256 i; i < config.assets.length; ++i) {
            if (hasBoth && i == native) assertEq(t.rowAt(i).twin(), wrapped + 1);
            else if (hasBoth && i == wrapped) assertEq(t.rowAt(i).twin(), native + 1);
            else assertEq(t.rowAt(i).twin(), 0);
        }
    }

    function testFuzz_AssetsOfOneRiskBearerAreOneGroup(uint256 seed) public {
        PolicyCageConfig memory config = randomConfig(seed);
        Table t = tableOf(config);

        for (uint256 i; i < config.assets.length; ++i) {
            assertLt(t.rowAt(i).group(), config.assets.length + config.valuers.length);
            for (uint256 j; j < config.assets.length; ++j) {
                address a = bearer(config.assets[i]);
                address b = bearer(config.assets[j]);
                assertEq(t.rowAt(i).group() == t.rowAt(j).group(), a == b, "same");
                assertEq(t.rowAt(i).group() < t.rowAt(j).group(), a < b, "ascending by address");
            }
        }
    }

    function bearer(AssetConfig memory row) internal view returns (address) {
        if (row.priceFeed.issuer != address(0)) return row.priceFeed.issuer;
        return row.asset == NATIVE ? address(weth) : row.asset;
    }

    function testFuzz_AssetsAreFoundAndNothingElse(uint256 seed, address other) public {
        PolicyCageConfig memory config = randomConfig(seed);
        Table t = tableOf(config);
        bool isOther;
        for (uint256 i; i < config.assets.length; ++i) {
            assertEq(t.indexOfAsset(config.assets[i].asset), i);
            if (config.assets[i].asset == other) isOther = true;
        }

        if (!isOther) assertEq(t.indexOfAsset(other), PolicyTable.NONE);
        assertEq(t.indexOfAsset(address(0)), PolicyTable.NONE);
    }

    function testFuzz_ProtocolsAreFoundAndNothingElse(uint256 seed, address other) public {
        PolicyCageConfig memory config = randomConfig(seed);
        Table t = tableOf(config);
        for (uint256 i; i < config.approvedProtocols.length; ++i) {
            address protocol = config.approvedProtocols[i];
            assertEq(t.indexOfProtocol(protocol), i);
            assertEq(t.protocol(i), protocol);
            assertEq(t.indexOfProtocol(address(uint160(protocol) + 1)), PolicyTable.NONE);
            assertEq(t.indexOfProtocol(address(uint160(protocol) - 1)), PolicyTable.NONE);
            if (protocol == other) return;
        }

        assertEq(t.indexOfProtocol(other), PolicyTable.NONE);
        assertEq(t.indexOfProtocol(address(0)), PolicyTable.NONE);
        assertEq(t.indexOfProtocol(address(type(uint160).max)), PolicyTable.NONE);
    }

    function testFuzz_PairsAreFoundAndNothingElse(uint256 seed, bytes4 selector) public {
        PolicyCageConfig memory config = randomConfig(seed);
        Table t = tableOf(config);
        for (uint256 i; i < config.strategyWhitelist.length; ++i) {
            Strategy memory pair = config.strategyWhitelist[i];
            assertTrue(t.isStrategy(pair.protocol, pair.selector), "listed");
            assertFalse(t.isStrategy(address(uint160(pair.protocol) ^ 1), pair.selector), "other protocol");
            bytes4 next = bytes4(uint32(pair.selector) ^ 1);
            assertEq(t.isStrategy(pair.protocol, next), isListed(config, pair.protocol, next), "other selector");
        }
        for (uint256 i; i < config.approvedProtocols.length; ++i) {
            address protocol = config.approvedProtocols[i];
            assertEq(t.isStrategy(protocol, selector), isListed(config, protocol, selector), "any selector");
        }
        assertFalse(t.isStrategy(attacker, selector));
    }

    function isListed(PolicyCageConfig memory config, address target, bytes4 selector) internal pure returns (bool) {
        for (uint256 i; i < config.strategyWhitelist.length; ++i) {
            Strategy memory pair = config.strategyWhitelist[i];
            if (pair.protocol == target && pair.selector == selector) return true;
        }
        return false;
    }

    function testFuzz_RecipientsAreFoundAndNothingElse(uint256 seed, address other) public {
        PolicyCageConfig memory config = randomConfig(seed);
        Table t = tableOf(config);
        for (uint256 i; i < config.cladeWallets.length; ++i) {
            assertRecipient(t, config.cladeWallets[i], true, false);
            if (config.cladeWallets[i] == other) return;
        }
        if (config.hasMainWallet) assertRecipient(t, config.mainWallet, true, true);

        if (other != config.mainWallet || !config.hasMainWallet) assertRecipient(t, other, false, false);
        assertRecipient(t, address(0), false, false);
    }

    function assertRecipient(Table t, address recipient, bool approved, bool main) internal pure {
        (bool isApproved, bool isMainWallet) = t.recipientKind(recipient);
        assertEq(isApproved, approved);
        assertEq(isMainWallet, main);
    }

    /// The lists stand one behind the other in memory: none is read into its neighbour.
    function testFuzz_WhatOneListHoldsIsNotFoundInAnother(uint256 seed) public {
        PolicyCageConfig memory config = randomConfig(seed);
        Table t = tableOf(config);
        for (uint256 i; i < config.assets.length; ++i) {
            assertEq(t.indexOfProtocol(config.assets[i].asset), PolicyTable.NONE, "asset as protocol");
            assertRecipient(t, config.assets[i].asset, false, false);
        }
        for (uint256 i; i < config.approvedProtocols.length; ++i) {
            assertEq(t.indexOfAsset(config.approvedProtocols[i]), PolicyTable.NONE, "protocol as asset");
            assertRecipient(t, config.approvedProtocols[i], false, false);
        }
        for (uint256 i; i < config.strategyWhitelist.length; ++i) {
            address packed = address(uint160(PolicyTable.key(config.strategyWhitelist[i])));
            assertEq(t.indexOfAsset(packed), PolicyTable.NONE, "pair as asset");
            assertEq(t.indexOfProtocol(packed), PolicyTable.NONE, "pair as protocol");
            assertRecipient(t, packed, false, false);
        }
        for (uint256 i; i < config.cladeWallets.length; ++i) {
            assertEq(t.indexOfAsset(config.cladeWallets[i]), PolicyTable.NONE, "recipient as asset");
            assertEq(t.indexOfProtocol(config.cladeWallets[i]), PolicyTable.NONE, "recipient as protocol");
        }
    }

    function testFuzz_ValuersAreFoundAndNothingElse(uint256 seed) public {
        PolicyCageConfig memory config = randomConfig(seed);
        Table t = tableOf(config);
        assertEq(t.valuerCount(), config.valuers.length);
        uint256 found;
        for (uint256 i; i < config.approvedProtocols.length; ++i) {
            if (t.hasValuer(config.approvedProtocols[i])) ++found;
        }
        assertEq(found, config.valuers.length);
        for (uint256 i; i < config.valuers.length; ++i) {
            (address valuer, address protocol, uint256 group) = t.valuerAt(i);
            assertEq(valuer, config.valuers[i].valuer);
            assertEq(protocol, config.valuers[i].protocol);
            for (uint256 j; j < config.assets.length; ++j) {
                address other = bearer(config.assets[j]);
                assertEq(group < t.rowAt(j).group(), protocol < other, "ascending by address");
                assertEq(group == t.rowAt(j).group(), protocol == other, "same");
            }
        }
    }

    /// Behind the assets stand the same assets again for each valuer, in its group, and nothing of it is written over afterwards.
    function testFuzz_PositionsStandBehindTheAssets(uint256 seed) public {
        PolicyCageConfig memory config = randomConfig(seed);
        Table t = tableOf(config);
        uint256 count = t.assetCount();
        Table whole = t.withPositions();
        bytes memory behind = new bytes(10_000);
        for (uint256 i; i < behind.length; ++i) behind[i] = 0xff;

        assertEq(whole.assetCount(), count * (1 + config.valuers.length));
        assertEq(whole.baseIndex(), t.baseIndex());
        for (uint256 i; i < whole.assetCount(); ++i) assertEq((t.repeated(1) >> i) & 1 == 1, i % count == 0);
        assertEq(t.repeated(1) >> whole.assetCount(), 0);
        for (uint256 i; i < whole.assetCount(); ++i) {
            (Row row, Row former) = (whole.rowAt(i), t.rowAt(i % count));
            uint256 group = former.group();
            if (i >= count) (, , group) = t.valuerAt(i / count - 1);
            assertEq(row.group(), group);
            assertEq(row.twin(), i < count ? former.twin() : 0);
            assertEq(row.asset(), former.asset());
            assertEq(row.heartbeat(), former.heartbeat());
            assertEq(row.feed(), former.feed());
            assertEq(row.dust(), former.dust());
            assertEq(row.scale(), former.scale());
            assertEq(row.unit(), former.unit());
        }
    }

    function testFuzz_KeysSortByProtocolThenSelector(Strategy memory a, Strategy memory b) public pure {
        bool isBefore = a.protocol == b.protocol ? a.selector < b.selector : a.protocol < b.protocol;

        assertEq(PolicyTable.key(a) < PolicyTable.key(b), isBefore);
    }

    function test_TwoTablesInMemoryDoNotDisturbEachOther() public {
        PolicyCageConfig memory config = defaultConfig();
        Table first = tableOf(config);
        config.perDayCapUsdc = 7;
        Table second = tableOf(config);

        assertEq(first.perDayCapUsdc(), 100_000e6);
        assertEq(second.perDayCapUsdc(), 7);
        assertEq(first.rowAt(3).asset(), second.rowAt(3).asset());
    }

    // ── Shorthands ──

    function tableOf(PolicyCageConfig memory config) internal returns (Table) {
        (uint8[] memory decimals, uint8[] memory feedDecimals) = decimalsOf(config);
        return PolicyTable.load(PolicyTable.write(config, decimals, feedDecimals));
    }

    function decimalsOf(
        PolicyCageConfig memory config
    ) internal view returns (uint8[] memory decimals, uint8[] memory feedDecimals) {
        decimals = new uint8[](config.assets.length);
        feedDecimals = new uint8[](config.assets.length);
        for (uint256 i; i < decimals.length; ++i) {
            AssetConfig memory row = config.assets[i];
            decimals[i] = row.asset == NATIVE ? 18 : MockERC20(row.asset).decimals();
            feedDecimals[i] = MockAggregator(row.priceFeed.feed).decimals();
        }
    }
}
