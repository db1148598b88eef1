// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IPolicyCage} from "../interfaces/IPolicyCage.sol";
import {IPolicyCageExtension as Cage} from "../interfaces/IPolicyCageExtension.sol";
import {Headroom, HighWaterMark} from "../interfaces/Types.sol";
import {CageState, SessionRecord, SessionTag} from "../rules/CageState.sol";
import {Configuration} from "../rules/Configuration.sol";
import {PolicyTable, Row, Table} from "../rules/PolicyTable.sol";
import {SlidingWindow} from "../measure/SlidingWindow.sol";
import {Measurement, Valuation} from "../measure/Valuation.sol";

/// @title Stewardship
/// @notice What owner, guardian and anyone do to a cage outside an execution: timelock, sessions, suspensions, mark, breaker, and the
/// records and views that go with them. Runs in the cage's own storage; the cage has checked who calls and that it is idle.
library Stewardship {
    using PolicyTable for Table;
    using PolicyTable for Row;
    using SlidingWindow for SlidingWindow.Head;
    using SlidingWindow for SlidingWindow.Window;
    using SessionTag for uint120;

    uint256 internal constant GRACE_PERIOD = 14 days;
    uint256 internal constant MARK_MAX_AGE = 1 hours;
    uint256 internal constant MAX_MARK = type(uint64).max;
    /// `Panic(uint256)`
    bytes4 private constant PANIC = 0x4e487b71;

    // ── Timelock ──

    function submit(CageState storage state, bytes calldata call) external {
        uint256 delay;
        try Configuration.check(call) returns (uint256 tier) {
            delay = tier;
        } catch (bytes memory reason) {
            // The arguments did not decode: the ABI decoder reverts with nothing, or panics at the length of a list.
            if (reason.length == 0 || bytes4(reason) == PANIC) revert Cage.MalformedCall(bytes4(call));
            _revertWith(reason);
        }
        bytes32 id = keccak256(call);
        uint256 pending = state.maturesAt[id];
        if (pending != 0 && block.timestamp <= pending + GRACE_PERIOD) revert Cage.AlreadySubmitted(id, pending);

        uint256 matures = block.timestamp + delay;
        state.maturesAt[id] = matures;
        emit Cage.Submitted(id, bytes4(call), call, matures);
    }

    function revoke(CageState storage state, bytes calldata call, address owner) external {
        bytes32 id = keccak256(call);
        if (state.maturesAt[id] == 0) revert Cage.NotSubmitted(id);
        if (msg.sender != owner && bytes4(call) == Cage.setGuardian.selector) revert Cage.GuardianCannotRevoke();

        delete state.maturesAt[id];
        emit Cage.Revoked(id, msg.sender);
    }

    /// @notice Takes the submission of exactly the call with hash `id`, once it has matured and before it expires.
    function consume(CageState storage state, bytes32 id) external {
        uint256 matures = state.maturesAt[id];
        if (matures == 0) revert Cage.NotSubmitted(id);
        if (block.timestamp < matures) revert Cage.NotMatured(block.timestamp, matures);
        uint256 expires = matures + GRACE_PERIOD;
        if (block.timestamp > expires) revert Cage.SubmissionExpired(block.timestamp, expires);

        delete state.maturesAt[id];
    }

    // ── Sessions and suspensions ──

    function openSession(
        CageState storage state,
        address key,
        uint256 capUsdc,
        uint256 expiresAt,
        address owner,
        address account
    ) external returns (uint256 id) {
        if (
            key == address(0) ||
            key == owner ||
            key == state.operator ||
            key == state.guardian ||
            key == account ||
            key == address(this)
        ) revert Cage.InvalidSessionKey(key);
        uint256 perSession = PolicyTable.load(state.table).perSessionCapUsdc();
        if (capUsdc == 0 || capUsdc > perSession) revert Cage.OutOfRange("capUsdc", capUsdc, 1, perSession);
        if (expiresAt <= block.timestamp || expiresAt > type(uint40).max) {
            revert Cage.OutOfRange("expiresAt", expiresAt, block.timestamp + 1, type(uint40).max);
        }

        uint120 tag = state.window.head.tag();
        id = tag.id() + 1;
        state.session = SessionRecord({key: key, expiresAt: uint40(expiresAt), capUsdc: uint56(capUsdc)});
        state.window.setTag(SessionTag.pack(id, 0, tag.lastExecution()));
        emit Cage.SessionOpened(id, key, expiresAt, capUsdc);
    }

    function closeSession(CageState storage state) external {
        address key = state.session.key;
        if (block.timestamp >= state.session.expiresAt) revert Cage.SessionNotActive(key);

        state.session.expiresAt = 0;
        emit Cage.SessionClosed(state.window.head.tag().id(), key, msg.sender);
    }

    function suspendAsset(CageState storage state, address asset) external {
        if (PolicyTable.load(state.table).indexOfAsset(asset) == PolicyTable.NONE) {
            revert IPolicyCage.AssetNotApproved(asset);
        }

        _suspend(state, asset);
        emit Cage.AssetSuspended(asset, msg.sender);
    }

    function suspendProtocol(CageState storage state, address protocol) external {
        if (PolicyTable.load(state.table).indexOfProtocol(protocol) == PolicyTable.NONE) {
            revert IPolicyCage.ProtocolNotApproved(protocol);
        }

        _suspend(state, protocol);
        emit Cage.ProtocolSuspended(protocol, msg.sender);
    }

    function _suspend(CageState storage state, address assetOrProtocol) private {
        if (state.isSuspended[assetOrProtocol]) revert Cage.NothingToChange("suspended", assetOrProtocol);
        state.isSuspended[assetOrProtocol] = true;
        ++state.suspensions;
    }

    // ── High-water mark and breaker ──

    /// @param digest EIP-712 digest of `mark` in the cage's domain.
    function raiseHighWaterMark(
        CageState storage state,
        address account,
        address sequencerFeed,
        address owner,
        HighWaterMark memory mark,
        bytes32 digest,
        bytes memory signature
    ) external {
        uint256 current = state.highWaterMark;
        if (mark.nonce != state.highWaterMarkNonce) {
            revert Cage.HighWaterMarkNonce(mark.nonce, state.highWaterMarkNonce);
        }
        if (block.timestamp > mark.deadline) revert Cage.HighWaterMarkExpired(block.timestamp, mark.deadline);
        if (mark.asOf > block.timestamp || block.timestamp - mark.asOf > MARK_MAX_AGE) {
            revert Cage.HighWaterMarkStale(mark.asOf, block.timestamp);
        }
        if (mark.value <= current) revert Cage.HighWaterMarkNotRaised(mark.value, current);
        if (!_isSignedBy(owner, digest, signature) && !_isSignedBy(state.operator, digest, signature)) {
            revert Cage.HighWaterMarkNotAuthorized();
        }
        Table table = PolicyTable.load(state.table);
        (uint256 nav, ) = Valuation.measureStrictly(table, account, sequencerFeed, 0, true);
        uint256 bound = Math.min(nav, MAX_MARK);
        if (mark.value > bound) revert Cage.HighWaterMarkAboveNav(mark.value, bound);
        if (current == 0 && mark.value < Math.ceilDiv(nav, 2)) revert Cage.HighWaterMarkBelowHalfNav(mark.value, nav);

        state.highWaterMark = uint64(mark.value);
        ++state.highWaterMarkNonce;
        emit Cage.HighWaterMarkRaised(current, mark.value, mark.nonce);
    }

    function trip(CageState storage state, address account, address sequencerFeed) external {
        uint256 mark = state.highWaterMark;
        if (mark == 0) revert Cage.HighWaterMarkMissing();
        if (state.trippedBps != 0) revert Cage.BreakerTripped(state.trippedBps);
        Table table = PolicyTable.load(state.table);
        (uint256 nav, ) = Valuation.measureStrictly(table, account, sequencerFeed, 0, false);
        uint256 drawdownBps = Valuation.drawdownBps(nav, mark);
        uint256 threshold = table.drawdownThresholdBps();
        if (drawdownBps <= threshold) revert Cage.BreakerNotDue(drawdownBps, threshold);

        state.trippedBps = uint16(drawdownBps);
        emit Cage.BreakerTripStored(drawdownBps, nav, mark);
    }

    function acknowledgeDrawdown(CageState storage state, address account, address sequencerFeed) external {
        uint256 mark = state.highWaterMark;
        Measurement memory found = Valuation.measure(PolicyTable.load(state.table), account, sequencerFeed, 0);
        uint256 next = found.unreadable == address(0) ? Math.min(mark, found.nav) : 0;

        state.highWaterMark = uint64(next);
        state.trippedBps = 0;
        emit Cage.DrawdownAcknowledged(mark, next);
    }

    // ── Records and views ──

    /// @notice Records a refusal by checks 4 to 14, and reverts with `reason` when it is anything else.
    function recordViolation(address golem, bytes calldata reason) external {
        bytes4 selector = bytes4(reason);
        bool hasNumbers = _isRuleWithNumbers(selector);
        if (!hasNumbers && !_isRule(selector)) _revertWith(reason);

        (uint256 attempted, uint256 limit) = hasNumbers ? abi.decode(reason[4:], (uint256, uint256)) : (0, 0);
        emit IPolicyCage.CageViolation(golem, bytes32(selector), attempted, limit);
    }

    function headroom(CageState storage state) external view returns (Headroom memory left) {
        Table table = PolicyTable.load(state.table);
        SlidingWindow.Head head = state.window.rolled(block.timestamp);

        left.perTransactionUsdc = table.perTransactionCapUsdc();
        if (block.timestamp < state.session.expiresAt) {
            uint256 cap = Math.min(state.session.capUsdc, table.perSessionCapUsdc());
            left.perSessionUsdc = Math.saturatingSub(cap, head.tag().spentUsdc());
        }
        left.perDayUsdc = Math.saturatingSub(table.perDayCapUsdc(), head.total());
        left.spendableUsdc = Math.min(left.perTransactionUsdc, Math.min(left.perSessionUsdc, left.perDayUsdc));
        left.rebalances = Math.saturatingSub(table.maxRebalancesPerDay(), head.count());
        left.nextRebalanceAt = head.tag().lastExecution() + table.minRebalanceInterval();
    }

    function checkConcentration(
        CageState storage state,
        address account,
        address sequencerFeed,
        address asset,
        uint256 newAmount,
        uint256 totalPortfolio
    ) external view returns (bool) {
        Table table = PolicyTable.load(state.table);
        uint256 index = table.indexOfAsset(asset);
        if (index == PolicyTable.NONE || newAmount > type(uint128).max) return false;
        Measurement memory found = Valuation.measure(table, account, sequencerFeed, 1 << index);
        if (found.unreadable != address(0)) return false;
        uint256 base = table.baseIndex();
        // The base asset is cash: nothing limits how much of it is held.
        if (index == base) return true;

        Row named = table.rowAt(index);
        uint256 exposure = Valuation.value(named, newAmount, Valuation.get(found.positions, index) >> 128);
        uint256 count = table.assetCount();
        for (uint256 i; i < count; ++i) {
            Row row = table.rowAt(i);
            if (i == base || row.group() != named.group()) continue;
            uint256 position = Valuation.get(found.positions, i);
            exposure += Valuation.value(row, uint128(position), position >> 128);
        }
        return exposure <= Math.mulDiv(totalPortfolio, table.maxConcentrationBps(), Valuation.BPS);
    }

    function _isSignedBy(address signer, bytes32 digest, bytes memory signature) private view returns (bool) {
        return signer != address(0) && SignatureChecker.isValidSignatureNow(signer, digest, signature);
    }

    function _isRuleWithNumbers(bytes4 selector) private pure returns (bool) {
        return
            selector == Cage.RebalanceTooSoon.selector ||
            selector == Cage.RebalanceLimitReached.selector ||
            selector == Cage.BaseAssetDepegged.selector ||
            selector == IPolicyCage.DrawdownExceeded.selector ||
            selector == Cage.TransactionCapExceeded.selector ||
            selector == Cage.SessionCapExceeded.selector ||
            selector == IPolicyCage.SpendingLimitExceeded.selector ||
            selector == Cage.TradeLossExceeded.selector ||
            selector == Cage.PositionExceeded.selector ||
            selector == Cage.PositionLimitReached.selector ||
            selector == IPolicyCage.ConcentrationExceeded.selector ||
            selector == Cage.ShutdownReserve.selector;
    }

    function _isRule(bytes4 selector) private pure returns (bool) {
        return
            selector == IPolicyCage.ProtocolNotApproved.selector ||
            selector == Cage.AuthorityCallRefused.selector ||
            selector == Cage.SelectorNotAllowed.selector ||
            selector == IPolicyCage.AssetNotApproved.selector ||
            selector == IPolicyCage.SanctionedAddress.selector ||
            selector == Cage.SanctionsOracleUnavailable.selector ||
            selector == Cage.HighWaterMarkMissing.selector ||
            selector == Cage.BreakerTripped.selector ||
            selector == Cage.PriceUnavailable.selector;
    }

    function _revertWith(bytes memory reason) private pure {
        assembly ("memory-safe") {
            revert(add(reason, 0x20), mload(reason))
        }
    }
}
