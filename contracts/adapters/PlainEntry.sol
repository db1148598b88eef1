// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IGolemEntry} from "../interfaces/IGolemEntry.sol";
import {Trade} from "../interfaces/Types.sol";
import {GolemEntry} from "./GolemEntry.sol";

/// @title PlainEntry
/// @notice The entry that the cage hears itself. An attempt runs in a call of its own, so that a refusal leaves nothing but its record.
abstract contract PlainEntry is GolemEntry {
    /// @inheritdoc IGolemEntry
    function execute(Trade[] calldata trades) external {
        _execute(msg.sender, trades);
    }

    /// @inheritdoc IGolemEntry
    function attempt(Trade[] calldata trades) external returns (bool isExecuted) {
        if (trades.length == 0) revert EmptyExecution();
        _guardian().requireSession(msg.sender);

        try this.executeAs(msg.sender, trades) {
            return true;
        } catch (bytes memory reason) {
            _guardian().recordViolation(msg.sender, reason);
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
}
