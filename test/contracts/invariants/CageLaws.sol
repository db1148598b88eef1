// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {AuthoritySelectors} from "../../../contracts/generated/AuthoritySelectors.sol";
import {ICagedAccount} from "../../../contracts/interfaces/ICagedAccount.sol";
import {IPolicyCage} from "../../../contracts/interfaces/IPolicyCage.sol";
import {IPolicyCageExtension as Cage} from "../../../contracts/interfaces/IPolicyCageExtension.sol";
import {Headroom, Session} from "../../../contracts/interfaces/Types.sol";
import {MulticallReader} from "../../../contracts/outside/MulticallReader.sol";
import {HostileVenue} from "../../../contracts/mocks/hostile/HostileVenue.sol";
import {IWholeCage} from "../support/CageFixture.sol";
import {CageErrors} from "./CageErrors.sol";
import {CageWorld} from "./CageWorld.sol";

/// @notice What must hold whatever happens. A handler catches reverts, so a law that breaks is not asserted where it breaks but
/// remembered, and asserted by the invariants.
enum Law {
    SpentIn24Hours,
    SpentInSession,
    SpentAtOnce,
    ChargedInFull,
    RebalancesIn24Hours,
    WhitelistedPairsOnly,
    NoAuthorityCall,
    DelayBeforeChange,
    HaltStops,
    OpenSessionOnly,
    MarkRisesBySignature,
    MarkFallsByOwner,
    MarkScalesByShare,
    LossBounded,
    BreakerHolds,
    PositionsBounded,
    ConcentrationBounded,
    PositionsCounted,
    ReserveKept,
    AllowancesCleared,
    NothingInBetween,
    RefusalChangesNothing,
    TransfersArrive,
    OthersTakeNothing,
    RightfulCallersOnly,
    ErrorsNamed,
    OwnerLeaves
}

