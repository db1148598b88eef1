// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {GuardedQuery} from "./GuardedQuery.sol";

/// @title Chainlink reader
/// @notice A price is taken only when nothing speaks against it; every other case is "no price".
///
/// REFUSED: no code, a revert, a burnt stipend, an answer shorter than a round, zero or negative, outside the feed's band, older than
/// the feed's own heartbeat, dated in the future. `answeredInRound` is deprecated by Chainlink and not read.
/// ON A LAYER 2 prices count only while the sequencer uptime feed reports "up" for more than an hour: right after an outage the last
/// answers predate the moves that users could not react to (docs.chain.link, L2 sequencer uptime feeds).
library ChainlinkReader {
    uint256 internal constant SEQUENCER_GRACE_PERIOD = 1 hours;

    /// @param heartbeat Oldest age accepted, in seconds, inclusive.
    /// @param minAnswer Lowest answer accepted, in the feed's decimals, inclusive, above zero.
    /// @param maxAnswer Highest answer accepted, in the feed's decimals, inclusive.
    /// @return answer USD per asset in the feed's decimals, or 0 when there is no price.
    function price(
        address feed,
        uint256 heartbeat,
        uint256 minAnswer,
        uint256 maxAnswer
    ) internal view returns (uint256 answer) {
        (bool isKnown, int256 raw, , uint256 updatedAt) = GuardedQuery.latestRound(feed);
        if (!isKnown || raw <= 0) return 0;
        // The age is taken of what is not dated in the future.
        unchecked {
            if (updatedAt > block.timestamp || block.timestamp - updatedAt > heartbeat) return 0;
        }

        answer = uint256(raw);
        if (answer < minAnswer || answer > maxAnswer) return 0;
    }

    /// @notice True when `sequencerFeed` reports a sequencer that has been up for longer than the grace period.
    function isSequencerUp(address sequencerFeed) internal view returns (bool) {
        (bool isKnown, int256 answer, uint256 startedAt, ) = GuardedQuery.latestRound(sequencerFeed);
        if (!isKnown || answer != 0) return false;
        if (startedAt == 0 || startedAt > block.timestamp) return false;
        return block.timestamp - startedAt > SEQUENCER_GRACE_PERIOD;
    }
}
