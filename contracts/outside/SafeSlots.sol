// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Where a Safe keeps its guard of modules
/// @notice Safe 1.5.0, `ModuleManager`.
library SafeSlots {
    /// @notice keccak256("module_manager.module_guard.address")
    uint256 internal constant MODULE_GUARD = 0xb104e0b93118902c651344349b610029d694cfdec91c589c91ebafbcd0289947;

    /// @notice As the Safe: whom it asks about calls of modules.
    function moduleGuard() internal view returns (address guard) {
        uint256 slot = MODULE_GUARD;
        assembly ("memory-safe") {
            guard := sload(slot)
        }
    }
}
