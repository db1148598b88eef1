// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PolicyCageConfig, PriceFeed} from "../interfaces/Types.sol";
import {CageState, FeedRecord} from "./CageState.sol";
import {PolicyTable, Table} from "./PolicyTable.sol";

/// @title Stored policy
/// @notice Reads back what a cage was configured with.
library StoredPolicy {
    using PolicyTable for Table;

    /// @param wrappedNative As fixed at construction; `sequencerFeed` too, zero for none.
    function read(
        CageState storage state,
        address wrappedNative,
        address sequencerFeed
    ) internal view returns (PolicyCageConfig memory config) {
        config = PolicyTable.load(state.table).unpack();
        for (uint256 i; i < config.assets.length; ++i) {
            config.assets[i].priceFeed.issuer = state.feeds[config.assets[i].asset].issuer;
        }
        config.wrappedNative = wrappedNative;
        config.hasSequencerFeed = sequencerFeed != address(0);
        config.sequencerFeed = sequencerFeed;
    }

    function priceFeed(FeedRecord storage record) internal view returns (PriceFeed memory) {
        return
            PriceFeed({
                feed: record.feed,
                heartbeat: record.heartbeat,
                minAnswer: record.minAnswer,
                maxAnswer: record.maxAnswer,
                dust: record.dust,
                issuer: record.issuer
            });
    }
}
