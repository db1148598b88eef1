// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {NATIVE} from "../../interfaces/Types.sol";

/// @notice Everything a protocol can do to an account, in one contract: it trades at any price, pays anyone, takes all it may, calls
/// back, fakes errors, answers with a megabyte and accepts every selector. It remembers which of its functions one caller reached.
contract HostileVenue {
    using SafeERC20 for IERC20;

    address public watched;
    bytes4[] private _received;
    /// Calls of `watched` since `forget` that name no function.
    uint256 public shortCalls;

    address public target;
    bytes public data;
    bool public hasReentered;
    bool public wasRefused;
    bytes public refusal;

    modifier recorded() {
        if (msg.sender == watched) {
            if (msg.data.length < 4) ++shortCalls;
            else _received.push(msg.sig);
        }
        _;
    }

    receive() external payable recorded {}

    /// @notice Any selector will do, approve and its kin among them.
    fallback() external payable recorded {}

    // ── What a test tells it ──

    /// @notice Remembers what `watched_` calls from now on.
    function watch(address watched_) external {
        watched = watched_;
    }

    /// @notice What `reenter` calls.
    function set(address target_, bytes calldata data_) external {
        target = target_;
        data = data_;
    }

    /// @notice Forgets calls and answers.
    function forget() external {
        delete _received;
        shortCalls = 0;
        hasReentered = false;
        wasRefused = false;
    }

    /// @notice Selectors that the watched account called since `forget`, those inside a multicall too.
    function received() external view returns (bytes4[] memory) {
        return _received;
    }

    // ── What a golem asks of it ──

    /// @notice Takes `amountIn` of `tokenIn` from the caller and gives `amountOut` of `tokenOut` to `recipient`.
    function swap(
        address tokenIn,
        uint256 amountIn,
        address tokenOut,
        uint256 amountOut,
        address recipient
    ) external payable recorded {
        if (tokenIn != NATIVE && amountIn > 0) IERC20(tokenIn).safeTransferFrom(msg.sender, address(this), amountIn);
        if (amountOut == 0) return;
        if (tokenOut != NATIVE) return IERC20(tokenOut).safeTransfer(recipient, amountOut);
        (bool sent, ) = recipient.call{value: amountOut}("");
        require(sent, "not sent");
    }

    /// @notice Takes all of `token` that the caller approved.
    function pull(address token) external recorded {
        uint256 approved = IERC20(token).allowance(msg.sender, address(this));
        uint256 held = IERC20(token).balanceOf(msg.sender);
        IERC20(token).safeTransferFrom(msg.sender, address(this), approved < held ? approved : held);
    }

    /// @notice Takes `amount` from anyone who approved, at any time.
    function pullFrom(address token, address holder, uint256 amount) external {
        IERC20(token).safeTransferFrom(holder, address(this), amount);
    }

    /// @notice Calls back what it was told to, and remembers the answer.
    function reenter() external payable recorded {
        (bool success, bytes memory reason) = target.call(data);
        hasReentered = true;
        wasRefused = !success;
        refusal = reason;
    }

    /// @notice Reverts with `reason`: a cage's error, if asked to.
    function fail(bytes calldata reason) external recorded {
        bytes memory copy = reason;
        assembly {
            revert(add(copy, 0x20), mload(copy))
        }
    }

    /// @notice Answers with a megabyte.
    function bomb() external recorded {
        assembly {
            return(0, 1000000)
        }
    }

    // ── Periphery ──

    function multicall(bytes[] calldata calls) public payable recorded {
        for (uint256 i; i < calls.length; ++i) {
            (bool success, ) = address(this).delegatecall(calls[i]);
            require(success, "inner call failed");
        }
    }

    function multicall(uint256, bytes[] calldata calls) external payable {
        multicall(calls);
    }

    function multicall(bytes32, bytes[] calldata calls) external payable {
        multicall(calls);
    }
}
