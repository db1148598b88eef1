// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Multicall reader
/// @notice The inner calls of the three multicall forms in use. Accepts a strict subset of what an ABI decoder accepts: every offset
/// and length lies inside the calldata, so the target reads the same calls as the cage does.
library MulticallReader {
    /// `multicall(bytes[])`
    bytes4 private constant PLAIN = 0xac9650d8;
    /// `multicall(uint256,bytes[])`, with a deadline
    bytes4 private constant WITH_DEADLINE = 0x5ae401dc;
    /// `multicall(bytes32,bytes[])`, with the former block's hash
    bytes4 private constant WITH_BLOCK_HASH = 0x1f0464d1;

    uint256 private constant WORD = 32;

    function isMulticall(bytes4 selector) internal pure returns (bool) {
        return selector == PLAIN || selector == WITH_DEADLINE || selector == WITH_BLOCK_HASH;
    }

    /// @notice Where the inner calls of `data` stand.
    /// @param data Calldata that begins with a multicall selector.
    /// @return count Number of inner calls; 0 when there are none or the calldata is malformed.
    /// @return list Offset of the array's first element word in `data`.
    function calls(bytes calldata data) internal pure returns (uint256 count, uint256 list) {
        uint256 head = bytes4(data) == PLAIN ? 4 : 4 + WORD;
        if (data.length < head + WORD) return (0, 0);

        uint256 offset = _word(data, head);
        if (offset > data.length - 4 || data.length - 4 - offset < WORD) return (0, 0);

        list = 4 + offset + WORD;
        count = _word(data, 4 + offset);
        if (count > (data.length - list) / WORD) return (0, 0);
    }

    /// @notice Inner call `index` of the array at `list`.
    /// @return isValid False when it does not lie inside `data`.
    function item(
        bytes calldata data,
        uint256 list,
        uint256 index
    ) internal pure returns (bool isValid, bytes calldata inner) {
        inner = data[0:0];
        uint256 space = data.length - list;
        uint256 offset = _word(data, list + index * WORD);
        if (offset > space || space - offset < WORD) return (false, inner);

        uint256 start = list + offset + WORD;
        uint256 length = _word(data, list + offset);
        if (length > data.length - start) return (false, inner);

        return (true, data[start:start + length]);
    }

    function _word(bytes calldata data, uint256 offset) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := calldataload(add(data.offset, offset))
        }
    }
}
