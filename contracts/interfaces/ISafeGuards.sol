// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {Operation} from "./ISafe.sol";

/// @title Transaction guard of a Safe
/// @notice ERC-165 id 0xe6d7a83a. Asked by the Safe around every transaction that its owners signed.
interface ISafeTransactionGuard is IERC165 {
    function checkTransaction(
        address to,
        uint256 value,
        bytes memory data,
        Operation operation,
        uint256 safeTxGas,
        uint256 baseGas,
        uint256 gasPrice,
        address gasToken,
        address payable refundReceiver,
        bytes memory signatures,
        address msgSender
    ) external;

    function checkAfterExecution(bytes32 hash, bool success) external;
}

/// @title Module guard of a Safe
/// @notice ERC-165 id 0x58401ed8. Asked by a Safe from 1.5.0 on around every call of a module.
interface ISafeModuleGuard is IERC165 {
    function checkModuleTransaction(
        address to,
        uint256 value,
        bytes memory data,
        Operation operation,
        address module
    ) external returns (bytes32 moduleTxHash);

    function checkAfterModuleExecution(bytes32 txHash, bool success) external;
}
