// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Selector list
/// @notice Ascending selectors of four bytes each, back to back.
library SelectorList {
    /// @notice True when `list` has `selector`.
    function contains(bytes memory list, bytes4 selector) internal pure returns (bool) {
        // Indexes of a list in memory.
        unchecked {
            uint256 low;
            uint256 high = list.length / 4;
            while (low < high) {
                uint256 middle = (low + high) / 2;
                bytes4 found;
                assembly ("memory-safe") {
                    found := and(mload(add(add(list, 0x20), shl(2, middle))), shl(224, 0xffffffff))
                }
                if (found == selector) return true;
                if (found < selector) low = middle + 1;
                else high = middle;
            }
            return false;
        }
    }
}
