// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ICagedAccount} from "./interfaces/ICagedAccount.sol";
import {IPolicyCageExtension} from "./interfaces/IPolicyCageExtension.sol";
import {Call, NATIVE, Trade, TradeInput} from "./interfaces/Types.sol";
import {BoundedCall} from "./outside/BoundedCall.sol";
import {GuardedQuery} from "./outside/GuardedQuery.sol";

/// @title CagedAccount
/// @notice The account a golem trades for. It holds the funds, does what its cage lets through, and nothing else.
///
/// GOLEM. Every call is made between the cage's two enforcement functions. The account approves exactly what a trade names, for the
/// time of that call, and clears what is left; a standing approval of the owner for the same asset and protocol does not survive.
///
/// OWNER. Whoever owns the cage. Withdrawing and unwinding run under the same lock as an execution, outside every cap.
///
/// SIGNATURES. None is ever valid: no Permit, no Permit2, no off-chain order.
contract CagedAccount is ICagedAccount {
    IPolicyCageExtension private immutable _cage;

    modifier onlyOwner() {
        if (msg.sender != Ownable(address(_cage)).owner()) revert NotOwner(msg.sender);
        _;
    }

    /// @notice The creator is the cage.
    constructor() {
        _cage = IPolicyCageExtension(msg.sender);
    }

    /// @notice Native currency comes in from unwrapping, refunds and deposits.
    receive() external payable {}

    // ── Golem ──

    /// @inheritdoc ICagedAccount
    function execute(Trade[] calldata trades) external {
        _execute(msg.sender, trades);
    }

    /// @inheritdoc ICagedAccount
    function attempt(Trade[] calldata trades) external returns (bool isExecuted) {
        if (trades.length == 0) revert EmptyExecution();
        _cage.requireSession(msg.sender);

        try this.executeAs(msg.sender, trades) {
            return true;
        } catch (bytes memory reason) {
            _cage.recordViolation(msg.sender, reason);
            return false;
        }
    }

    /// @inheritdoc ICagedAccount
    function executeAs(address golem, Trade[] calldata trades) external {
        if (msg.sender != address(this)) revert NotSelf(msg.sender);
        _execute(golem, trades);
    }

    /// @inheritdoc ICagedAccount
    function transferOut(address asset, uint256 amount, address recipient) external {
        _cage.beforeTransfer(msg.sender, asset, recipient);

        if (asset == NATIVE) {
            _send(0, recipient, amount, "");
        } else {
            (, uint256 held) = GuardedQuery.balanceOf(asset, recipient);
            _transfer(asset, recipient, amount);
            (, uint256 holds) = GuardedQuery.balanceOf(asset, recipient);
            uint256 received = Math.saturatingSub(holds, held);
            if (received != amount) revert TransferShort(received, amount);
        }

        _cage.afterTransfer();
    }

    // ── Owner ──

    /// @inheritdoc ICagedAccount
    function withdraw(address asset, uint256 amount, address recipient) external onlyOwner {
        if (recipient == address(0)) revert InvalidRecipient(recipient);

        _cage.beforeOwnerAction();
        emit Withdrawn(asset, recipient, amount);
        if (asset == NATIVE) _send(0, recipient, amount, "");
        else _transfer(asset, recipient, amount);
        _cage.afterOwnerAction();
    }

    /// @inheritdoc ICagedAccount
    function ownerExecute(Call[] calldata calls) external onlyOwner returns (bytes[] memory results) {
        if (calls.length == 0) revert EmptyExecution();

        _cage.beforeOwnerAction();
        emit OwnerExecuted(calls.length);
        results = new bytes[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            address target = calls[i].target;
            if (target == address(_cage) || target == address(this)) revert TargetRefused(target);
            bool success;
            (success, results[i]) = target.call{value: calls[i].value}(calls[i].data);
            if (!success) revert CallFailed(i, BoundedCall.reason());
        }
        _cage.afterOwnerAction();
    }

    // ── Views ──

    /// @inheritdoc ICagedAccount
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return 0xffffffff;
    }

    /// @inheritdoc ICagedAccount
    function cage() external view returns (address) {
        return address(_cage);
    }

    // ── Inside an execution ──

    function _execute(address golem, Trade[] calldata trades) private {
        if (trades.length == 0) revert EmptyExecution();

        _screen(golem, trades);
        for (uint256 i; i < trades.length; ++i) _trade(i, trades[i]);
        _cage.afterExecution();
    }

    /// Asks the cage with the calldata as it came, from the list of trades to its end. Every offset in it counts from a place in what is
    /// passed on, and none leads back or around: what the account reads is what the cage has read.
    function _screen(address golem, Trade[] calldata trades) private {
        for (uint256 i; i < trades.length; ++i) _requireForward(i, trades, trades[i]);

        address target = address(_cage);
        bytes4 selector = IPolicyCageExtension.beforeExecution.selector;
        assembly ("memory-safe") {
            // A list begins with its length, one word before its first element.
            let start := sub(trades.offset, 0x20)
            let size := sub(calldatasize(), start)
            let message := mload(0x40)
            mstore(message, selector)
            mstore(add(message, 0x04), shr(96, shl(96, golem)))
            mstore(add(message, 0x24), 0x40)
            calldatacopy(add(message, 0x44), start, size)
            if iszero(call(gas(), target, 0, message, add(size, 0x44), 0, 0)) {
                returndatacopy(message, 0, returndatasize())
                revert(message, returndatasize())
            }
        }
    }

    /// The trade lies behind the start of its list, and what it refers to behind its own start, neither farther than 2^32 bytes.
    function _requireForward(uint256 index, Trade[] calldata trades, Trade calldata trade) private pure {
        uint256 offsets;
        assembly ("memory-safe") {
            let data := calldataload(add(trade, 0x40))
            let inputs := calldataload(add(trade, 0x60))
            let outputs := calldataload(add(trade, 0x80))
            offsets := or(or(sub(trade, trades.offset), data), or(inputs, outputs))
        }
        if (offsets > type(uint32).max) revert MalformedTrade(index);
    }

    function _trade(uint256 index, Trade calldata trade) private {
        address protocol = trade.protocol;
        TradeInput[] calldata inputs = trade.inputs;
        for (uint256 i; i < inputs.length; ++i) {
            if (inputs[i].asset != NATIVE) _approve(inputs[i].asset, protocol, inputs[i].maxAmount);
        }

        _send(index, protocol, trade.value, trade.data);

        for (uint256 i; i < inputs.length; ++i) {
            address asset = inputs[i].asset;
            if (asset == NATIVE) continue;
            if (GuardedQuery.allowance(asset, address(this), protocol) != 0) _approve(asset, protocol, 0);
        }
    }

    function _send(uint256 index, address target, uint256 value, bytes memory data) private {
        if (!BoundedCall.call(target, value, data)) revert CallFailed(index, BoundedCall.reason());
    }

    function _transfer(address asset, address recipient, uint256 amount) private {
        bytes memory transfer = abi.encodeCall(IERC20.transfer, (recipient, amount));
        if (!BoundedCall.erc20(asset, transfer)) revert AssetCallFailed(asset, BoundedCall.reason());
    }

    /// Some tokens refuse to change an allowance that is not zero: those get a zero first.
    function _approve(address asset, address spender, uint256 amount) private {
        bytes memory approval = abi.encodeCall(IERC20.approve, (spender, amount));
        if (BoundedCall.erc20(asset, approval)) return;
        BoundedCall.erc20(asset, abi.encodeCall(IERC20.approve, (spender, 0)));
        if (!BoundedCall.erc20(asset, approval)) revert AssetCallFailed(asset, BoundedCall.reason());
    }
}
