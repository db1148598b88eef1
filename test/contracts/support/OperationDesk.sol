// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Vm} from "forge-std/Vm.sol";
import {ERC7579Utils, Execution} from "@openzeppelin/contracts/account/utils/draft-ERC7579Utils.sol";
import {IERC7579Execution} from "@openzeppelin/contracts/interfaces/draft-IERC7579.sol";
import {IEntryPoint, PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ICagedAccount} from "../../../contracts/interfaces/ICagedAccount.sol";
import {Call, NATIVE} from "../../../contracts/interfaces/Types.sol";
import {IForeignDesk} from "./Desks.sol";

/// @notice The one who signs user operations for a real smart account, and sends them through a real entry point, at the word of whoever owns
/// its cage. It answers as the embedded account answers its owner.
abstract contract OperationDesk is IForeignDesk {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    bytes32 internal constant SINGLE = 0;
    bytes32 internal constant BATCH = bytes32(bytes1(0x01));
    bytes32 private constant REASON = keccak256("UserOperationRevertReason(bytes32,address,uint256,bytes)");
    bytes32 private constant OUTCOME = keccak256(
        "UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)"
    );
    address payable private constant BUNDLER = payable(address(0xB0D1E2));

    address private immutable _owner;
    uint256 internal immutable _key;
    /// True while a bundle is under way.
    bool private transient _isBusy;

    /// @param owner At whose word it signs.
    /// @param key What it signs with.
    constructor(address owner, uint256 key) {
        _owner = owner;
        _key = key;
    }

    function withdraw(address asset, uint256 amount, address recipient) external {
        _requireOwner();
        bool isNative = asset == NATIVE;
        Call[] memory calls = new Call[](1);
        calls[0] =
            isNative
                ? Call(recipient, amount, "")
                : Call(asset, 0, abi.encodeCall(IERC20.transfer, (recipient, amount)));
        act(ownersBatchOf(calls));
    }

    function ownerExecute(Call[] calldata calls) external returns (bytes[] memory) {
        _requireOwner();
        act(ownersBatchOf(calls));
        return new bytes[](0);
    }

    /// Has the account be called with `data` by the entry point, signed by the owner, and reverts with what it reverts with.
    function act(bytes memory data) public {
        PackedUserOperation[] memory operations = new PackedUserOperation[](1);
        operations[0] = signed(data, _key, 0);
        if (!_isBusy) return send(operations);

        // The entry point lets nobody in twice. Were it another one that does: whoever calls may be played by somebody already.
        (bool isOne, ) = address(vm).call(abi.encodeWithSignature("prank(address)", _entryPoint()));
        if (!isOne) vm.startPrank(address(_entryPoint()));
        (bool success, bytes memory reason) = _account().call(data);
        if (!isOne) vm.stopPrank();
        if (!success) _revertWith(reason);
    }

    /// Sends a bundle as a bundler does, and reverts where one of its operations did, with what the last one reverted with.
    function send(PackedUserOperation[] memory operations) public {
        vm.recordLogs();
        _isBusy = true;
        _entryPoint().handleOps(operations, BUNDLER);
        _isBusy = false;

        Vm.Log[] memory logs = vm.getRecordedLogs();
        bytes memory reason;
        bool isRefused;
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].emitter != address(_entryPoint())) continue;
            // The reason, where there is one, and then that it failed.
            if (logs[i].topics[0] == REASON) (, reason) = abi.decode(logs[i].data, (uint256, bytes));
            if (logs[i].topics[0] != OUTCOME) continue;
            (, bool success, , ) = abi.decode(logs[i].data, (uint256, bool, uint256, uint256));
            if (!success) isRefused = true;
        }
        if (isRefused) _revertWith(reason);
    }

    /// @param sequence How many operations of the same bundle go before it.
    function signed(
        bytes memory data,
        uint256 key,
        uint256 sequence
    ) public view returns (PackedUserOperation memory operation) {
        operation.sender = _account();
        operation.nonce = _nonce() + sequence;
        operation.callData = data;
        // What is left pays for the call, but for what is needed around it.
        uint256 left = gasleft();
        uint256 callGas = left > 1_200_000 ? ((left - 600_000) * 15) / 16 : left / 2;
        if (callGas > 12_000_000) callGas = 12_000_000;
        operation.accountGasLimits = bytes32((uint256(300_000) << 128) | callGas);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, _hashOf(operation));
        operation.signature = abi.encodePacked(r, s, v);
    }

    // ── Calldata of the account ──

    function singleOf(address target, uint256 value, bytes memory data) public pure returns (bytes memory) {
        return abi.encodeCall(IERC7579Execution.execute, (SINGLE, abi.encodePacked(target, value, data)));
    }

    function batchOf(Call[] memory calls) public pure returns (bytes memory) {
        Execution[] memory executions = new Execution[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            executions[i] = Execution(calls[i].target, calls[i].value, calls[i].data);
        }
        return abi.encodeCall(IERC7579Execution.execute, (BATCH, ERC7579Utils.encodeBatch(executions)));
    }

    /// What the owner's calls are, so that the cage's mark follows them.
    function ownersBatchOf(Call[] memory calls) public view virtual returns (bytes memory) {
        return batchOf(calls);
    }

    // ── What differs by account ──

    function _account() internal view virtual returns (address);

    function _entryPoint() internal view virtual returns (IEntryPoint);

    function _nonce() internal view virtual returns (uint256);

    /// What is signed of an operation.
    function _hashOf(PackedUserOperation memory operation) internal view virtual returns (bytes32);

    function _create(bytes memory code) internal returns (address created) {
        assembly ("memory-safe") {
            created := create(0, add(code, 0x20), mload(code))
        }
        require(created != address(0), "not deployed");
    }

    function _requireOwner() private view {
        if (msg.sender != _owner) revert ICagedAccount.NotOwner(msg.sender);
    }

    function _revertWith(bytes memory reason) private pure {
        assembly ("memory-safe") {
            revert(add(reason, 0x20), mload(reason))
        }
    }
}
