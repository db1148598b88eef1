// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Sliding 24-hour window
/// @notice Sums what was charged in the last 24 hours and counts the charges, in constant storage.
///
/// RULE. For every time t, everything charged in (t - 24 h, t] is counted at t. A charge is never released before it is 24 hours old,
/// and at 25 hours at the latest: charges are kept by the hour, and an hour leaves the sum as a whole, once its last second is 24 hours
/// old. So the sum is never too small, and at most one hour late in getting smaller.
///
/// LAYOUT. A lane holds what was charged: the number of charges 8 · their sum 48, from the low bits up, so that lanes add up like numbers.
/// The running hour's lane stands in the head word beside the lane of all that counts. Hours that are over stand in lanes of their own,
/// four to a word, and each word carries the number of its four hours (its block): a word of another block is stale and counts for
/// nothing, so that no lane is ever emptied. The 24 hours before the running one reach into seven blocks at most, one word each.
///
/// COST. A charge in the hour of the former one writes the head; the first one of an hour writes the former hour's word too. Releasing only
/// reads, seven words at most, whatever the history or the pause. No word is ever zero, so none is ever paid for twice.
///
/// WHY NOT a fixed period or a leaky bucket: both let twice the cap pass in some 24 hours. OpenZeppelin's `RateLimiter.SlidingWindow`
/// is exact, but writes a new word at every charge.
library SlidingWindow {
    /// @notice `amount`, or the number of charges, is more than a lane can hold. Callers cap far below this bound.
    error LaneOverflow(uint256 amount, uint256 max);

    /// @dev The head word, from the low bits up: lane of all that counts 56 · lane of the running hour 56 · the running hour, in hours since
    /// the epoch, 24 · tag 120, which belongs to whoever uses the window and is carried along unchanged.
    type Head is uint256;

    /// @dev One word, from the low bits up: four lanes of 56 · number of the block 32.
    struct Block {
        uint256 word;
    }

    struct Window {
        Head head;
        Block[7] blocks;
    }

    uint256 internal constant MAX_TOTAL = type(uint48).max;
    uint256 internal constant MAX_COUNT = type(uint8).max;

    uint256 private constant WINDOW = 24;
    uint256 private constant WORDS = 7;
    uint256 private constant LANES = 4;
    uint256 private constant LANE_BITS = 56;
    uint256 private constant COUNT_BITS = 8;
    uint256 private constant HOUR_SHIFT = 112;
    uint256 private constant TAG_SHIFT = 136;
    /// The block stands above the four lanes.
    uint256 private constant BLOCK_SHIFT = 224;

    /// @notice Starts an empty window at `time` (seconds).
    function start(Window storage self, uint256 time) internal {
        self.head = Head.wrap((time / 1 hours) << HOUR_SHIFT);
        // Any long gone block will do: the words only must not be zero.
        for (uint256 i; i < WORDS; ++i) self.blocks[i].word = 1 << BLOCK_SHIFT;
    }

    /// @notice What is counted at `time` (seconds, not before the last charge): the head with everything released that is old enough.
    /// @return head The rolled head; nothing is written.
    function rolled(Window storage self, uint256 time) internal view returns (Head head) {
        head = self.head;
        // Hours only grow, and 24 bits of them last until the year 3883. What leaves the sum is part of it: no field borrows from another.
        unchecked {
            uint256 hour = time / 1 hours;
            uint256 former = _hour(head);
            if (hour == former) return head;

            uint256 word = Head.unwrap(head) + ((hour - former) << HOUR_SHIFT);
            uint256 counted = _counted(head);
            if (counted == 0) return Head.wrap(word);

            uint256 running = _running(head);
            word -= running << LANE_BITS;
            if (hour - former > WINDOW) word -= counted;
            else if (counted != running) word -= _ended(self, former - WINDOW, hour - WINDOW);
            return Head.wrap(word);
        }
    }

    /// @notice Charges `amount` and one count now and stores `newTag` beside them.
    /// @dev The caller has compared the amount with its cap; the bounds here only keep a lane from running over.
    /// @param head What `rolled` returned for this very moment.
    function charge(Window storage self, Head head, uint256 amount, uint120 newTag) internal {
        // Compared with what a lane holds before anything is added; the running hour is part of the sum.
        unchecked {
            uint256 space = MAX_TOTAL - total(head);
            if (amount > space) revert LaneOverflow(amount, space);
            if (count(head) == MAX_COUNT) revert LaneOverflow(MAX_COUNT + 1, MAX_COUNT);

            _charge(self, head, (amount << COUNT_BITS) | 1, newTag);
        }
    }

    /// @notice As `charge`, but counts nothing and leaves the tag.
    function add(Window storage self, Head head, uint256 amount) internal {
        uint256 space = MAX_TOTAL - total(head);
        if (amount > space) revert LaneOverflow(amount, space);

        _charge(self, head, amount << COUNT_BITS, tag(head));
    }

    /// @notice Stores `newTag` in place of the tag.
    function setTag(Window storage self, uint120 newTag) internal {
        self.head = _tagged(Head.unwrap(self.head), newTag);
    }

    /// @notice What was charged in `hour`, in hours since the epoch, as far as it still counts in the hour of `time`.
    function chargedIn(
        Window storage self,
        uint256 hour,
        uint256 time
    ) internal view returns (uint256 amount, uint256 charges) {
        if (hour + WINDOW < time / 1 hours) return (0, 0);
        uint256 lane;
        if (hour == _hour(self.head)) {
            lane = _running(self.head);
        } else {
            uint256 word = self.blocks[(hour / LANES) % WORDS].word;
            if (word >> BLOCK_SHIFT == hour / LANES) lane = uint56(word >> ((hour % LANES) * LANE_BITS));
        }
        return (lane >> COUNT_BITS, uint8(lane));
    }

    /// @return Sum of the charges that count.
    function total(Head head) internal pure returns (uint256) {
        return uint48(Head.unwrap(head) >> COUNT_BITS);
    }

    /// @return Number of the charges that count.
    function count(Head head) internal pure returns (uint256) {
        return uint8(Head.unwrap(head));
    }

    /// @return The bits of whoever uses the window.
    function tag(Head head) internal pure returns (uint120) {
        return uint120(Head.unwrap(head) >> TAG_SHIFT);
    }

    function _charge(Window storage self, Head head, uint256 lane, uint120 newTag) private {
        // The caller has seen that no lane runs over.
        unchecked {
            // The first charge of an hour: the former charge's hour still stands in the stored head, unless all of it is released.
            if (_running(head) == 0 && _counted(head) != 0) _keep(self);
            self.head = _tagged(Head.unwrap(head) + lane + (lane << LANE_BITS), newTag);
        }
    }

    function _counted(Head head) private pure returns (uint256) {
        return uint56(Head.unwrap(head));
    }

    function _running(Head head) private pure returns (uint256) {
        return uint56(Head.unwrap(head) >> LANE_BITS);
    }

    function _hour(Head head) private pure returns (uint256) {
        return uint24(Head.unwrap(head) >> HOUR_SHIFT);
    }

    function _tagged(uint256 word, uint120 newTag) private pure returns (Head) {
        return Head.wrap(uint136(word) | (uint256(newTag) << TAG_SHIFT));
    }

    /// What the lanes of the hours from `first` up to and without `end` hold together.
    function _ended(Window storage self, uint256 first, uint256 end) private view returns (uint256 lanes) {
        unchecked {
            while (first < end) {
                uint256 number = first / LANES;
                uint256 next = (number + 1) * LANES;
                if (next > end) next = end;
                uint256 word = self.blocks[number % WORDS].word;
                if (word >> BLOCK_SHIFT == number) {
                    for (uint256 hour = first; hour < next; ++hour) {
                        lanes += uint56(word >> ((hour % LANES) * LANE_BITS));
                    }
                }
                first = next;
            }
        }
    }

    /// Writes the stored head's hour, which is over, into its lane.
    function _keep(Window storage self) private {
        Head head = self.head;
        unchecked {
            uint256 hour = _hour(head);
            uint256 number = hour / LANES;
            Block storage kept = self.blocks[number % WORDS];
            uint256 word = kept.word;
            if (word >> BLOCK_SHIFT != number) word = number << BLOCK_SHIFT;
            kept.word = word | (_running(head) << ((hour % LANES) * LANE_BITS));
        }
    }
}
