// SPDX-License-Identifier: MIT
// Written by `npm run generate`.
pragma solidity ^0.8.28;

import {SelectorList} from "../rules/SelectorList.sol";

/// @title ExecutorSelectors
/// @notice Those of `DebtSelectors` that run other calls, which no list sees. No valuer makes them harmless.
/// @dev From `contracts/executor-selectors.json`.
library ExecutorSelectors {
    /// 26 selectors of four bytes, ascending.
    bytes private constant LIST =
        hex"174dea711cff79cd1f6a1eb91f8b5215252dba42374f435d399542e94e1028ba555029a660fc8466656f3d647071b7c5"
        hex"7e2ca9db82ad56cb89b7b7a692beab1d9fa02c86b8f88786b9b70ff5bce38bd7c16ae7a4c3077fa9caa5c23fd2423b51"
        hex"eb937aebebe4107c";

    /// @notice True when `selector` is on the list.
    function contains(bytes4 selector) internal pure returns (bool) {
        return SelectorList.contains(LIST, selector);
    }
}
