// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @notice A protocol that keeps what it was called with, and what it was allowed to take meanwhile.
contract RecordingProtocol {
    using SafeERC20 for IERC20;

    struct Visit {
        uint256 value;
        uint256 allowance;
    }

    Visit[] private _visits;
    bytes[] private _calls;

    receive() external payable {}

    fallback() external payable {
        _calls.push(msg.data);
    }

    /// @notice Keeps what it may take of `token`, and takes `amount` of it.
    function take(IERC20 token, uint256 amount) external payable {
        _visits.push(Visit(msg.value, token.allowance(msg.sender, address(this))));
        if (amount > 0) token.safeTransferFrom(msg.sender, address(this), amount);
    }

    /// @notice Gives `amount` of `token` back.
    function give(IERC20 token, uint256 amount) external {
        token.safeTransfer(msg.sender, amount);
    }

    function multicall(bytes[] calldata data) external payable {
        for (uint256 i; i < data.length; ++i) _calls.push(data[i]);
    }

    function multicall(uint256, bytes[] calldata data) external payable {
        for (uint256 i; i < data.length; ++i) _calls.push(data[i]);
    }

    function multicall(bytes32, bytes[] calldata data) external payable {
        for (uint256 i; i < data.length; ++i) _calls.push(data[i]);
    }

    function visits() external view returns (Visit[] memory) {
        return _visits;
    }

    /// @notice The inner calls of every multicall, as Solidity's own decoder reads them, and every call of an unknown function.
    function calls() external view returns (bytes[] memory) {
        return _calls;
    }
}
