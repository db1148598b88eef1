// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {
    IERC7579Execution,
    IERC7579ModuleConfig,
    MODULE_TYPE_EXECUTOR,
    MODULE_TYPE_HOOK
} from "@openzeppelin/contracts/interfaces/draft-IERC7579.sol";
import {IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {Call} from "../../../contracts/interfaces/Types.sol";
import {IHookedAccount} from "../../../contracts/interfaces/modules/IPolicyCageHook.sol";
import {IForeignDesk} from "./Desks.sol";
import {OperationDesk} from "./OperationDesk.sol";

/// @dev What tests call of an ERC-7579 account.
interface IWholeAccount is IERC7579Execution, IERC7579ModuleConfig, IHookedAccount {
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);
}

/// @dev What tests call of the entry point.
interface IWholeEntryPoint is IEntryPoint {
    function getUserOpHash(PackedUserOperation calldata operation) external view returns (bytes32);
}

/// @notice The desk of a real ERC-7579 account, behind the entry point 0.8 as it is published.
contract HookDesk is OperationDesk {
    IWholeAccount public immutable wallet;
    IWholeEntryPoint public immutable entryPoint;
    address public immutable validator;

    constructor(address owner, uint256 key) OperationDesk(owner, key) {
        string memory file = "node_modules/@account-abstraction/contracts/artifacts/EntryPoint.json";
        entryPoint = IWholeEntryPoint(_create(vm.parseJsonBytes(vm.readFile(file), ".bytecode")));
        validator = _create(vm.getCode("EcdsaValidator.sol:EcdsaValidator"));
        bytes memory arguments = abi.encode(entryPoint, validator, abi.encode(vm.addr(key)));
        wallet = IWholeAccount(_create(bytes.concat(vm.getCode("HookedAccount.sol:HookedAccount"), arguments)));
    }

    /// @inheritdoc IForeignDesk
    function holder() external view returns (address) {
        return address(wallet);
    }

    /// Makes `module` the account's executor and its hook, in one operation.
    function install(address module, address) external {
        Call[] memory calls = new Call[](2);
        calls[0] = Call(address(wallet), 0, installOf(MODULE_TYPE_EXECUTOR, module));
        calls[1] = Call(address(wallet), 0, installOf(MODULE_TYPE_HOOK, module));
        act(batchOf(calls));
    }

    function installOf(uint256 moduleType, address module) public pure returns (bytes memory) {
        return abi.encodeCall(IERC7579ModuleConfig.installModule, (moduleType, module, ""));
    }

    function uninstallOf(uint256 moduleType, address module) public pure returns (bytes memory) {
        return abi.encodeCall(IERC7579ModuleConfig.uninstallModule, (moduleType, module, ""));
    }

    function _account() internal view override returns (address) {
        return address(wallet);
    }

    function _entryPoint() internal view override returns (IEntryPoint) {
        return entryPoint;
    }

    function _nonce() internal view override returns (uint256) {
        return entryPoint.getNonce(address(wallet), uint192(uint160(validator)) << 32);
    }

    function _hashOf(PackedUserOperation memory operation) internal view override returns (bytes32) {
        return entryPoint.getUserOpHash(operation);
    }
}
