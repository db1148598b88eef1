// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {
    IERC7579Execution,
    IERC7579Module,
    MODULE_TYPE_EXECUTOR
} from "@openzeppelin/contracts/interfaces/draft-IERC7579.sol";

/// @notice An executor without any policy: whoever an account names may have it do anything. What a cage costs is measured against it.
contract BareExecutor is IERC7579Module {
    error NotNamed(address caller);

    mapping(address account => address) private _keyOf;

    function onInstall(bytes calldata data) external {
        _keyOf[msg.sender] = abi.decode(data, (address));
    }

    function onUninstall(bytes calldata) external {
        delete _keyOf[msg.sender];
    }

    function isModuleType(uint256 moduleTypeId) external pure returns (bool) {
        return moduleTypeId == MODULE_TYPE_EXECUTOR;
    }

    function execute(IERC7579Execution account, bytes32 mode, bytes calldata execution) external {
        if (_keyOf[address(account)] != msg.sender) revert NotNamed(msg.sender);

        account.executeFromExecutor(mode, execution);
    }
}
