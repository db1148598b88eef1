// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PRINCIPLES_HASH} from "../generated/Principles.sol";
import {AssetConfig, PolicyCageConfig, PriceFeed} from "../interfaces/Types.sol";

/// @title Constitution hash
/// @notice EIP-712 struct hash over the principles and every rule field. The type string is `contracts/constitution.type`, the
/// principles are `contracts/principles.md`; tests compare both with the constants here. Roles, sessions, suspensions, halt, mark and
/// trip are not rules and not in it. Fields whose rules do not exist yet are hashed as zero, so that the type never changes.
library Constitution {
    uint256 internal constant SHUTDOWN_RESERVE = 300_000;

    string private constant ASSET_TYPE =
        "AssetConfig(address asset,bool isSellOnly,address feed,uint32 heartbeat,uint96 minAnswer,uint96 maxAnswer,uint128 dust,address issuer)";
    string private constant STRATEGY_TYPE = "Strategy(address protocol,bytes4 selector)";
    string private constant VALUER_TYPE = "Valuer(address protocol,address valuer)";
    string private constant CONSTITUTION_TYPE =
        "Constitution(bytes32 principlesHash,AssetConfig[] assets,uint8 maxAssetCount,address[] approvedProtocols,Strategy[] strategyWhitelist,bool allowArbitraryCalldata,bool hasMainWallet,address mainWallet,address[] cladeWallets,uint16 maxPositionBps,uint8 maxPositions,uint16 maxConcentrationBps,uint32 minCollateralRatioBps,uint16 drawdownThresholdBps,uint16 maxDrawdownBps,uint32 drawdownWindow,uint32 minRebalanceInterval,uint8 maxRebalancesPerDay,uint56 perTransactionCapUsdc,uint56 perSessionCapUsdc,uint56 perDayCapUsdc,uint16 maxTradeLossBps,uint56 largeTradeValueUsdc,uint32 largeTradeDelay,uint256 shutdownReserve,address sanctionOracle,bool isSanctionsScreeningOn,address baseAsset,address wrappedNative,bool hasSequencerFeed,address sequencerFeed,Valuer[] valuers)";

    bytes32 private constant ASSET_TYPEHASH = keccak256(bytes(ASSET_TYPE));
    bytes32 private constant STRATEGY_TYPEHASH = keccak256(bytes(STRATEGY_TYPE));
    bytes32 private constant CONSTITUTION_TYPEHASH =
        keccak256(bytes(string.concat(CONSTITUTION_TYPE, ASSET_TYPE, STRATEGY_TYPE, VALUER_TYPE)));

    /// @notice The constitution hash of `config`.
    function hash(PolicyCageConfig memory config) external pure returns (bytes32) {
        bytes memory rules = bytes.concat(
            abi.encode(
                CONSTITUTION_TYPEHASH,
                PRINCIPLES_HASH,
                _assets(config),
                config.maxAssetCount,
                _addresses(config.approvedProtocols),
                _strategies(config),
                config.allowArbitraryCalldata,
                config.hasMainWallet,
                config.mainWallet,
                _addresses(config.cladeWallets)
            ),
            _limits(config),
            abi.encode(
                SHUTDOWN_RESERVE,
                config.sanctionOracle,
                config.isSanctionsScreeningOn,
                config.baseAsset,
                config.wrappedNative,
                config.hasSequencerFeed,
                config.sequencerFeed,
                keccak256("")
            )
        );
        return keccak256(rules);
    }

    function _limits(PolicyCageConfig memory config) private pure returns (bytes memory) {
        return
            bytes.concat(
                abi.encode(
                    config.maxPositionBps,
                    config.maxPositions,
                    config.maxConcentrationBps,
                    config.minCollateralRatioBps,
                    config.drawdownThresholdBps,
                    config.maxDrawdownBps,
                    config.drawdownWindow,
                    config.minRebalanceInterval
                ),
                abi.encode(
                    config.maxRebalancesPerDay,
                    config.perTransactionCapUsdc,
                    config.perSessionCapUsdc,
                    config.perDayCapUsdc,
                    config.maxTradeLossBps,
                    uint256(0),
                    uint256(0)
                )
            );
    }

    function _assets(PolicyCageConfig memory config) private pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](config.assets.length);
        for (uint256 i; i < hashes.length; ++i) {
            AssetConfig memory row = config.assets[i];
            PriceFeed memory feed = row.priceFeed;
            hashes[i] = keccak256(
                abi.encode(
                    ASSET_TYPEHASH,
                    row.asset,
                    row.isSellOnly,
                    feed.feed,
                    feed.heartbeat,
                    feed.minAnswer,
                    feed.maxAnswer,
                    feed.dust,
                    feed.issuer
                )
            );
        }
        return keccak256(abi.encodePacked(hashes));
    }

    function _strategies(PolicyCageConfig memory config) private pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](config.strategyWhitelist.length);
        for (uint256 i; i < hashes.length; ++i) {
            hashes[i] = keccak256(
                abi.encode(
                    STRATEGY_TYPEHASH,
                    config.strategyWhitelist[i].protocol,
                    config.strategyWhitelist[i].selector
                )
            );
        }
        return keccak256(abi.encodePacked(hashes));
    }

    function _addresses(address[] memory list) private pure returns (bytes32) {
        return keccak256(abi.encodePacked(list));
    }
}
