// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AuthoritySelectors} from "../generated/AuthoritySelectors.sol";
import {DebtSelectors} from "../generated/DebtSelectors.sol";
import {IPolicyCageExtension as Cage} from "../interfaces/IPolicyCageExtension.sol";
import {Strategy} from "../interfaces/Types.sol";

/// @title Refused calls
/// @notice What no configuration allows. Value that leaves later is value lost now: a right over the account's assets, and a debt that
/// no balance shows.
/// @dev Linked, for the lists are long. An execution asks only where no pair is whitelisted: no whitelisted pair is on a list.
library RefusedCalls {
    /// @notice Reverts when `selector` is on one of the lists.
    function requireNone(address protocol, bytes4 selector) external pure {
        _requireNone(protocol, selector);
    }

    /// @notice Reverts with the first of `pairs` that is on one of the lists.
    function requireNone(Strategy[] calldata pairs) external pure {
        for (uint256 i; i < pairs.length; ++i) _requireNone(pairs[i].protocol, pairs[i].selector);
    }

    function _requireNone(address protocol, bytes4 selector) private pure {
        if (AuthoritySelectors.contains(selector)) revert Cage.AuthorityCallRefused(protocol, selector);
        if (DebtSelectors.contains(selector)) revert Cage.DebtCallRefused(protocol, selector);
    }
}
