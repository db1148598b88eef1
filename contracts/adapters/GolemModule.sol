// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IGolemEntry} from "../interfaces/IGolemEntry.sol";
import {IGolemModule} from "../interfaces/modules/IGolemModule.sol";
import {IPolicyCageExtension} from "../interfaces/IPolicyCageExtension.sol";
import {Trade} from "../interfaces/Types.sol";
import {GuardedQuery} from "../outside/GuardedQuery.sol";
import {FixedEntry} from "./FixedEntry.sol";

/// @title GolemModule
/// @notice What every module does through which a golem acts for an account that was there before its cage.
///
/// GOLEM. It calls this contract. What it trades runs as the account, by a delegate call of the code of `GolemEntry` that stands here and
/// stores nothing: the same rules in the same order as for the embedded account.
///
/// WAY OUT. What the account's owners announce passes 48 hours later without a question to the cage: a broken cage bricks no account.
abstract contract GolemModule is FixedEntry, IGolemModule {
    uint256 private constant DELAY = 48 hours;
    uint256 private constant GRACE_PERIOD = 14 days;

    /// @inheritdoc IGolemModule
    address public immutable account;
    /// Where this code is deployed: as the account, `address(this)` is the account.
    address internal immutable _self;

    /// @inheritdoc IGolemModule
    mapping(bytes32 id => uint256) public maturesAt;

    /// True inside a transaction that is not measured.
    bool internal transient _isFree;

    modifier onlyAccount() {
        if (msg.sender != account) revert NotAccount(msg.sender);
        _;
    }

    /// Only as the account, and only from here.
    modifier onlyAsAccount() {
        if (address(this) != account || msg.sender != _self) revert NotSelf(msg.sender);
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

    /// @param cage_ The cage of the account.
    constructor(address cage_) FixedEntry(cage_) {
        account = IPolicyCageExtension(cage_).account();
        _self = address(this);
    }

    // ── Golem ──

    /// @inheritdoc IGolemEntry
    function execute(Trade[] calldata trades) external whenMeasured {
        (bool success, bytes memory answer) = _executeAsAccount(trades);
        if (!success) _revertWith(answer);
    }

    /// @inheritdoc IGolemEntry
    function attempt(Trade[] calldata trades) external whenMeasured returns (bool isExecuted) {
        if (trades.length == 0) revert EmptyExecution();

        bytes memory answer;
        (isExecuted, answer) = _executeAsAccount(trades);
        if (isExecuted) return true;
        (bool isRecorded, bytes memory reason) = _runAsAccount(abi.encodeCall(this.recordAs, (msg.sender, answer)));
        if (!isRecorded) _revertWith(reason);
    }

    /// @inheritdoc IGolemEntry
    function transferOut(address asset, uint256 amount, address recipient) external whenMeasured {
        (bool success, bytes memory answer) = _runAsAccount(
            abi.encodeCall(this.transferAs, (msg.sender, asset, amount, recipient))
        );
        if (!success) _revertWith(answer);
    }

    // ── As the account ──

    /// @inheritdoc IGolemEntry
    function executeAs(address golem, Trade[] calldata trades) external onlyAsAccount {
        _requireInstalled();
        _execute(golem, trades);
    }

    /// @inheritdoc IGolemModule
    function transferAs(address golem, address asset, uint256 amount, address recipient) external onlyAsAccount {
        _requireInstalled();
        _transferOut(golem, asset, amount, recipient);
    }

    /// @inheritdoc IGolemModule
    function recordAs(address golem, bytes calldata reason) external onlyAsAccount {
        _cage.requireSession(golem);
        _cage.recordViolation(golem, reason);
    }

    // ── Announcements ──

    /// @inheritdoc IGolemModule
    function revoke(bytes32 id) external whenIdle {
        bool isOwner = msg.sender == account || msg.sender == Ownable(address(_cage)).owner();
        if (!isOwner && msg.sender != _cage.guardian()) revert IPolicyCageExtension.NotOwnerOrGuardian(msg.sender);
        if (maturesAt[id] == 0) revert NotAnnounced(id);

        delete maturesAt[id];
        emit AnnouncementRevoked(id, msg.sender);
    }

    /// @return matures From when on it passes, in seconds since 1970.
    function _announce(bytes32 id) internal returns (uint256 matures) {
        uint256 pending = maturesAt[id];
        if (pending != 0 && block.timestamp <= pending + GRACE_PERIOD) revert AlreadyAnnounced(id, pending);

        matures = block.timestamp + DELAY;
        maturesAt[id] = matures;
    }

    /// Uses an announcement up, where there is one that has matured.
    function _use(bytes32 id) internal returns (bool) {
        uint256 matures = maturesAt[id];
        if (matures == 0 || block.timestamp < matures || block.timestamp > matures + GRACE_PERIOD) return false;

        delete maturesAt[id];
        emit AnnouncementUsed(id);
        return true;
    }

    // ── Owners ──

    /// A cage that does not answer lets no golem act, and must not stand in the way out.
    function _requireGolemIsNoOwner() internal view {
        (bool isKnown, address key, uint256 expiresAt) = GuardedQuery.session(address(_cage));
        if (isKnown && block.timestamp < expiresAt && _isOwner(key)) revert GolemIsOwner(key);
    }

    function _revertWith(bytes memory reason) internal pure {
        assembly ("memory-safe") {
            revert(add(reason, 0x20), mload(reason))
        }
    }

    // ── What differs by kind of account ──

    /// Has the account run `executeAs` of this code, without copying the trades more often than it must.
    /// @return success False when it reverted.
    /// @return answer What it reverted with.
    function _executeAsAccount(Trade[] calldata trades) internal virtual returns (bool success, bytes memory answer);

    /// Has the account run a function of this code.
    /// @return success False when it reverted.
    /// @return answer What it reverted with.
    function _runAsAccount(bytes memory call) internal virtual returns (bool success, bytes memory answer);

    /// As the account: refuses one that does not ask this contract about all it does.
    function _requireInstalled() internal view virtual;

    /// True for one who signs for the account.
    function _isOwner(address key) internal view virtual returns (bool);
}
