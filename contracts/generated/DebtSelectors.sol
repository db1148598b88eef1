// SPDX-License-Identifier: MIT
// Written by `npm run generate`.
pragma solidity ^0.8.28;

import {SelectorList} from "../rules/SelectorList.sol";

/// @title DebtSelectors
/// @notice Functions that leave debt behind when they return, and executors that may hide one. Balances do not show debt.
/// @dev From `contracts/debt-selectors.json`.
library DebtSelectors {
    /// 97 selectors of four bytes, ascending.
    bytes private constant LIST =
        hex"032d22760931bf2d0ecbcdab10259f261184e5f8174dea711a5b9e621cff79cd1f6a1eb91f8b5215227e1df423cfed03"
        hex"24977ef3252dba42264413182b7c7b112e59d86b3003e089374f435d399542e9440f19ba45e6bdcd4a32eaaf4b3fd148"
        hex"4b8a35294ba96d464e1028ba50d8cd4b50ee78535288ba4b555029a658cc871e5d0c693060fc8466656f3d6466514c97"
        hex"6c665a556c8f225d6cb224e17071b7c5760887037d5155fd7e2ca9db7e348b7d7fe2c8b782ad56cb84e5253c856e5bb3"
        hex"860665b3870c616d889576f789b7b7a690de348a92beab1d966581479cb90ba69efc60d09fa02c86a053db68a107a9d8"
        hex"a415bcadab9c4b5dadddfa94aebde56bb4115095b8f88786b9b70ff5bbb6e4f1bc61ea23bce38bd7c16ae7a4c20b7949"
        hex"c3077fa9c3b35a7ec440844fc5ebeaecc6a6cf20caa5c23fcc31808ecfa8ff03d2423b51d5164184d5eed868d6bda0c0"
        hex"dbc5b481dcfbd293dd171e7ce50322a2e5f13b16e74f7b85eb937aebebe4107cee8b3809f7a283d5f926c2d2facb886f"
        hex"fadc9bfb";

    /// @notice True when `selector` is on the list.
    function contains(bytes4 selector) internal pure returns (bool) {
        return SelectorList.contains(LIST, selector);
    }
}