/// @notice The laws, and the one way in through which every call of a cage or account goes.
abstract contract CageLaws is CageWorld {
    /// The first time a law broke, with the two numbers or selectors that tell.
    struct Breach {
        bool isBroken;
        uint256 actual;
        uint256 bound;
    }

    /// What an execution finds.
    struct Before {
        uint256[ASSETS] balances;
        uint256 inPlay;
        uint256 buyable;
        uint256 nav;
        uint256 mark;
        uint256 lastExecution;
        Session session;
        bool isActive;
        bool isHalted;
    }

    /// One execution that passed. What left is rounded down to show that caps hold, and up to show that nothing is counted in excess.
    struct Spending {
        uint256 time;
        uint256 least;
        uint256 most;
    }

    /// The assets in play, at the prices that the execution found.
    struct Outcome {
        uint256 spentLeast;
        uint256 spentMost;
        uint256 navAfter;
        uint256 grown;
        uint256[ASSETS] balances;
    }

    /// Values are rounded once for each asset.
    uint256 internal constant ROUNDING = ASSETS;

    mapping(bytes4 selector => bool) private _isNamed;
    mapping(Law => Breach) private _breaches;
    Spending[] private _spendings;
    mapping(uint256 sessionId => uint256 least) private _sessionSpent;
    /// Approvals that the owner gave, while they last.
    mapping(address token => mapping(address spender => uint256)) internal standing;
    bool internal hasStanding;
    /// True while a mark is offered that owner or operator signed.
    bool internal isMarkSigned;
    /// What lawful hands made of the rules.
    bytes32 public lawfulHash;
    address public lawfulOperator;
    address public lawfulGuardian;
    address public lawfulOwner;
    uint256 public lawfulSuspensions;
    uint256 public executions;

    function setUp() public virtual override {
        super.setUp();
        bytes4[] memory names = CageErrors.all();
        for (uint256 i; i < names.length; ++i) _isNamed[names[i]] = true;
        noteRules();
    }

    // ── Breaches ──

    function breach(Law law) external view returns (Breach memory) {
        return _breaches[law];
    }

    function demand(Law law, bool holds, uint256 actual, uint256 bound) internal {
        if (holds || _breaches[law].isBroken) return;
        _breaches[law] = Breach(true, actual, bound);
    }

    function demandAtMost(Law law, uint256 actual, uint256 bound) internal {
        demand(law, actual <= bound, actual, bound);
    }

    // ── The way in ──

    /// Calls cage or account as `caller`. Every error must have a name, every success a rightful caller, and the mark its
    /// own rules.
    function enter(
        address caller,
        address target,
        bytes memory call
    ) internal returns (bool success, bytes memory answer) {
        uint256 mark = cage.highWaterMark();
        bool isRightful = isEntitled(caller, target, bytes4(call));
        venue.forget();
        shady.forget();

        vm.prank(caller);
        (success, answer) = target.call(call);

        if (success) demand(Law.RightfulCallersOnly, isRightful, uint160(caller), uint32(bytes4(call)));
        else requireNamed(answer, bytes4(call));
        requireLawfulMark(mark, call);
        if (success) requireNothingInBetween(venue);
        if (success) requireNothingInBetween(shady);
    }

    function requireNamed(bytes memory reason, bytes4 selector) private {
        demand(Law.ErrorsNamed, _isNamed[bytes4(reason)], uint32(bytes4(reason)), uint32(selector));
    }

    function requireLawfulMark(uint256 mark, bytes memory call) private {
        uint256 next = cage.highWaterMark();
        bool isRaise = bytes4(call) == Cage.raiseHighWaterMark.selector && isMarkSigned;
        if (next > mark) demand(Law.MarkRisesBySignature, isRaise, next, mark);
        if (next < mark) demand(Law.MarkFallsByOwner, isMarkLowering(call), next, mark);
    }

    /// Who may call what, from section 4 of the specification.
    function isEntitled(address caller, address target, bytes4 selector) private view returns (bool) {
        bool isOwner = caller == cage.owner();
        if (target == address(account)) {
            if (selector == ICagedAccount.withdraw.selector) return isOwner;
            if (selector == ICagedAccount.ownerExecute.selector) return isOwner;
            if (selector == ICagedAccount.executeAs.selector) return false;
            Session memory session = cage.session();
            return caller == session.key && block.timestamp < session.expiresAt;
        }

        if (selector == Cage.trip.selector || selector == Cage.raiseHighWaterMark.selector) return true;
        if (selector == Ownable2Step.acceptOwnership.selector) return caller == cage.pendingOwner();
        if (selector == IWholeCage.renounceOwnership.selector) return false;
        if (isUrgent(selector) || selector == Cage.revoke.selector) return isOwner || caller == cage.guardian();
        return isOwner && !isEnforcement(selector);
    }

    /// What acts at once, in the middle of an execution too.
    function isUrgent(bytes4 selector) internal pure returns (bool) {
        return
            selector == IPolicyCage.emergencyHalt.selector ||
            selector == Cage.suspendAsset.selector ||
            selector == Cage.suspendProtocol.selector ||
            selector == Cage.closeSession.selector;
    }

    function isEnforcement(bytes4 selector) internal pure returns (bool) {
        return
            selector == Cage.beforeExecution.selector ||
            selector == Cage.afterExecution.selector ||
            selector == Cage.beforeTransfer.selector ||
            selector == Cage.afterTransfer.selector ||
            selector == Cage.beforeOwnerAction.selector ||
            selector == Cage.afterOwnerAction.selector ||
            selector == Cage.requireSession.selector ||
            selector == Cage.recordViolation.selector;
    }

    /// The owner's hand, and transfers to the owner's main wallet.
    function isMarkLowering(bytes memory data) private view returns (bool) {
        bytes4 selector = bytes4(data);
        if (selector == ICagedAccount.transferOut.selector) {
            address recipient;
            assembly {
                recipient := mload(add(data, 0x64))
            }
            return recipient == mainRecipient;
        }
        return
            selector == ICagedAccount.withdraw.selector ||
            selector == ICagedAccount.ownerExecute.selector ||
            selector == Cage.acknowledgeDrawdown.selector ||
            selector == Cage.removeAsset.selector;
    }

    /// Whoever is called back in the middle: owner, guardian, session key or nobody.
    function requireNothingInBetween(HostileVenue hostile) private {
        if (!hostile.hasReentered()) return;
        if (hostile.target() != address(cage) && hostile.target() != address(account)) return;
        bytes4 selector = bytes4(hostile.data());
        if (hostile.wasRefused()) {
            requireNamed(hostile.refusal(), selector);
            return;
        }
        demand(Law.NothingInBetween, isUrgent(selector), uint32(selector), 0);
        noteSuspensions();
    }

    // ── Executions ──

    /// @param named Assets that the call names, as bits.
    function look(address key, uint256 named) internal view returns (Before memory found) {
        for (uint256 i; i < ASSETS; ++i) {
            uint256 balance = balanceIn(i, address(account));
            found.balances[i] = balance;
            if (!isListed[i]) continue;
            if (!isSellOnly[i] && !cage.isSuspended(universe[i])) found.buyable |= 1 << i;
            if (i != USDC && balance <= dustOf[i] && (named >> i) & 1 == 0) continue;
            found.inPlay |= 1 << i;
            found.nav += valueOf(i, balance);
        }
        found.mark = cage.highWaterMark();
        found.session = cage.session();
        found.isActive = key == found.session.key && block.timestamp < found.session.expiresAt;
        found.isHalted = cage.isHalted();
        found.lastExecution = lastExecution();
    }

    function requireLawfulExecution(Before memory found) internal {
        Outcome memory outcome = requireLawfulSpending(found);
        requireBoundedLoss(found, outcome);
        requireBoundedPositions(found, outcome);
        for (uint256 i; i < ASSETS; ++i) if (i != USDC) requireBoundedConcentration(found, outcome, i);
        requireCountedPositions(found, outcome);
        requireWhitelisted(venue);
        requireWhitelisted(shady);
    }

    function requireLawfulTransfer(Before memory found, uint256 index, address recipient) internal {
        Outcome memory outcome = requireLawfulSpending(found);
        demand(Law.TransfersArrive, isRecipient(recipient), uint160(recipient), 0);
        // Nothing but what was sent left, unless the owner approved somebody.
        for (uint256 i; i < ASSETS; ++i) {
            if (i != index && !hasStanding) demandAtMost(Law.TransfersArrive, found.balances[i], outcome.balances[i]);
        }
        if (recipient == mainRecipient) requireScaledMark(found, outcome.navAfter);
    }

    /// All that holds for trades and transfers alike.
    function requireLawfulSpending(Before memory found) private returns (Outcome memory outcome) {
        ++executions;
        outcome = measure(found);
        demand(Law.HaltStops, !found.isHalted, executions, 0);
        demand(Law.OpenSessionOnly, found.isActive, uint160(found.session.key), found.session.expiresAt);
        requireCharged(found, outcome);
        requireCaps(found, outcome);
        requireRebalance(found);

        uint256 mark = cage.highWaterMark();
        uint256 navAfter = outcome.navAfter < mark ? outcome.navAfter : mark;
        demandAtMost(Law.BreakerHolds, (mark - navAfter) * 10_000, mark * thresholdBps);
        if (outcome.balances[USDC] < found.balances[USDC]) {
            demandAtMost(Law.ReserveKept, 300_000, outcome.balances[USDC]);
        }
        for (uint256 i; i < ASSETS; ++i) {
            // What is not listed can not leave but by an approval that the owner gave, and what is not in play is dust.
            if (isListed[i]) continue;
            demandAtMost(Law.OthersTakeNothing, found.balances[i], outcome.balances[i] + standingOf(i));
        }
        requireNoAllowance();
    }

    function measure(Before memory found) private view returns (Outcome memory outcome) {
        for (uint256 i; i < ASSETS; ++i) {
            uint256 balance = balanceIn(i, address(account));
            outcome.balances[i] = balance;
            if ((found.inPlay >> i) & 1 == 0) continue;
            outcome.navAfter += valueOf(i, balance);
            if (balance > found.balances[i]) outcome.grown |= 1 << i;
            if (balance >= found.balances[i]) continue;
            outcome.spentLeast += valueOf(i, found.balances[i] - balance);
            outcome.spentMost += valueUpOf(i, found.balances[i] - balance);
        }
    }

    /// The cage charges what balances say, neither less nor more.
    function requireCharged(Before memory found, Outcome memory outcome) private {
        uint256 charged = cage.session().spentUsdc - found.session.spentUsdc;
        demandAtMost(Law.ChargedInFull, outcome.spentLeast, charged);
        demandAtMost(Law.ChargedInFull, charged, outcome.spentMost);
        _spendings.push(Spending(block.timestamp, outcome.spentLeast, outcome.spentMost));
    }

    function requireCaps(Before memory found, Outcome memory outcome) private {
        uint256 id = found.session.id;
        _sessionSpent[id] += outcome.spentLeast;
        // A cap that was lowered below what is spent already lets nothing more through.
        if (outcome.spentLeast == 0) return;
        demandAtMost(Law.SpentAtOnce, outcome.spentLeast, perTransactionCap);
        demandAtMost(Law.SpentInSession, _sessionSpent[id], found.session.capUsdc);
        demandAtMost(Law.SpentInSession, _sessionSpent[id], perSessionCap);
        (uint256 spent, ) = spentWithin(24 hours);
        demandAtMost(Law.SpentIn24Hours, spent, perDayCap);
    }

    function requireRebalance(Before memory found) private {
        uint256 count;
        for (uint256 i = _spendings.length; i > 0 && _spendings[i - 1].time + 24 hours > block.timestamp; --i) ++count;
        demandAtMost(Law.RebalancesIn24Hours, count, rebalancesPerDay);
        if (found.lastExecution == 0) return;
        demandAtMost(Law.RebalancesIn24Hours, found.lastExecution + rebalanceInterval, block.timestamp);
    }

    function requireBoundedLoss(Before memory found, Outcome memory outcome) private {
        if (outcome.navAfter >= found.nav) return;
        uint256 allowed = (outcome.spentMost * lossBps) / 10_000 + 10_000;
        demandAtMost(Law.LossBounded, found.nav - outcome.navAfter, allowed + ROUNDING);
    }

    function requireBoundedPositions(Before memory found, Outcome memory outcome) private {
        for (uint256 i; i < ASSETS; ++i) {
            if ((outcome.grown >> i) & 1 == 0) continue;
            demand(Law.PositionsBounded, (found.buyable >> i) & 1 == 1, uint160(universe[i]), 0);
            if (i == USDC) continue;
            uint256 value = valueOf(i, outcome.balances[i]);
            demandAtMost(Law.PositionsBounded, value * 10_000, (outcome.navAfter + 1) * positionBps + 10_000);
        }
    }

    /// What the bearer of an asset's risk answers for, where it grew.
    function requireBoundedConcentration(Before memory found, Outcome memory outcome, uint256 index) private {
        if ((outcome.grown >> index) & 1 == 0) return;
        uint256 former;
        uint256 exposure;
        for (uint256 i; i < ASSETS; ++i) {
            if (i == USDC || bearerOf[i] != bearerOf[index] || (found.inPlay >> i) & 1 == 0) continue;
            former += valueOf(i, found.balances[i]);
            exposure += valueOf(i, outcome.balances[i]);
        }
        if (exposure <= former + ROUNDING) return;
        uint256 most = (outcome.navAfter + ROUNDING) * concentrationBps + ROUNDING * 10_000;
        demandAtMost(Law.ConcentrationBounded, exposure * 10_000, most);
    }

    /// Above their number nothing grows but the base asset.
    function requireCountedPositions(Before memory found, Outcome memory outcome) private {
        if (outcome.grown & ~(1 << USDC) == 0) return;
        uint256 held;
        for (uint256 i; i < ASSETS; ++i) {
            if (i != USDC && (found.inPlay >> i) & 1 == 1 && outcome.balances[i] > dustOf[i]) ++held;
        }
        demandAtMost(Law.PositionsCounted, held, mostPositions);
    }

    /// The venues remember what the account called.
    function requireWhitelisted(HostileVenue hostile) private {
        bytes4[] memory received = hostile.received();
        for (uint256 i; i < received.length; ++i) {
            bytes4 selector = received[i];
            demand(Law.NoAuthorityCall, !AuthoritySelectors.contains(selector), uint32(selector), 0);
            if (MulticallReader.isMulticall(selector)) continue;
            bool isAllowed = isPair(address(hostile), selector) || (isCalldataArbitrary && selector != 0);
            isAllowed = isAllowed && isProtocol(address(hostile));
            demand(Law.WhitelistedPairsOnly, isAllowed, uint32(selector), uint160(address(hostile)));
        }
    }

    function requireNoAllowance() private {
        address[4] memory spenders = [address(venue), address(shady), attacker, golem];
        for (uint256 i; i < ASSETS; ++i) {
            if (i == ETHER) continue;
            for (uint256 j; j < spenders.length; ++j) {
                uint256 left = IERC20(universe[i]).allowance(address(account), spenders[j]);
                demandAtMost(Law.AllowancesCleared, left, standing[universe[i]][spenders[j]]);
                standing[universe[i]][spenders[j]] = left;
            }
        }
    }

    /// What the owner allowed others to take of an asset, and they have not taken yet.
    function standingOf(uint256 index) private view returns (uint256) {
        mapping(address spender => uint256) storage given = standing[universe[index]];
        return given[address(venue)] + given[address(shady)];
    }

    // ── Mark ──

    /// After a transfer to the main wallet the mark is its share of the former one, rounded up.
    function requireScaledMark(Before memory found, uint256 navAfter) private {
        uint256 mark = cage.highWaterMark();
        if (navAfter >= found.nav) return demand(Law.MarkScalesByShare, mark == found.mark, mark, found.mark);
        uint256 least = navAfter > ROUNDING ? navAfter - ROUNDING : 0;
        demandAtMost(Law.MarkScalesByShare, found.mark * least, mark * found.nav);
        demandAtMost(Law.MarkScalesByShare, (mark - 1) * (found.nav - ROUNDING), found.mark * navAfter);
    }

    /// After an action of the owner the mark is its share of the former one, or gone where prices can not be read.
    function requireScaledMark(
        uint256 mark,
        bool wasReadable,
        uint256 former,
        bool isReadable,
        uint256 value
    ) internal {
        uint256 next = cage.highWaterMark();
        uint256 expected = mark;
        if (!wasReadable || !isReadable) expected = 0;
        else if (value < former) expected = (mark * value + former - 1) / former;
        demand(Law.MarkScalesByShare, next == expected, next, expected);
    }

    function readNav() internal view returns (bool isReadable, uint256 value) {
        try cage.nav() returns (uint256 found) {
            return (true, found);
        } catch {
            return (false, 0);
        }
    }

    // ── Rules ──

    /// Suspensions that stand: only a matured change lifts one.
    function noteSuspensions() internal {
        lawfulSuspensions |= suspensions();
    }

    /// What a lawful change made.
    function noteRules() internal {
        lawfulHash = cage.constitutionHash();
        lawfulOperator = cage.operator();
        lawfulGuardian = cage.guardian();
        lawfulOwner = cage.owner();
        lawfulSuspensions = suspensions();
    }

    /// @return bits Suspended assets by index, and above them the venues.
    function suspensions() public view returns (uint256 bits) {
        for (uint256 i; i < ASSETS; ++i) if (cage.isSuspended(universe[i])) bits |= 1 << i;
        if (cage.isSuspended(address(venue))) bits |= 1 << ASSETS;
        if (cage.isSuspended(address(shady))) bits |= 2 << ASSETS;
    }

    // ── Views ──

    function theCage() external view returns (IWholeCage) {
        return cage;
    }

    /// @return least What was spent in the last `span` seconds, rounded down.
    /// @return most The same, rounded up.
    function spentWithin(uint256 span) public view returns (uint256 least, uint256 most) {
        for (uint256 i = _spendings.length; i > 0; --i) {
            Spending storage spending = _spendings[i - 1];
            if (spending.time + span <= block.timestamp) break;
            least += spending.least;
            most += spending.most;
        }
    }

    function lastExecution() internal view returns (uint256) {
        uint256 count = _spendings.length;
        return count == 0 ? 0 : _spendings[count - 1].time;
    }

    function headroom() internal view returns (Headroom memory) {
        return cage.headroom();
    }
}
