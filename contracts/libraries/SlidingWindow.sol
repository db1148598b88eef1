// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Sliding 24-hour window
/// @notice Sums what was charged in the last 24 hours and counts the charges, in constant storage.
///
/// RULE. For every time t, everything charged in (t - 24 h, t] is counted at t. A charge is never released before it is 24 hours old
/// and always before it is 25 hours old: charges are kept in hourly lanes, and a lane leaves the sum as a whole, once its last second
/// is 24 hours old. So the sum is never too small and at most one hour late in getting smaller.
///
/// COST. 25 lanes, four to a word, and one head word. A charge in the hour of the former one touches two words. After a pause of any
/// length every lane word is touched at most once. Every word keeps a bit set, so that no charge ever pays for a word leaving zero.
///
/// WHY NOT a fixed period or a leaky bucket: both let twice the cap pass in some 24 hours. OpenZeppelin's `RateLimiter.SlidingWindow`
/// is exact, but writes a new word at every charge.
library SlidingWindow {
    /// @notice `amount` can not be kept in a lane. Callers cap far below this bound.
    error LaneOverflow(uint256 amount, uint256 max);

    /// @param total Sum of all lanes.
    /// @param count Number of charges in all lanes.
    /// @param hour Hour of the newest lane, in hours since the epoch.
    /// @param tag Bits that the window's user keeps in the same word; carried along unchanged.
    struct Head {
        uint56 total;
        uint16 count;
        uint32 hour;
        uint152 tag;
    }

    struct Window {
        Head head;
        uint256[7] lanes;
    }

    uint256 internal constant LANES = 25;
    uint256 internal constant MAX_TOTAL = type(uint48).max;
    uint256 internal constant MAX_COUNT = type(uint8).max;

    uint256 private constant LANES_PER_WORD = 4;
    uint256 private constant LANE_BITS = 56;
    uint256 private constant LANE_MASK = (1 << LANE_BITS) - 1;
    uint256 private constant COUNT_BITS = 8;
    /// Above the four lanes; keeps a word of empty lanes from being zero.
    uint256 private constant OCCUPIED = 1 << 255;

    /// @notice Starts an empty window at `time` (seconds).
    function start(Window storage self, uint256 time) internal {
        self.head = Head({total: 0, count: 0, hour: uint32(time / 1 hours), tag: 0});
        for (uint256 i; i < self.lanes.length; ++i) self.lanes[i] = OCCUPIED;
    }

    /// @notice What is counted at `time` (seconds, not before the last charge): the head with everything released that is old enough.
    /// @return head The rolled head; nothing is written.
    function rolled(Window storage self, uint256 time) internal view returns (Head memory head) {
        head = self.head;
        uint256 hour = time / 1 hours;
        uint256 passed = hour - head.hour;
        if (passed == 0) return head;

        head.hour = uint32(hour);
        if (passed >= LANES) {
            head.total = 0;
            head.count = 0;
            return head;
        }

        uint256 word;
        uint256 loaded = type(uint256).max;
        for (uint256 lane = hour + 1 - passed; lane <= hour; ++lane) {
            (uint256 index, uint256 shift) = _position(lane);
            if (index != loaded) {
                word = self.lanes[index];
                loaded = index;
            }
            uint256 released = (word >> shift) & LANE_MASK;
            head.total -= uint56(released >> COUNT_BITS);
            head.count -= uint16(released & MAX_COUNT);
        }
    }

    /// @notice Charges `amount` and one count at `time` (seconds, not before the last charge) and stores `tag` beside them.
    /// @dev The caller has compared the amount with its cap; the bounds here only keep a lane from running over.
    function charge(Window storage self, uint256 amount, uint152 tag, uint256 time) internal {
        Head memory head = rolled(self, time);
        if (amount > MAX_TOTAL - head.total) revert LaneOverflow(amount, MAX_TOTAL - head.total);
        uint256 count = uint256(head.count) + 1;
        if (count > MAX_COUNT) revert LaneOverflow(count, MAX_COUNT);

        (uint256 current, uint256 shift) = _position(head.hour);
        uint256 added = ((amount << COUNT_BITS) | 1) << shift;
        uint256 passed = head.hour - self.head.hour;
        if (passed == 0) {
            self.lanes[current] += added;
        } else {
            _clear(self, head.hour, passed < LANES ? passed : LANES, current, added);
        }
        self.head = Head({total: uint56(head.total + amount), count: uint16(count), hour: head.hour, tag: tag});
    }

    /// Empties the `passed` lanes that end with `hour`, and adds to the lane of `hour`, writing each word that changes once.
    function _clear(Window storage self, uint256 hour, uint256 passed, uint256 current, uint256 added) private {
        uint256[7] memory keep;
        for (uint256 lane = hour + 1 - passed; lane <= hour; ++lane) {
            (uint256 index, uint256 shift) = _position(lane);
            keep[index] |= LANE_MASK << shift;
        }
        for (uint256 i; i < keep.length; ++i) {
            if (keep[i] == 0) continue;
            uint256 word = self.lanes[i];
            uint256 next = word & ~keep[i];
            if (i == current) next += added;
            if (next != word) self.lanes[i] = next;
        }
    }

    function _position(uint256 hour) private pure returns (uint256 index, uint256 shift) {
        uint256 lane = hour % LANES;
        return (lane / LANES_PER_WORD, (lane % LANES_PER_WORD) * LANE_BITS);
    }
}
