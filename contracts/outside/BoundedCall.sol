// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Bounded calls
/// @notice Calls of hostile contracts that copy at most 256 bytes of what comes back: a long answer cannot burn the caller's gas.
library BoundedCall {
    uint256 internal constant MAX_REASON = 256;

    /// @return success False when the call reverted; `reason` then has why.
    function call(address target, uint256 value, bytes memory data) internal returns (bool success) {
        assembly ("memory-safe") {
            success := call(gas(), target, value, add(data, 0x20), mload(data), 0, 0)
        }
    }

    /// @notice Calls a token function that answers true or, as many tokens do, nothing.
    /// @return success False when the token reverts, answers anything else, or is not there.
    function erc20(address token, bytes memory data) internal returns (bool success) {
        assembly ("memory-safe") {
            success := call(gas(), token, 0, add(data, 0x20), mload(data), 0, 0x20)
            if success {
                switch returndatasize()
                case 0 {
                    success := gt(extcodesize(token), 0)
                }
                default {
                    success := and(gt(returndatasize(), 0x1f), eq(mload(0), 1))
                }
            }
        }
    }

    /// @notice What the last call came back with, cut at 256 bytes.
    function reason() internal pure returns (bytes memory data) {
        assembly ("memory-safe") {
            let size := returndatasize()
            if gt(size, MAX_REASON) {
                size := MAX_REASON
            }
            data := mload(0x40)
            mstore(data, size)
            returndatacopy(add(data, 0x20), 0, size)
            mstore(0x40, and(add(add(data, size), 0x3f), not(0x1f)))
        }
    }
}
