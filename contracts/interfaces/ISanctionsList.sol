// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Sanctions list, as Chainalysis deploys it
interface ISanctionsList {
    /// @notice True when `addr` is sanctioned.
    function isSanctioned(address addr) external view returns (bool);
}
