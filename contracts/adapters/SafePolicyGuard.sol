// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {IGolemEntry} from "../interfaces/IGolemEntry.sol";
import {IPolicyCageExtension} from "../interfaces/IPolicyCageExtension.sol";
import {ISafe, Operation} from "../interfaces/ISafe.sol";
import {ISafeModuleGuard, ISafeTransactionGuard} from "../interfaces/ISafeGuards.sol";
import {ISafePolicyGuard} from "../interfaces/ISafePolicyGuard.sol";
import {Trade} from "../interfaces/Types.sol";
import {GuardedQuery} from "../outside/GuardedQuery.sol";
import {MultiSendReader} from "../outside/MultiSendReader.sol";
import {SafeSlots} from "../outside/SafeSlots.sol";
import {GolemEntry} from "./GolemEntry.sol";

/// @title SafePolicyGuard
/// @notice Cages a Safe from version 1.5.0 on: the module a golem acts through, the transaction guard and the module guard, in one.
///
/// GOLEM. It calls this contract and is never an owner. What it trades runs as the Safe, by a delegate call of the code of
/// `GolemEntry` that stands here and stores nothing: the same rules in the same order as for the embedded account.
///
/// OWNERS. What enough of them sign is theirs: not capped, not screened, measured so that the mark follows what they take out. Refused
/// is what would take the cage away unseen: delegate calls, gas refunds, changes of guards, modules and fallback handler. Who signs may
/// change at once.
///
/// WAY OUT. Any transaction that owners announce passes 48 hours later without a question to the cage: a broken cage bricks no Safe.
contract SafePolicyGuard is GolemEntry, ISafeTransactionGuard, ISafeModuleGuard, ISafePolicyGuard {
    uint256 private constant DELAY = 48 hours;
    uint256 private constant GRACE_PERIOD = 14 days;
    /// What stands before the data of a module's call: selector, target, value, offset, operation and length.
    uint256 private constant CALL_HEAD = 0xa4;

    ISafe private immutable _safe;
    /// Where this code is deployed: as the Safe, `address(this)` is the Safe.
    address private immutable _self;

    /// @inheritdoc ISafePolicyGuard
    mapping(bytes32 id => uint256) public maturesAt;

    /// True inside a transaction that is not measured.
    bool private transient _isFree;

    modifier onlySafe() {
        if (msg.sender != address(_safe)) revert NotSafe(msg.sender);
        _;
    }

    /// Only as the Safe, and only from here.
    modifier onlyAsSafe() {
        if (address(this) != address(_safe) || msg.sender != _self) revert NotSelf(msg.sender);
        _;
    }

    /// A cage that does not answer has nothing open, and must not stand in the way out.
    modifier whenIdle() {
        if (GuardedQuery.isCageExecuting(address(_cage))) revert IPolicyCageExtension.ExecutionInProgress();
        _;
    }

    /// No cage is locked inside what is not measured.
    modifier whenMeasured() {
        if (_isFree) revert IPolicyCageExtension.ExecutionInProgress();
        _;
    }

    /// @param cage_ The cage of the Safe.
    constructor(address cage_) GolemEntry(cage_) {
        _safe = ISafe(IPolicyCageExtension(cage_).account());
        _self = address(this);
    }

    // ── Golem ──

    /// @inheritdoc IGolemEntry
    function execute(Trade[] calldata trades) external whenMeasured {
        (bool success, bytes memory answer) = _executeAsSafe(trades);
        if (!success) _revertWith(answer);
    }

    /// @inheritdoc IGolemEntry
    function attempt(Trade[] calldata trades) external whenMeasured returns (bool isExecuted) {
        if (trades.length == 0) revert EmptyExecution();

        bytes memory answer;
        (isExecuted, answer) = _executeAsSafe(trades);
        if (isExecuted) return true;
        (bool isRecorded, bytes memory reason) = _runAsSafe(abi.encodeCall(this.recordAs, (msg.sender, answer)));
        if (!isRecorded) _revertWith(reason);
    }

    /// @inheritdoc IGolemEntry
    function transferOut(address asset, uint256 amount, address recipient) external whenMeasured {
        (bool success, bytes memory answer) = _runAsSafe(
            abi.encodeCall(this.transferAs, (msg.sender, asset, amount, recipient))
        );
        if (!success) _revertWith(answer);
    }

    // ── As the Safe ──

    /// @inheritdoc IGolemEntry
    function executeAs(address golem, Trade[] calldata trades) external onlyAsSafe {
        _requireInstalled();
        _execute(golem, trades);
    }

    /// @inheritdoc ISafePolicyGuard
    function transferAs(address golem, address asset, uint256 amount, address recipient) external onlyAsSafe {
        _requireInstalled();
        _transferOut(golem, asset, amount, recipient);
    }

    /// @inheritdoc ISafePolicyGuard
    function recordAs(address golem, bytes calldata reason) external onlyAsSafe {
        _cage.requireSession(golem);
        _cage.recordViolation(golem, reason);
    }

    // ── Owners ──

    /// @inheritdoc ISafeTransactionGuard
    function checkTransaction(
        address to,
        uint256 value,
        bytes memory data,
        Operation operation,
        uint256,
        uint256,
        uint256 gasPrice,
        address,
        address payable,
        bytes memory,
        address
    ) external onlySafe whenIdle whenMeasured {
        if (gasPrice != 0) revert GasRefundRefused(gasPrice);

        _isFree = _isAnnouncement(to, operation) || _use(_idOf(to, value, data, operation));
        if (_isFree) return;
        bool isAction = operation == Operation.Call ? _isAction(to, bytes4(data), data.length) : _screenBatch(to, data);
        // Without the module nothing but owners acts, and no mark has to follow.
        if (isAction && _safe.isModuleEnabled(address(this))) {
            _callCage(abi.encodeCall(_cage.beforeOwnerAction, ()));
        }
    }

    /// @inheritdoc ISafeTransactionGuard
    function checkAfterExecution(bytes32, bool) external onlySafe {
        if (_isFree) _isFree = false;
        else if (_cage.isExecuting()) _callCage(abi.encodeCall(_cage.afterOwnerAction, ()));

        // A cage that does not answer lets no golem act, and must not stand in the way out.
        (bool isKnown, address key, uint256 expiresAt) = GuardedQuery.session(address(_cage));
        if (isKnown && block.timestamp < expiresAt && _safe.isOwner(key)) revert GolemIsOwner(key);
    }

    /// @inheritdoc ISafePolicyGuard
    function announce(
        address to,
        uint256 value,
        bytes calldata data,
        Operation operation
    ) external onlySafe whenIdle returns (bytes32 id) {
        id = _idOf(to, value, data, operation);
        uint256 pending = maturesAt[id];
        if (pending != 0 && block.timestamp <= pending + GRACE_PERIOD) revert AlreadyAnnounced(id, pending);

        uint256 matures = block.timestamp + DELAY;
        maturesAt[id] = matures;
        emit Announced(id, to, value, data, operation, matures);
    }

    /// @inheritdoc ISafePolicyGuard
    function revoke(bytes32 id) external whenIdle {
        bool isOwner = msg.sender == address(_safe) || msg.sender == Ownable(address(_cage)).owner();
        if (!isOwner && msg.sender != _cage.guardian()) revert IPolicyCageExtension.NotOwnerOrGuardian(msg.sender);
        if (maturesAt[id] == 0) revert NotAnnounced(id);

        delete maturesAt[id];
        emit AnnouncementRevoked(id, msg.sender);
    }

    // ── Modules ──

    /// @inheritdoc ISafeModuleGuard
    function checkModuleTransaction(
        address,
        uint256,
        bytes calldata,
        Operation,
        address module
    ) external view returns (bytes32) {
        if (module != address(this)) revert ModuleRefused(module);
        return 0;
    }

    /// @inheritdoc ISafeModuleGuard
    function checkAfterModuleExecution(bytes32, bool) external pure {} // solhint-disable-line no-empty-blocks

    // ── Views ──

    /// @inheritdoc ISafePolicyGuard
    function safe() external view returns (address) {
        return address(_safe);
    }

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return
            interfaceId == type(ISafeTransactionGuard).interfaceId ||
            interfaceId == type(ISafeModuleGuard).interfaceId ||
            interfaceId == type(IERC165).interfaceId;
    }

    // ── Screening ──

    /// Nothing but an announcement reaches the guard this way, or its revocation: neither needs the cage.
    function _isAnnouncement(address to, Operation operation) private view returns (bool) {
        return to == address(this) && operation == Operation.Call;
    }

    /// Uses an announcement up, where there is one that has matured.
    function _use(bytes32 id) private returns (bool) {
        uint256 matures = maturesAt[id];
        if (matures == 0 || block.timestamp < matures || block.timestamp > matures + GRACE_PERIOD) return false;

        delete maturesAt[id];
        emit AnnouncementUsed(id);
        return true;
    }

    /// True for a call that may move funds: all but those of the cage and of this guard, which do not run in the middle of an action.
    function _isAction(address to, bytes4 selector, uint256 size) private view returns (bool) {
        if (to == address(_safe) && size != 0 && !_changesSigners(selector)) revert AnnouncementNeeded(selector);
        return to != address(_cage) && to != address(this);
    }

    function _changesSigners(bytes4 selector) private pure returns (bool) {
        return
            selector == ISafe.addOwnerWithThreshold.selector ||
            selector == ISafe.removeOwner.selector ||
            selector == ISafe.swapOwner.selector ||
            selector == ISafe.changeThreshold.selector;
    }

    function _screenBatch(address to, bytes memory data) private view returns (bool isAction) {
        if (to.codehash != MultiSendReader.CODE_HASH) revert DelegateCallRefused(to);
        (bool isValid, uint256 start, uint256 end) = MultiSendReader.bounds(data);
        if (!isValid) revert MalformedBatch();

        uint256 position = start;
        while (position < end) {
            address target;
            bytes4 selector;
            uint256 size;
            uint256 next;
            (isValid, target, selector, size, next) = MultiSendReader.entry(data, position, end, address(_safe));
            if (!isValid) revert MalformedBatch();
            bool isNextAction = _isAction(target, selector, size);
            if (position != start && isNextAction != isAction) revert MixedBatch();
            isAction = isNextAction;
            position = next;
        }
    }

    function _idOf(address to, uint256 value, bytes memory data, Operation operation) private pure returns (bytes32) {
        return keccak256(abi.encode(to, value, data, operation));
    }

    // ── Through the Safe ──

    /// Runs as the Safe.
    function _requireInstalled() private view {
        if (!SafeSlots.hasGuard(_self)) revert GuardNotInstalled();
    }

    /// As `_runAsSafe` does, without copying the trades more often than it must.
    function _executeAsSafe(Trade[] calldata trades) private returns (bool success, bytes memory answer) {
        address target = address(_safe);
        address code = _self;
        bytes4 selector = ISafe.execTransactionFromModuleReturnData.selector;
        uint256 start = _free();
        uint256 end = _write(start + CALL_HEAD, this.executeAs.selector, msg.sender, trades);
        bool isAnswer;
        assembly ("memory-safe") {
            mstore(start, selector)
            mstore(add(start, 0x04), code)
            mstore(add(start, 0x24), 0)
            mstore(add(start, 0x44), 0x80)
            mstore(add(start, 0x64), 1)
            let data := add(start, 0xa4)
            mstore(add(start, 0x84), sub(end, data))
            // The last word of the call is whole; what fills it does not matter.
            if iszero(call(gas(), target, 0, start, add(0xa4, and(add(sub(end, data), 0x1f), not(0x1f))), 0, 0)) {
                returndatacopy(start, 0, returndatasize())
                revert(start, returndatasize())
            }
            returndatacopy(start, 0, returndatasize())
            isAnswer := gt(returndatasize(), 0x5f)
            success := eq(mload(start), 1)
            answer := add(start, mload(add(start, 0x20)))
            mstore(0x40, add(start, and(add(returndatasize(), 0x1f), not(0x1f))))
        }
        // What is no Safe may take any call, and does nothing.
        if (!isAnswer) revert GuardNotInstalled();
    }

    function _runAsSafe(bytes memory call) private returns (bool success, bytes memory answer) {
        return _safe.execTransactionFromModuleReturnData(_self, 0, call, Operation.DelegateCall);
    }

    function _callCage(bytes memory call) private {
        (bool success, bytes memory answer) = _safe.execTransactionFromModuleReturnData(
            address(_cage),
            0,
            call,
            Operation.Call
        );
        if (!success) _revertWith(answer);
    }

    function _revertWith(bytes memory reason) private pure {
        assembly ("memory-safe") {
            revert(add(reason, 0x20), mload(reason))
        }
    }
}
