// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {FixedEntry} from "./adapters/FixedEntry.sol";
import {PlainEntry} from "./adapters/PlainEntry.sol";
import {ICagedAccount} from "./interfaces/ICagedAccount.sol";
import {Call, NATIVE} from "./interfaces/Types.sol";
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
contract CagedAccount is PlainEntry, FixedEntry, ICagedAccount {
    modifier onlyOwner() {
        if (msg.sender != Ownable(address(_cage)).owner()) revert NotOwner(msg.sender);
        _;
    }

    /// @notice The creator is the cage.
    constructor() FixedEntry(msg.sender) {}

    /// @notice Native currency comes in from unwrapping, refunds and deposits.
    receive() external payable {}

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
