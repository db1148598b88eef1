// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {
    ASSET_TYPEHASH,
    CONSTITUTION_TYPEHASH,
    PRINCIPLES_HASH,
    STRATEGY_TYPEHASH,
    VALUER_TYPEHASH
} from "../generated/ConstitutionHashes.sol";
import {AssetConfig, PolicyCageConfig, PriceFeed, Strategy, Valuer} from "../interfaces/Types.sol";

/// @title Constitution hash
/// @notice EIP-712 struct hash over the principles and every rule field. The type string is `contracts/constitution.type`, the
/// principles are `contracts/principles.md`; tests compare both with the constants here. Roles, sessions, suspensions, halt, mark and
/// trip are not rules and not in it.
library Constitution {
    uint256 internal constant SHUTDOWN_RESERVE = 300_000;

    /// Members before the valuers.
    uint256 private constant MEMBERS = 29;
    /// Members before the shutdown reserve.
    uint256 private constant LEADING = 23;

    /// @notice The constitution hash of `config`.
    /// @dev The members of `PolicyCageConfig` stand in the order of the type string, a word each: they are hashed as they lie, with the
    /// hash of each list in the place of its address.
    function hash(PolicyCageConfig memory config) internal pure returns (bytes32) {
        uint256[MEMBERS] memory members;
        assembly ("memory-safe") {
            mcopy(members, config, 0x3a0)
        }
        members[0] = uint256(_assets(config.assets));
        members[2] = uint256(_addresses(config.approvedProtocols));
        members[3] = uint256(_strategies(config.strategyWhitelist));
        members[7] = uint256(_addresses(config.cladeWallets));

        // Type, principles, 23 members, reserve, 6 members, valuers.
        bytes32[] memory words = new bytes32[](MEMBERS + 4);
        words[0] = CONSTITUTION_TYPEHASH;
        words[1] = PRINCIPLES_HASH;
        for (uint256 i; i < LEADING; ++i) words[2 + i] = bytes32(members[i]);
        words[LEADING + 2] = bytes32(SHUTDOWN_RESERVE);
        for (uint256 i = LEADING; i < MEMBERS; ++i) words[3 + i] = bytes32(members[i]);
        words[MEMBERS + 3] = _valuers(config.valuers);
        return keccak256(abi.encodePacked(words));
    }

    function _assets(AssetConfig[] memory list) private pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](list.length);
        for (uint256 i; i < hashes.length; ++i) {
            AssetConfig memory row = list[i];
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

    function _strategies(Strategy[] memory list) private pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](list.length);
        for (uint256 i; i < hashes.length; ++i) {
            hashes[i] = keccak256(abi.encode(STRATEGY_TYPEHASH, list[i].protocol, list[i].selector));
        }
        return keccak256(abi.encodePacked(hashes));
    }

    function _valuers(Valuer[] memory list) private pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](list.length);
        for (uint256 i; i < hashes.length; ++i) {
            hashes[i] = keccak256(abi.encode(VALUER_TYPEHASH, list[i].protocol, list[i].valuer));
        }
        return keccak256(abi.encodePacked(hashes));
    }

    function _addresses(address[] memory list) private pure returns (bytes32) {
        return keccak256(abi.encodePacked(list));
    }
}
