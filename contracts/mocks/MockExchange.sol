// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {NATIVE} from "../interfaces/Types.sol";

/// @notice A venue whose price the caller names: it takes and gives what it is told. Holds an inventory of every asset.
contract MockExchange {
    using SafeERC20 for IERC20;

    receive() external payable {}

    /// @notice Takes `amountIn` of `tokenIn` from the caller and gives `amountOut` of `tokenOut` to `recipient`.
    function swap(
        address tokenIn,
        uint256 amountIn,
        address tokenOut,
        uint256 amountOut,
        address recipient
    ) public payable {
        if (tokenIn != NATIVE && amountIn > 0) IERC20(tokenIn).safeTransferFrom(msg.sender, address(this), amountIn);
        if (amountOut == 0) return;
        if (tokenOut == NATIVE) {
            (bool sent, ) = recipient.call{value: amountOut}("");
            require(sent, "not sent");
        } else {
            IERC20(tokenOut).safeTransfer(recipient, amountOut);
        }
    }

    /// @notice A function that no test whitelists.
    function other() external payable {}

    /// @notice Runs `data` on itself call by call, as periphery contracts do.
    function multicall(bytes[] calldata data) public payable {
        for (uint256 i; i < data.length; ++i) {
            (bool success, ) = address(this).delegatecall(data[i]);
            require(success, "inner call failed");
        }
    }

    function multicall(uint256 deadline, bytes[] calldata data) external payable {
        require(block.timestamp <= deadline, "too late");
        multicall(data);
    }

    function multicall(bytes32, bytes[] calldata data) external payable {
        multicall(data);
    }
}
