// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title MultiSend reader
/// @notice The calls of a batch for Safe's MultiSendCallOnly. Accepts a strict subset of what that contract accepts, plain encoding and
/// whole entries, so that it makes the calls that were read.
library MultiSendReader {
    /// @notice keccak256 of the runtime code of MultiSendCallOnly 1.5.0, the same on every network.
    bytes32 internal constant CODE_HASH = 0xcdbdcec38d2f1c7d961b0029ff8416b7e86e9974d6f0e9c9580c7d17fcfb6663;
    /// `multiSend(bytes)`
    bytes4 private constant MULTI_SEND = 0x8d80ff0a;
    /// Operation, target, value and length of the calldata.
    uint256 private constant HEAD = 85;
    /// Selector, offset and length before the entries.
    uint256 private constant START = 68;

    /// @notice Where the entries of a batch end.
    /// @return isValid False when `data` is no batch, or not encoded plainly, or empty.
    function bounds(bytes memory data) internal pure returns (bool isValid, uint256 start, uint256 end) {
        if (data.length < START || bytes4(data) != MULTI_SEND || _word(data, 4) != 0x20) return (false, 0, 0);
        uint256 length = _word(data, 36);
        if (length == 0 || length > data.length - START) return (false, 0, 0);

        return (true, START, START + length);
    }

    /// @notice The entry at `start`.
    /// @param self What an entry for nobody is for: the Safe.
    /// @return isValid False when it is no call, or does not end by `end`.
    /// @return to Whom it calls.
    /// @return selector First four bytes of what it sends; zero where there are fewer.
    /// @return size How many bytes it sends.
    /// @return next Where the following entry starts.
    function entry(
        bytes memory data,
        uint256 start,
        uint256 end,
        address self
    ) internal pure returns (bool isValid, address to, bytes4 selector, uint256 size, uint256 next) {
        if (end - start < HEAD || data[start] != 0) return (false, to, selector, size, next);
        size = _word(data, start + 53);
        if (size > end - start - HEAD) return (false, to, selector, size, next);

        to = address(uint160(_word(data, start + 1) >> 96));
        if (to == address(0)) to = self;
        next = start + HEAD + size;
        if (size >= 4) selector = bytes4(bytes32(_word(data, start + HEAD)));
        isValid = true;
    }

    function _word(bytes memory data, uint256 offset) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(add(add(data, 0x20), offset))
        }
    }
}
