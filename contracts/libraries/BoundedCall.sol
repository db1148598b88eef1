// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Bounded calls
/// @notice Calls of hostile contracts that copy at most 256 bytes of what comes back: a long answer can not burn the caller's gas.
library BoundedCall {
    uint256 internal constant MAX_COPY = 256;

    /// @return success False when the call reverted.
    /// @return answer At most 256 bytes of the return or revert data.
    function call(
        address target,
        uint256 value,
        bytes memory data
    ) internal returns (bool success, bytes memory answer) {
        assembly ("memory-safe") {
            success := call(gas(), target, value, add(data, 0x20), mload(data), 0, 0)
        }
        answer = _copy();
    }

    /// @notice As `call`, read-only.
    function query(address target, bytes memory data) internal view returns (bool success, bytes memory answer) {
        assembly ("memory-safe") {
            success := staticcall(gas(), target, add(data, 0x20), mload(data), 0, 0)
        }
        answer = _copy();
    }

    /// @notice Calls a token function that answers true or, as many tokens do, nothing.
    /// @return success False when the token reverts, answers anything else, or is not there.
    function erc20(address token, bytes memory data) internal returns (bool success, bytes memory answer) {
        (success, answer) = call(token, 0, data);
        if (!success) return (false, answer);
        success = answer.length == 0 ? token.code.length > 0 : answer.length >= 32 && bytes32(answer) == bytes32(uint256(1));
    }

    /// @notice `data`, cut at 256 bytes.
    function cut(bytes memory data) internal pure returns (bytes memory) {
        if (data.length > MAX_COPY) {
            assembly ("memory-safe") {
                mstore(data, MAX_COPY)
            }
        }
        return data;
    }

    function _copy() private pure returns (bytes memory answer) {
        assembly ("memory-safe") {
            let size := returndatasize()
            if gt(size, MAX_COPY) {
                size := MAX_COPY
            }
            answer := mload(0x40)
            mstore(answer, size)
            returndatacopy(add(answer, 0x20), 0, size)
            mstore(0x40, and(add(add(answer, size), 0x3f), not(0x1f)))
        }
    }
}
