// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Where a Safe keeps its guards
/// @notice Safe 1.5.0, `ModuleManager` and `GuardManager`.
library SafeSlots {
    /// @notice keccak256("module_manager.module_guard.address")
    uint256 internal constant MODULE_GUARD = 0xb104e0b93118902c651344349b610029d694cfdec91c589c91ebafbcd0289947;

    /// @notice keccak256("guard_manager.guard.address")
    uint256 internal constant TRANSACTION_GUARD = 0x4a204f620c8c5ccdca3fd54d003badd85ba500436a431f0cbda4f558c93c34c8;

    /// @notice As the Safe: whether it asks `guard` about calls of modules, and about what its owners sign.
    function hasGuard(address guard) internal view returns (bool isAsked) {
        uint256 modules = MODULE_GUARD;
        uint256 transactions = TRANSACTION_GUARD;
        assembly ("memory-safe") {
            isAsked := and(eq(sload(modules), guard), eq(sload(transactions), guard))
        }
    }
}
