// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Sliding 24-hour window
/// @notice Sums what was charged in the last 24 hours and counts the charges, in constant storage.
///
/// RULE. For every time t, everything charged in (t - 24 h, t] is counted at t. A charge is never released before it is 24 hours old,
/// and at 25 hours at the latest: charges are kept by the hour, and an hour leaves the sum as a whole, once its last second is 24 hours
/// old. So the sum is never too small, and at most one hour late in getting smaller.
///
/// LAYOUT. The running hour stands in the head word beside the sum. Hours that are over stand in lanes, four to a word, and each word
/// carries the number of its four hours (its block): a word of another block is stale and counts for nothing, so that no lane is ever
/// emptied. The 24 hours before the running one reach into seven blocks at most, one word each.
///
/// COST. A charge in the hour of the former one writes the head; the first one of an hour writes the former hour's word too. Releasing only
/// reads, seven words at most, whatever the history or the pause. No word is ever zero, so none is ever paid for twice.
///
/// WHY NOT a fixed period or a leaky bucket: both let twice the cap pass in some 24 hours. OpenZeppelin's `RateLimiter.SlidingWindow`
/// is exact, but writes a new word at every charge.
library SlidingWindow {
    /// @notice `amount`, or the number of charges, is more than a lane can hold. Callers cap far below this bound.
    error LaneOverflow(uint256 amount, uint256 max);

    /// @param total Sum of the lanes and the running hour.
    /// @param count Number of charges in the lanes and the running hour.
    /// @param hour The running hour, in hours since the epoch.
    /// @param hourTotal Sum of the running hour.
    /// @param hourCount Number of charges in the running hour.
    /// @param tag Bits that the window's user keeps in the same word; carried along unchanged.
    struct Head {
        uint48 total;
        uint8 count;
        uint24 hour;
        uint48 hourTotal;
        uint8 hourCount;
        uint120 tag;
    }

    struct Window {
        Head head;
        uint256[7] words;
    }

    uint256 internal constant MAX_TOTAL = type(uint48).max;
    uint256 internal constant MAX_COUNT = type(uint8).max;

    uint256 private constant WINDOW = 24;
    uint256 private constant WORDS = 7;
    uint256 private constant LANES = 4;
    uint256 private constant LANE_BITS = 56;
    uint256 private constant LANE_MASK = (1 << LANE_BITS) - 1;
    uint256 private constant COUNT_BITS = 8;
    /// The block stands above the four lanes.
    uint256 private constant BLOCK_SHIFT = LANES * LANE_BITS;

    /// @notice Starts an empty window at `time` (seconds).
    function start(Window storage self, uint256 time) internal {
        self.head = Head({total: 0, count: 0, hour: uint24(time / 1 hours), hourTotal: 0, hourCount: 0, tag: 0});
        // Any long gone block will do: the words only must not be zero.
        for (uint256 i; i < WORDS; ++i) self.words[i] = 1 << BLOCK_SHIFT;
    }

    /// @notice What is counted at `time` (seconds, not before the last charge): the head with everything released that is old enough.
    /// @return head The rolled head; nothing is written.
    function rolled(Window storage self, uint256 time) internal view returns (Head memory head) {
        head = self.head;
        // Hours only grow, and a lane is part of the sum.
        unchecked {
            uint256 hour = time / 1 hours;
            uint256 former = head.hour;
            if (hour == former) return head;

            head.hour = uint24(hour);
            if (head.count == 0) return head;

            if (hour - former > WINDOW) {
                head.total = 0;
                head.count = 0;
            } else if (head.count != head.hourCount) {
                _release(self, head, former - WINDOW, hour - WINDOW);
            }
            head.hourTotal = 0;
            head.hourCount = 0;
        }
    }

    /// @notice Charges `amount` and one count now and stores `tag` beside them.
    /// @dev The caller has compared the amount with its cap; the bounds here only keep a lane from running over.
    /// @param head What `rolled` returned for this very moment.
    function charge(Window storage self, Head memory head, uint256 amount, uint120 tag) internal {
        if (amount > MAX_TOTAL - head.total) revert LaneOverflow(amount, MAX_TOTAL - head.total);
        if (head.count >= MAX_COUNT) revert LaneOverflow(uint256(head.count) + 1, MAX_COUNT);

        uint256 former = self.head.hour;
        if (former != head.hour && self.head.hourCount != 0) _keep(self, former);
        // The sums were just compared with what a lane holds.
        unchecked {
            self.head = Head({
                total: uint48(head.total + amount),
                count: head.count + 1,
                hour: head.hour,
                hourTotal: uint48(head.hourTotal + amount),
                hourCount: head.hourCount + 1,
                tag: tag
            });
        }
    }

    /// Takes the hours from `first` up to and without `end` out of the sum.
    function _release(Window storage self, Head memory head, uint256 first, uint256 end) private view {
        unchecked {
            while (first < end) {
                uint256 number = first / LANES;
                uint256 next = (number + 1) * LANES;
                if (next > end) next = end;
                uint256 word = self.words[number % WORDS];
                if (word >> BLOCK_SHIFT == number) {
                    for (uint256 hour = first; hour < next; ++hour) {
                        uint256 lane = (word >> ((hour % LANES) * LANE_BITS)) & LANE_MASK;
                        head.total -= uint48(lane >> COUNT_BITS);
                        head.count -= uint8(lane);
                    }
                }
                first = next;
            }
        }
    }

    /// Writes the hour that is over into its lane.
    function _keep(Window storage self, uint256 hour) private {
        unchecked {
            uint256 number = hour / LANES;
            uint256 lane = (uint256(self.head.hourTotal) << COUNT_BITS) | self.head.hourCount;
            uint256 word = self.words[number % WORDS];
            if (word >> BLOCK_SHIFT != number) word = number << BLOCK_SHIFT;
            self.words[number % WORDS] = word | (lane << ((hour % LANES) * LANE_BITS));
        }
    }
}
