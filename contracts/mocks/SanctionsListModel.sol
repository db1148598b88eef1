// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISanctionsList} from "../interfaces/ISanctionsList.sol";

/// @notice A sanctions list with the storage accesses of the deployed one: a flag for each address, and nothing else.
contract SanctionsListModel is ISanctionsList {
    mapping(address target => bool) public isSanctioned;
}
