// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {GolemEntry} from "./adapters/GolemEntry.sol";
import {ICagedAccount} from "./interfaces/ICagedAccount.sol";
import {IGolemEntry} from "./interfaces/IGolemEntry.sol";
import {Call, NATIVE, Trade} from "./interfaces/Types.sol";
import {BoundedCall} from "./outside/BoundedCall.sol";

/// @title CagedAccount
/// @notice The account a golem trades for. It holds the funds, does what its cage lets through, and nothing else.
///
/// GOLEM. Every call is made between the cage's two enforcement functions. The account approves exactly what a trade names, for the
/// time of that call, and clears what is left; a standing approval of the owner for the same asset and protocol does not survive.
///
/// OWNER. Whoever owns the cage. Withdrawing and unwinding run under the same lock as an execution, outside every cap.
///
/// SIGNATURES. None is ever valid: no Permit, no Permit2, no off-chain order.
contract CagedAccount is GolemEntry, ICagedAccount {
    modifier onlyOwner() {
        if (msg.sender != Ownable(address(_cage)).owner()) revert NotOwner(msg.sender);
        _;
    }

    /// @notice The creator is the cage.
    constructor() GolemEntry(msg.sender) {}

    /// @notice Native currency comes in from unwrapping, refunds and deposits.
    receive() external payable {}

    // ── Golem ──

    /// @inheritdoc IGolemEntry
    function execute(Trade[] calldata trades) external {
        _execute(msg.sender, trades);
    }

    /// @inheritdoc IGolemEntry
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

    /// @inheritdoc IGolemEntry
    function executeAs(address golem, Trade[] calldata trades) external {
        if (msg.sender != address(this)) revert NotSelf(msg.sender);
        _execute(golem, trades);
    }

    /// @inheritdoc IGolemEntry
    function transferOut(address asset, uint256 amount, address recipient) external {
        _transferOut(msg.sender, asset, amount, recipient);
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
}
