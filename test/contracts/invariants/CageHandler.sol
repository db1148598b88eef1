// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ICagedAccount} from "../../../contracts/interfaces/ICagedAccount.sol";
import {IPolicyCage} from "../../../contracts/interfaces/IPolicyCage.sol";
import {IPolicyCageExtension as Cage} from "../../../contracts/interfaces/IPolicyCageExtension.sol";
import {Call, HighWaterMark, NATIVE, Session, Trade} from "../../../contracts/interfaces/Types.sol";
import {MockERC20} from "../../../contracts/mocks/MockERC20.sol";
import {MockSanctionsList} from "../../../contracts/mocks/MockSanctionsList.sol";
import {DyingFeed} from "../../../contracts/mocks/hostile/HostileOracles.sol";
import {HostileVenue} from "../../../contracts/mocks/hostile/HostileVenue.sol";
import {Vm} from "forge-std/Vm.sol";
import {Dice} from "../support/Dice.sol";
import {Law} from "./CageLaws.sol";
import {SetterMaker} from "./SetterMaker.sol";

/// @notice Everybody who acts in the world of a cage: a golem that has gone over, an owner, a guardian, strangers, time and
/// prices. Each action takes one seed, and none reverts.
abstract contract CageHandler is SetterMaker {
    using Dice for Dice.Cup;

    int256 private constant BEYOND_EVERY_BAND = 1e30;

    address internal otherGolem = makeAddr("other golem");
    bytes[] private _pending;
    mapping(bytes32 id => uint256 time) private _submittedAt;
    bytes32[] private _labels;
    mapping(bytes32 label => uint256) private _tried;
    mapping(bytes32 label => uint256) private _succeeded;
    /// How often each timelocked setter ran.
    mapping(bytes4 setter => uint256) public runs;

    /// @return list Every action, for the fuzzer to choose from.
    function actions() public pure returns (bytes4[] memory list) {
        list = new bytes4[](28);
        list[0] = this.golemSwaps.selector;
        list[1] = this.golemWraps.selector;
        list[2] = this.golemMulticalls.selector;
        list[3] = this.golemBatches.selector;
        list[4] = this.golemTriesAnything.selector;
        list[5] = this.golemMixes.selector;
        list[6] = this.golemReenters.selector;
        list[7] = this.golemAttempts.selector;
        list[8] = this.golemTransfers.selector;
        list[9] = this.ownerOpensSession.selector;
        list[10] = this.ownerSubmits.selector;
        list[11] = this.ownerRunsSetter.selector;
        list[12] = this.ownerConfigures.selector;
        list[13] = this.ownerRevokes.selector;
        list[14] = this.ownerWithdraws.selector;
        list[15] = this.ownerCalls.selector;
        list[16] = this.ownerHaltsOrResumes.selector;
        list[17] = this.ownerAcknowledges.selector;
        list[18] = this.ownerHandsOver.selector;
        list[19] = this.anyoneRaisesMark.selector;
        list[20] = this.guardianActs.selector;
        list[21] = this.strangerActs.selector;
        list[22] = this.strangerTrips.selector;
        list[23] = this.strangerDonates.selector;
        list[24] = this.timePasses.selector;
        list[25] = this.pricesMove.selector;
        list[26] = this.feedsDie.selector;
        list[27] = this.oraclesFail.selector;
    }

    // ── Golem ──

    function golemSwaps(uint256 seed) external {
        Dice.Cup memory cup = prepared(seed);
        execute("swap", cup, tradesOf(fairSwap(cup, worth(cup))));
    }

    function golemWraps(uint256 seed) external {
        Dice.Cup memory cup = prepared(seed);
        execute("wrap", cup, tradesOf(wrap(cup, worth(cup))));
    }

    function golemMulticalls(uint256 seed) external {
        Dice.Cup memory cup = prepared(seed);
        execute("multicall", cup, tradesOf(multicall(cup, worth(cup))));
    }

    function golemBatches(uint256 seed) external {
        Dice.Cup memory cup = prepared(seed);
        Trade[] memory trades = new Trade[](cup.between(2, 4));
        for (uint256 i; i < trades.length; ++i) {
            uint256 share = worth(cup) / trades.length;
            trades[i] = cup.oneIn(3) ? wrap(cup, share) : fairSwap(cup, share);
        }
        execute("batch", cup, trades);
    }

    function golemTriesAnything(uint256 seed) external {
        Dice.Cup memory cup = prepared(seed);
        execute("anything", cup, tradesOf(hostileTrade(cup)));
    }

    /// A robbery hidden among fair trades.
    function golemMixes(uint256 seed) external {
        Dice.Cup memory cup = prepared(seed);
        Trade[] memory trades = new Trade[](cup.between(0, 3));
        for (uint256 i; i < trades.length; ++i) {
            trades[i] = cup.oneIn(2) ? hostileTrade(cup) : fairSwap(cup, worth(cup));
        }
        execute("mix", cup, trades);
    }

    /// Somebody calls back: the venue itself, or a token's hook, in the name of owner, guardian, session key or nobody.
    function golemReenters(uint256 seed) external {
        Dice.Cup memory cup = prepared(seed);
        arm(cup);
        Trade memory trade = callOf(cup, abi.encodeCall(HostileVenue.reenter, ()));
        if (cup.oneIn(2)) {
            uint256 amount = sellable(HOOK, 500e6);
            trade = swapOf(venue, HOOK, amount, USDC, fairOut(cup, HOOK, amount, USDC));
        }
        execute("reenter", cup, tradesOf(trade));
        disarm();
    }

    function golemAttempts(uint256 seed) external {
        Dice.Cup memory cup = prepared(seed);
        if (cup.oneIn(4)) arm(cup);
        attempt(pickKey(cup), tradesOf(cup.oneIn(2) ? hostileTrade(cup) : fairSwap(cup, worth(cup))));
        disarm();
    }

    function attempt(address key, Trade[] memory trades) private {
        Before memory found = look(key, namedIn(trades));
        bytes32 state = stateOfAccount();
        vm.recordLogs();
        (bool success, bytes memory answer) = enter(
            key,
            address(account),
            abi.encodeCall(ICagedAccount.attempt, (trades))
        );
        bool isExecuted = success && abi.decode(answer, (bool));
        count("attempt", isExecuted);
        count("refused attempt", success && !isExecuted);
        if (!success) return;
        uint256 violations = countViolations(vm.getRecordedLogs());
        demand(Law.RefusalChangesNothing, violations == (isExecuted ? 0 : 1), violations, 0);
        if (isExecuted) requireLawfulExecution(found);
        else demand(Law.RefusalChangesNothing, stateOfAccount() == state, 0, 0);
    }

    function golemTransfers(uint256 seed) external {
        Dice.Cup memory cup = prepared(seed);
        uint256 index = cup.oneIn(2) ? USDC : cup.roll() % ASSETS;
        address[] memory recipients = new address[](5);
        recipients[0] = mainRecipient;
        recipients[1] = mainRecipient;
        recipients[2] = cladeWallet;
        recipients[3] = address(cladeContract);
        recipients[4] = attacker;
        address recipient = cup.pick(recipients);
        if (cup.oneIn(2)) arm(cup);
        transfer(cup, index, sellable(index, worth(cup) / 4), recipient);
        disarm();
    }

    function transfer(Dice.Cup memory cup, uint256 index, uint256 amount, address recipient) private {
        address key = pickKey(cup);
        Before memory found = look(key, 1 << index);
        uint256 held = balanceIn(index, recipient);
        (bool success, ) = enter(
            key,
            address(account),
            abi.encodeCall(ICagedAccount.transferOut, (universe[index], amount, recipient))
        );
        count("transferOut", success);
        if (!success) return;
        count("transferOut to main wallet", recipient == mainRecipient);
        count("transferOut to a contract", recipient == address(cladeContract));
        uint256 received = balanceIn(index, recipient) - held;
        demand(Law.TransfersArrive, received == amount, received, amount);
        requireLawfulTransfer(found, index, recipient);
        if (recipient != address(cladeContract) || index != ETHER || cladeContract.target() == address(0)) return;
        bool isRefused = cladeContract.wasRefused() || cladeContract.target() == address(shady);
        demand(Law.NothingInBetween, isRefused, uint32(bytes4(cladeContract.data())), 0);
    }

    // ── Owner ──

    function ownerOpensSession(uint256 seed) external {
        openAnySession(Dice.Cup(seed));
    }

    function ownerSubmits(uint256 seed) external {
        Dice.Cup memory cup = Dice.Cup(seed);
        submitAny(cup, cup.oneIn(8) ? garbage(cup) : anySetter(cup));
    }

    function ownerRunsSetter(uint256 seed) external {
        Dice.Cup memory cup = Dice.Cup(seed);
        bytes memory call = _pending.length == 0 || cup.oneIn(8)
            ? anySetter(cup)
            : _pending[cup.roll() % _pending.length];
        if (cup.oneIn(2)) waitFor(call);
        runAny(cup.oneIn(10) ? attacker : cage.owner(), call);
    }

    /// A change from submission to its end.
    function ownerConfigures(uint256 seed) external {
        Dice.Cup memory cup = Dice.Cup(seed);
        bytes memory call = cup.oneIn(4) ? repair(cup) : anySetter(cup);
        recover();
        submitAny(cup, call);
        waitFor(call);
        runAny(cage.owner(), call);
    }

    function ownerRevokes(uint256 seed) external {
        Dice.Cup memory cup = Dice.Cup(seed);
        bytes memory call = _pending.length == 0 ? anySetter(cup) : _pending[cup.roll() % _pending.length];
        address caller = cup.oneIn(2) ? cage.owner() : cage.guardian();
        (bool success, ) = enter(caller, address(cage), abi.encodeCall(Cage.revoke, (call)));
        count("revoke", success);
        if (success) _submittedAt[keccak256(call)] = 0;
    }

    function ownerWithdraws(uint256 seed) external {
        Dice.Cup memory cup = Dice.Cup(seed);
        if (cup.oneIn(3)) arm(cup);
        if (cup.oneIn(4)) kill(cup);
        uint256 index = cup.roll() % ASSETS;
        uint256 held = balanceIn(index, address(account));
        uint256 amount = cup.oneIn(10) ? held + cup.between(0, 1) : held / cup.between(20, 1_000);
        bytes memory call = abi.encodeCall(
            ICagedAccount.withdraw,
            (universe[index], amount, cup.oneIn(10) ? address(0) : mainWallet)
        );
        act("withdraw", cup.oneIn(10) ? attacker : cage.owner(), call);
        disarm();
    }

    function ownerCalls(uint256 seed) external {
        Dice.Cup memory cup = Dice.Cup(seed);
        if (cup.oneIn(4)) arm(cup);
        if (cup.oneIn(4)) kill(cup);
        uint256 kind = cup.roll() % 8;
        if (kind < 2) approveForGood(cup);
        else act("ownerExecute", cage.owner(), abi.encodeCall(ICagedAccount.ownerExecute, (ownerCall(cup, kind))));
        disarm();
    }

    function ownerCall(Dice.Cup memory cup, uint256 kind) private view returns (Call[] memory) {
        address asset = universe[pickToken(cup)];
        uint256 amount = IERC20(asset).balanceOf(address(account)) / cup.between(50, 1_000);
        if (kind == 2) return callsOf(asset, 0, abi.encodeCall(IERC20.transfer, (mainWallet, amount)));
        if (kind == 3) return callsOf(address(weth), sellable(ETHER, 500e6), "");
        if (kind == 4) return callsOf(cup.oneIn(2) ? address(cage) : address(account), 0, "");
        if (kind == 5) return callsOf(address(venue), 0, abi.encodeCall(HostileVenue.fail, ("no")));
        if (kind == 6) return new Call[](0);
        return callsOf(address(venue), 0, abi.encodeCall(HostileVenue.reenter, ()));
    }

    function approveForGood(Dice.Cup memory cup) private {
        address asset = universe[pickToken(cup)];
        address spender = address(pickVenue(cup));
        uint256 amount = cup.oneIn(3) ? 0 : IERC20(asset).balanceOf(address(account)) / cup.between(200, 2_000);
        bytes memory approval = abi.encodeCall(IERC20.approve, (spender, amount));
        bool success = act(
            "standing approval",
            cage.owner(),
            abi.encodeCall(ICagedAccount.ownerExecute, (callsOf(asset, 0, approval)))
        );
        if (!success) return;
        standing[asset][spender] = amount;
        hasStanding = true;
    }

    /// An owner's action on the account, and the mark that follows from it.
    function act(bytes32 label, address caller, bytes memory call) private returns (bool success) {
        uint256 mark = cage.highWaterMark();
        (bool wasReadable, uint256 former) = readNav();
        (success, ) = enter(caller, address(account), call);
        count(label, success);
        if (!success) return false;
        (bool isReadable, uint256 value) = readNav();
        requireScaledMark(mark, wasReadable, former, isReadable, value);
        count("mark scaled", mark != 0 && isReadable && value < former);
        count("mark cleared", mark != 0 && !isReadable);
    }

    function ownerHaltsOrResumes(uint256 seed) external {
        Dice.Cup memory cup = Dice.Cup(seed);
        if (cup.oneIn(2)) urgent("halt", cage.owner(), abi.encodeCall(IPolicyCage.emergencyHalt, ()));
        else urgent("resume", cage.owner(), abi.encodeCall(IPolicyCage.resume, ()));
    }

    function ownerAcknowledges(uint256) external {
        acknowledge();
    }

    function ownerHandsOver(uint256) external {
        handOver();
    }

    // ── Guardian and strangers ──

    function guardianActs(uint256 seed) external {
        Dice.Cup memory cup = Dice.Cup(seed);
        address caller = cup.oneIn(8) ? attacker : cup.oneIn(4) ? cage.owner() : cage.guardian();
        uint256 kind = cup.roll() % 5;
        if (kind == 0) urgent("halt", caller, abi.encodeCall(IPolicyCage.emergencyHalt, ()));
        else if (kind == 1) urgent("closeSession", caller, abi.encodeCall(Cage.closeSession, ()));
        else if (kind == 2) urgent("suspendProtocol", caller, abi.encodeCall(Cage.suspendProtocol, (anyProtocol(cup))));
        else if (kind == 3) urgent("suspendAsset", caller, abi.encodeCall(Cage.suspendAsset, (anyAsset(cup))));
        else if (cup.oneIn(2)) urgent("overreach", caller, abi.encodeCall(IPolicyCage.resume, ()));
        else urgent("overreach", caller, abi.encodeCall(Cage.acknowledgeDrawdown, ()));
    }

    function urgent(bytes32 label, address caller, bytes memory call) private {
        (bool success, ) = enter(caller, address(cage), call);
        count(label, success);
        if (success) noteSuspensions();
    }

    /// Anybody may call anything; what may come of it is for `enter` to judge.
    function strangerActs(uint256 seed) external {
        Dice.Cup memory cup = Dice.Cup(seed);
        uint256[ASSETS] memory held = balances();
        address[] memory callers = new address[](4);
        callers[0] = attacker;
        callers[1] = golem;
        callers[2] = otherGolem;
        callers[3] = address(venue);
        address caller = cup.pick(callers);
        if (caller == cage.owner() || caller == cage.session().key) caller = attacker;
        (address target, bytes memory call) = cup.oneIn(2) ? reentry(cup) : strangeCall(cup);
        if (target == address(shady)) (target, call) = strangeCall(cup);
        // The mark among these calls is signed by the operator of the start.
        isMarkSigned = bytes4(call) == Cage.raiseHighWaterMark.selector && cage.operator() == operator;
        (bool success, ) = enter(caller, target, call);
        isMarkSigned = false;
        count("stranger", success);
        if (success) noteSuspensions();
        // The venue may have been offered the cage; `enter` has judged whether it was.
        if (success && bytes4(call) == Ownable2Step.acceptOwnership.selector) lawfulOwner = cage.owner();
        for (uint256 i; i < ASSETS; ++i) {
            uint256 left = balanceIn(i, address(account));
            if (!hasStanding) demandAtMost(Law.OthersTakeNothing, held[i], left);
        }
    }

    function strangeCall(Dice.Cup memory cup) private view returns (address, bytes memory) {
        uint256 kind = cup.roll() % 8;
        if (kind == 0) return (address(cage), abi.encodeCall(Cage.beforeOwnerAction, ()));
        if (kind == 1) return (address(cage), abi.encodeCall(Cage.afterTransfer, ()));
        if (kind == 2) return (address(cage), abi.encodeCall(Cage.beforeTransfer, (golem, NATIVE, mainWallet)));
        if (kind == 3) return (address(cage), abi.encodeCall(Cage.recordViolation, (golem, "")));
        if (kind == 4) return (address(cage), abi.encodeCall(Cage.submit, (anySetter(cup))));
        if (kind == 5) return (address(cage), abi.encodeWithSelector(Ownable2Step.acceptOwnership.selector));
        if (kind == 6) return (address(cage), abi.encodeCall(Ownable2Step.transferOwnership, (attacker)));
        return (address(cage), anySetter(cup));
    }

    function strangerTrips(uint256 seed) external {
        Dice.Cup memory cup = Dice.Cup(seed);
        recover();
        if (cup.oneIn(2)) crash();
        (bool success, ) = enter(attacker, address(cage), abi.encodeCall(Cage.trip, ()));
        count("trip", success);
    }

    function strangerDonates(uint256 seed) external {
        Dice.Cup memory cup = Dice.Cup(seed);
        uint256 index = cup.roll() % ASSETS;
        uint256 amount = cup.oneIn(2) ? cup.between(0, dustOf[index] + 1) : amountOf(index, cup.between(1e6, 20_000e6));
        uint256[ASSETS] memory held = balances();
        if (index == ETHER) {
            vm.deal(attacker, amount);
            vm.prank(attacker);
            (bool success, ) = address(account).call{value: amount}("");
            count("donate", success);
        } else {
            vm.prank(address(venue));
            count("donate", MockERC20(universe[index]).transfer(address(account), amount));
        }
        for (uint256 i; i < ASSETS; ++i) {
            demandAtMost(Law.OthersTakeNothing, held[i], balanceIn(i, address(account)));
        }
    }

    function anyoneRaisesMark(uint256 seed) external {
        Dice.Cup memory cup = Dice.Cup(seed);
        if (!cup.oneIn(4)) recover();
        (bool isReadable, uint256 value) = readNav();
        uint256 mark = cage.highWaterMark();
        if (cup.oneIn(4)) mark = mark + cup.between(0, 2) - (mark == 0 ? 0 : 1);
        else mark = mark < value ? cup.between(mark, value) : value + cup.between(0, 2);
        raise(cup, mark, isReadable ? value : 0);
    }

    // ── Time, prices, feeds ──

    function timePasses(uint256 seed) external {
        Dice.Cup memory cup = Dice.Cup(seed);
        passTime(cup.jump(block.timestamp));
        count("time passes", true);
    }

    function pricesMove(uint256 seed) external {
        Dice.Cup memory cup = Dice.Cup(seed);
        uint256 moves = cup.between(1, 4);
        for (uint256 i; i < moves; ++i) {
            uint256 index = cup.between(WETH, STRAY);
            uint256 percent = cup.oneIn(12) ? cup.between(55, 160) : cup.between(94, 107);
            move(index, (uint256(answers[index]) * percent) / 100);
        }
        if (cup.oneIn(4)) setAnswer(USDC, int256(cup.between(98_500_000, 101_500_000)));
        if (cup.oneIn(12)) setAnswer(USDC, int256(cup.between(95_000_000, 105_000_000)));
        count("prices move", true);
    }

    function feedsDie(uint256 seed) external {
        kill(Dice.Cup(seed));
        count("feed dies", true);
    }

    function oraclesFail(uint256 seed) external {
        Dice.Cup memory cup = Dice.Cup(seed);
        MockSanctionsList list = cup.oneIn(4) ? otherList : sanctions;
        if (cup.oneIn(2)) list.setFailure(MockSanctionsList.Failure(cup.roll() % 6));
        address[] memory targets = new address[](4);
        targets[0] = address(venue);
        targets[1] = address(shady);
        targets[2] = address(weth);
        targets[3] = mainWallet;
        list.set(cup.pick(targets), true);
        count("oracle fails", true);
    }

    // ── The end ──

    /// Every feed and oracle dies, one asset can not even be read; the owner takes out all the rest.
    function ownerLeaves() external {
        for (uint256 i; i < ASSETS; ++i) {
            isDead[i] = true;
            if (i != ETHER) setRound(i, 0, 0);
            if (i >= HOOK) DyingFeed(feeds[i]).setFailure(DyingFeed.Failure(1 + i % 4));
        }
        sanctions.setFailure(MockSanctionsList.Failure.BurnGas);
        otherList.setFailure(MockSanctionsList.Failure.Revert);
        disarm();
        address leaving = cage.owner();
        bytes memory unwind = abi.encodeCall(HostileVenue.swap, (NATIVE, 0, address(usdc), 5e6, address(account)));
        Call[] memory calls = callsOf(address(venue), 0, unwind);
        bool success = act("unwind", leaving, abi.encodeCall(ICagedAccount.ownerExecute, (calls)));
        demand(Law.OwnerLeaves, success, ASSETS, 0);
        for (uint256 i; i < ASSETS; ++i) {
            uint256 held = balanceIn(i, address(account));
            uint256 had = balanceIn(i, mainWallet);
            if (i == WBTC) vm.mockCallRevert(universe[i], abi.encodeCall(IERC20.balanceOf, (address(account))), "dead");
            bytes memory call = abi.encodeCall(ICagedAccount.withdraw, (universe[i], held, mainWallet));
            success = act("last withdraw", leaving, call);
            vm.clearMockedCalls();
            demand(Law.OwnerLeaves, success, i, 0);
            uint256 fees = i == FEE ? held / 100 : 0;
            demand(Law.OwnerLeaves, balanceIn(i, mainWallet) == had + held - fees, i, held);
        }
    }

    // ── What was reached ──

    function labels() external view returns (bytes32[] memory) {
        return _labels;
    }

    function tally(bytes32 label) external view returns (uint256 tried, uint256 succeeded) {
        return (_tried[label], _succeeded[label]);
    }

    // ── Parts ──

    function execute(bytes32 label, Dice.Cup memory cup, Trade[] memory trades) private {
        address key = pickKey(cup);
        Before memory found = look(key, namedIn(trades));
        (bool success, ) = enter(key, address(account), abi.encodeCall(ICagedAccount.execute, (trades)));
        count(label, success);
        count("execute", success);
        if (success) requireLawfulExecution(found);
    }

    function openAnySession(Dice.Cup memory cup) private {
        address[] memory keys = new address[](6);
        keys[0] = golem;
        keys[1] = golem;
        keys[2] = otherGolem;
        keys[3] = address(venue);
        keys[4] = cup.oneIn(8) ? address(account) : golem;
        keys[5] = cup.oneIn(8) ? cage.owner() : golem;
        uint256 cap = cup.oneIn(12) ? cup.roll() : cup.between(perSessionCap / 4, perSessionCap);
        uint256 expiresAt = block.timestamp + (cup.oneIn(12) ? 0 : cup.between(1 hours, 60 days));
        bytes memory call = abi.encodeCall(Cage.openSession, (cup.pick(keys), cap, expiresAt));
        (bool success, ) = enter(cup.oneIn(20) ? attacker : cage.owner(), address(cage), call);
        count("openSession", success);
    }

    function submitAny(Dice.Cup memory cup, bytes memory call) private {
        address caller = cup.oneIn(20) ? attacker : cage.owner();
        (bool success, ) = enter(caller, address(cage), abi.encodeCall(Cage.submit, (call)));
        count("submit", success);
        if (!success) return;
        _pending.push(call);
        _submittedAt[keccak256(call)] = block.timestamp;
    }

    /// Calldata that does not decode, or names something that is no setter.
    function garbage(Dice.Cup memory cup) private view returns (bytes memory data) {
        data = anySetter(cup);
        uint256 kind = cup.roll() % 4;
        uint256 word = cup.oneIn(2) ? cup.roll() : cup.between(0, 300);
        uint256 length = cup.between(0, data.length);
        uint256 offset = 4 + 32 * cup.between(0, data.length / 32 - 1);
        assembly {
            switch kind
            case 0 {
                mstore(data, length)
            }
            case 1 {
                mstore(add(data, 0x20), word)
            }
            default {
                mstore(add(add(data, 0x20), offset), word)
            }
        }
    }

    function waitFor(bytes memory call) private {
        uint256 matures = cage.maturesAt(call);
        if (matures > block.timestamp) passTime(matures - block.timestamp);
    }

    function runAny(address caller, bytes memory call) private {
        bytes32 id = keccak256(call);
        uint256 submittedAt = _submittedAt[id];
        uint256 mark = cage.highWaterMark();
        (bool wasReadable, uint256 former) = readNav();
        (bool success, ) = enter(caller, address(cage), call);
        count("setter", success);
        if (!success) return;

        ++runs[bytes4(call)];
        uint256 tier = tierOf(bytes4(call));
        bool isImmediate = keccak256(abi.encodeCall(Cage.setSanctionsScreening, (true))) == id;
        if (!isImmediate) {
            demand(Law.DelayBeforeChange, submittedAt != 0, uint32(bytes4(call)), 0);
            demandAtMost(Law.DelayBeforeChange, submittedAt + tier, block.timestamp);
            demandAtMost(Law.DelayBeforeChange, block.timestamp, submittedAt + tier + 14 days);
            _submittedAt[id] = 0;
        }
        if (bytes4(call) == Cage.removeAsset.selector) {
            (bool isReadable, uint256 value) = readNav();
            // Removing what is not held leaves the mark alone, readable or not.
            if (wasReadable && isReadable) requireScaledMark(mark, true, former, true, value);
        }
        learn();
        noteRules();
    }

    function raise(Dice.Cup memory cup, uint256 value, uint256 nav) private {
        HighWaterMark memory mark = markOf(value);
        if (cup.oneIn(10)) mark.nonce += 1;
        if (cup.oneIn(10)) mark.asOf -= cup.between(1 hours - 1, 1 hours + 1);
        if (cup.oneIn(10)) mark.deadline = block.timestamp - cup.between(0, 1);
        uint256[4] memory keys = [operatorKey, operatorKey, ownerKey, uint256(0xBAD)];
        uint256 key = keys[cup.roll() % 4];
        bytes memory signature = signMark(mark, key);
        bool isForged = cup.oneIn(8);
        if (isForged) mark.value += 1;
        if (cup.oneIn(16)) signature = "";
        address signer = vm.addr(key);
        isMarkSigned = !isForged && (signer == cage.owner() || signer == cage.operator());
        bytes memory call = abi.encodeCall(Cage.raiseHighWaterMark, (mark, signature));
        (bool success, ) = enter(attacker, address(cage), call);
        isMarkSigned = false;
        count("raise", success);
        if (success) demandAtMost(Law.MarkRisesBySignature, mark.value, nav);
    }

    function acknowledge() private {
        uint256 mark = cage.highWaterMark();
        (bool isReadable, uint256 value) = readNav();
        (bool success, ) = enter(cage.owner(), address(cage), abi.encodeCall(Cage.acknowledgeDrawdown, ()));
        count("acknowledge", success);
        if (!success) return;
        uint256 expected = !isReadable ? 0 : mark < value ? mark : value;
        demand(Law.MarkScalesByShare, cage.highWaterMark() == expected, cage.highWaterMark(), expected);
    }

    /// From the owner's key to the hostile venue, or back.
    function handOver() private {
        address next = cage.owner() == owner ? address(venue) : owner;
        enter(cage.owner(), address(cage), abi.encodeCall(Ownable2Step.transferOwnership, (next)));
        (bool success, ) = enter(next, address(cage), abi.encodeWithSelector(Ownable2Step.acceptOwnership.selector));
        count("hand over", success);
        if (success) noteRules();
    }

    /// Mostly the golem finds a world in which it can act, by the owner's lawful hand.
    function prepared(uint256 seed) private returns (Dice.Cup memory cup) {
        cup = Dice.Cup(seed);
        if (cup.oneIn(10)) return cup;
        recover();
        if (cage.isHalted()) enter(cage.owner(), address(cage), abi.encodeCall(IPolicyCage.resume, ()));
        Session memory session = cage.session();
        if (block.timestamp >= session.expiresAt || headroom().perSessionUsdc < 500e6) openAnySession(cup);
        uint256 next = headroom().nextRebalanceAt;
        if (next > block.timestamp) passTime(next - block.timestamp);
        if (headroom().rebalances == 0 || headroom().perDayUsdc < 500e6) passTime(cup.between(1 hours, 25 hours));
        (, uint256 value) = readNav();
        uint256 mark = cage.highWaterMark();
        if (cage.trippedBps() != 0 || value * 10_000 < mark * (10_000 - thresholdBps)) acknowledge();
        if (cage.highWaterMark() != 0) return cup;
        if (cage.owner() != owner) handOver();
        raiseFirst(value);
    }

    function raiseFirst(uint256 value) private {
        HighWaterMark memory mark = markOf(value);
        isMarkSigned = cage.owner() == owner;
        bytes memory call = abi.encodeCall(Cage.raiseHighWaterMark, (mark, signMark(mark, ownerKey)));
        (bool success, ) = enter(attacker, address(cage), call);
        isMarkSigned = false;
        count("raise", success);
    }

    /// A feed answers nothing, nonsense, in the future or long ago.
    function kill(Dice.Cup memory cup) private {
        uint256 index = cup.roll() % ASSETS;
        if (index == ETHER) index = WETH;
        isDead[index] = true;
        uint256 kind = cup.roll() % 5;
        if (kind == 0) setRound(index, 0, block.timestamp);
        else if (kind == 1) setRound(index, -answers[index], block.timestamp);
        else if (kind == 2) setRound(index, BEYOND_EVERY_BAND, block.timestamp);
        else if (kind == 3) setRound(index, answers[index], block.timestamp + 1);
        else setRound(index, answers[index], block.timestamp - 30 days);
        if (index >= HOOK) DyingFeed(feeds[index]).setFailure(DyingFeed.Failure(cup.roll() % 5));
    }

    /// Feeds answer again, USDC is on its peg, the lists are clear.
    function recover() private {
        for (uint256 i; i < ASSETS; ++i) {
            isDead[i] = false;
            if (i >= HOOK) DyingFeed(feeds[i]).setFailure(DyingFeed.Failure.None);
        }
        if (answers[USDC] < 98_500_000 || answers[USDC] > 101_500_000) setAnswer(USDC, 1e8);
        report();
        clear(sanctions);
        clear(otherList);
    }

    function clear(MockSanctionsList list) private {
        list.setFailure(MockSanctionsList.Failure.None);
        list.set(address(venue), false);
        list.set(address(shady), false);
        list.set(address(weth), false);
        list.set(mainWallet, false);
    }

    /// Everything but dollars is worth a fifteenth of what it was at the start.
    function crash() private {
        for (uint256 i = WETH; i < ASSETS; ++i) if (i != ETHER) setAnswer(i, firstAnswers[i] / 15);
        count("crash", true);
    }

    /// Prices stay inside their bands, and come back from a crash.
    function move(uint256 index, uint256 next) private {
        if (index == ETHER) index = WETH;
        uint256 first = uint256(firstAnswers[index]);
        setAnswer(index, int256(next < first / 8 || next > first * 20 ? first : next));
    }

    /// Whoever is called in the middle calls back.
    function arm(Dice.Cup memory cup) private {
        (address target, bytes memory data) = reentry(cup);
        venue.set(target, data);
        shady.set(target, data);
        cladeContract.set(target, data, false);
        address caller = cup.oneIn(2) ? address(venue) : address(shady);
        bytes memory reenter = abi.encodeCall(HostileVenue.reenter, ());
        if (cup.oneIn(2)) hook.setHook(caller, reenter, cup.oneIn(4));
        else hook.setHook(target, data, cup.oneIn(4));
    }

    function disarm() private {
        venue.set(address(0), "");
        shady.set(address(0), "");
        cladeContract.set(address(0), "", false);
        hook.setHook(address(0), "", false);
    }

    function pickKey(Dice.Cup memory cup) private view returns (address) {
        return cup.oneIn(20) ? attacker : cage.session().key;
    }

    /// Usually well inside what may be spent, now and then all of it or more.
    function worth(Dice.Cup memory cup) private view returns (uint256) {
        uint256 most = headroom().spendableUsdc;
        if (cup.oneIn(8)) return most;
        if (cup.oneIn(8)) return cup.between(most, most * 2 + 1e6);
        return cup.between(most / 50, most / 2);
    }

    function balances() private view returns (uint256[ASSETS] memory held) {
        for (uint256 i; i < ASSETS; ++i) held[i] = balanceIn(i, address(account));
    }

    /// Everything that an execution changes.
    function stateOfAccount() private view returns (bytes32) {
        bytes memory amounts = abi.encode(balances(), cage.dailySpent(), cage.rebalancesToday(), cage.highWaterMark());
        bytes memory rules = abi.encode(cage.session(), cage.trippedBps(), cage.isHalted(), suspensions());
        return keccak256(bytes.concat(amounts, rules, abi.encode(cage.constitutionHash(), cage.highWaterMarkNonce())));
    }

    function countViolations(Vm.Log[] memory logs) private view returns (uint256 violations) {
        for (uint256 i; i < logs.length; ++i) {
            bool isViolation = logs[i].topics.length > 0 && logs[i].topics[0] == IPolicyCage.CageViolation.selector;
            if (logs[i].emitter == address(cage) && isViolation) ++violations;
        }
    }

    function count(bytes32 label, bool success) private {
        if (_tried[label] == 0) _labels.push(label);
        ++_tried[label];
        if (success) ++_succeeded[label];
    }
}
