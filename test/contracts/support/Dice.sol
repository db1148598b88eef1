// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice A reproducible stream of numbers: whatever a test leaves to chance follows from one seed.
library Dice {
    struct Cup {
        uint256 seed;
    }

    function roll(Cup memory cup) internal pure returns (uint256) {
        cup.seed = uint256(keccak256(abi.encode(cup.seed)));
        return cup.seed;
    }

    /// @return A number from `low` to `high`, both included.
    function between(Cup memory cup, uint256 low, uint256 high) internal pure returns (uint256) {
        return low + (roll(cup) % (high - low + 1));
    }

    /// @return True once in `chances`.
    function oneIn(Cup memory cup, uint256 chances) internal pure returns (bool) {
        return roll(cup) % chances == 0;
    }

    /// @return One of `list`.
    function pick(Cup memory cup, address[] memory list) internal pure returns (address) {
        return list[roll(cup) % list.length];
    }

    /// @return Seconds to the next step: often none or few, sometimes about an hour, a day, 25 hours or weeks.
    function jump(Cup memory cup, uint256 time) internal pure returns (uint256) {
        uint256 kind = roll(cup) % 10;
        if (kind == 0) return 0;
        if (kind == 1) return between(cup, 1, 59);
        if (kind <= 3) return between(cup, 1 minutes, 59 minutes);
        // Onto the turn of an hour, and one second before and after it.
        if (kind == 4) return 1 hours - (time % 1 hours);
        if (kind == 5) return between(cup, 1 hours - 2, 1 hours + 2);
        if (kind == 6) return between(cup, 1 hours, 6 hours);
        if (kind == 7) return between(cup, 24 hours - 2, 24 hours + 2);
        if (kind == 8) return between(cup, 20 hours, 26 hours);
        return between(cup, 1 days, 5 weeks);
    }
}
