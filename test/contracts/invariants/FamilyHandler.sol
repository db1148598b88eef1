// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ICageFamily} from "../../../contracts/interfaces/annex/ICageFamily.sol";
import {IGolemEntry} from "../../../contracts/interfaces/IGolemEntry.sol";
import {IPolicyCage} from "../../../contracts/interfaces/IPolicyCage.sol";
import {Trade} from "../../../contracts/interfaces/Types.sol";
import {Dice} from "../support/Dice.sol";
import {FamilyFixture} from "../support/FamilyFixture.sol";
import {IWholeCage} from "../support/CageFixture.sol";

/// @notice A parent, two children and a grandchild, the golems of all of which have gone over, and their owner, who halts, releases, adopts
/// and changes as it comes. What was spent is counted one by one beside them. No action reverts.
abstract contract FamilyHandler is FamilyFixture {
    using Dice for Dice.Cup;

    struct Spending {
        uint256 time;
        uint256 who;
        uint256 amount;
    }

    uint256 private constant MEMBERS = 4;
    uint256 private constant NONE = type(uint256).max;

    IWholeCage[MEMBERS] public members;
    Spending[] private _spendings;
    /// The law that broke first, and what broke it.
    string public broken;
    uint256 public executed;
    uint256 public refusedByAFamily;
    uint256 public refusedInside;

    /// After `setUp`.
    function begin() public {
        found();
        members = [parent, child, sibling, grandchild];
        for (uint256 i; i < MEMBERS; ++i) {
            use(members[i]);
            openSession(golem, 1_000_000e6);
            usdc.mint(address(account), 10_000_000e6);
            raiseMark(nav());
        }
    }

    function actions() external pure returns (bytes4[] memory list) {
        list = new bytes4[](7);
        list[0] = this.golemTrades.selector;
        list[1] = this.golemTransfers.selector;
        list[2] = this.golemReenters.selector;
        list[3] = this.ownerHaltsOrResumes.selector;
        list[4] = this.ownerShares.selector;
        list[5] = this.ownerChanges.selector;
        list[6] = this.timePasses.selector;
    }

    /// Golems act oftener than their owner does.
    function act(uint256 seed) public {
        uint256 kind = seed % 12;
        if (kind < 5) golemTrades(seed);
        else if (kind == 5) golemTransfers(seed);
        else if (kind < 8) golemReenters(seed);
        else if (kind == 8) ownerHaltsOrResumes(seed);
        else if (kind == 9) ownerShares(seed);
        else if (kind == 10) ownerChanges(seed);
        else timePasses(seed);
    }

    // ── Golems ──

    function golemTrades(uint256 seed) public {
        Dice.Cup memory cup = Dice.Cup(seed);
        uint256 who = choose(cup);
        uint256 worth = cup.between(1, 40_000) * 1e6;
        Trade[] memory trades = cup.oneIn(3) ? sellWeth(worth * 5e8) : buyWeth(worth);
        run(who, address(entry), abi.encodeCall(IGolemEntry.execute, (trades)));
    }

    function golemTransfers(uint256 seed) public {
        Dice.Cup memory cup = Dice.Cup(seed);
        uint256 who = choose(cup);
        uint256 worth = cup.between(1, 40_000) * 1e6;
        run(who, address(entry), abi.encodeCall(IGolemEntry.transferOut, (address(usdc), worth, cladeWallet)));
    }

    /// One of them runs, and inside it another. Two of one family never do.
    function golemReenters(uint256 seed) public {
        Dice.Cup memory cup = Dice.Cup(seed);
        uint256 inner = choose(cup);
        vm.prank(owner);
        cage.openSession(address(intruder), 1_000_000e6, block.timestamp + 365 days);
        intruder.set(
            address(entry),
            abi.encodeCall(IGolemEntry.execute, (buyWeth(cup.between(1, 9_000) * 1e6))),
            false
        );
        uint256 outer = (inner + cup.between(1, MEMBERS - 1)) % MEMBERS;
        use(members[outer]);
        bool isDone = run(outer, address(entry), abi.encodeCall(IGolemEntry.execute, (intrusion())));
        if (isDone && !intruder.wasRefused()) fail("one of a family ran inside another");
        if (isDone) ++refusedInside;
        use(members[inner]);
        vm.prank(owner);
        cage.openSession(golem, 1_000_000e6, block.timestamp + 365 days);
    }

    // ── Owner, time ──

    function ownerHaltsOrResumes(uint256 seed) public {
        Dice.Cup memory cup = Dice.Cup(seed);
        choose(cup);
        bool isHalted = cage.isHalted();
        vm.prank(owner);
        if (isHalted) cage.resume();
        else cage.emergencyHalt();
    }

    function ownerShares(uint256 seed) public {
        Dice.Cup memory cup = Dice.Cup(seed);
        uint256 who = cup.between(1, MEMBERS - 1);
        IWholeCage above = members[parentOf(who)];
        vm.prank(owner);
        if (cup.oneIn(3)) try above.release(address(members[who])) {} catch {}
        else try above.adopt(address(members[who]), cup.between(1, 10_000)) {} catch {}
    }

    /// The rules of one of them, or of all.
    function ownerChanges(uint256 seed) public {
        Dice.Cup memory cup = Dice.Cup(seed);
        bytes memory call = abi.encodeCall(IPolicyCage.setSpendingCaps, (100_000e6, cup.between(60, 200) * 1_000e6));
        uint256 only = cup.oneIn(3) ? cup.between(0, MEMBERS - 1) : NONE;
        for (uint256 i; i < MEMBERS; ++i) {
            if (only != NONE && only != i) continue;
            vm.prank(owner);
            try members[i].submit(call) {} catch {}
        }
        skipTo(24 hours);
        for (uint256 i; i < MEMBERS; ++i) {
            vm.prank(owner);
            (bool success, ) = address(members[i]).call(call);
            success;
        }
        assertCounted();
    }

    function timePasses(uint256 seed) public {
        Dice.Cup memory cup = Dice.Cup(seed);
        skipTo(cup.jump(block.timestamp) % 30 hours);
        assertCounted();
    }

    // ── Laws ──

    function run(uint256 who, address target, bytes memory call) private returns (bool success) {
        string memory reason = whyNot(who);
        uint256 dollars = usdc.balanceOf(address(account));
        uint256 ether_ = weth.balanceOf(address(account));
        vm.prank(golem);
        (success, ) = target.call(call);
        if (!success && bytes(reason).length != 0) ++refusedByAFamily;
        if (!success) return false;

        ++executed;
        if (bytes(reason).length != 0) fail(reason);
        uint256 spent = fallen(dollars, usdc.balanceOf(address(account)));
        spent += (fallen(ether_, weth.balanceOf(address(account))) * 2_000 + 1e12 - 1) / 1e12;
        _spendings.push(Spending(block.timestamp, who, spent));
        assertCounted();
        // Caps and shares bind what spends: they may have been lowered since.
        if (spent == 0) return true;
        for (uint256 i = who; ; i = parentOf(i)) {
            uint256 cap = members[i].policy().perDayCapUsdc;
            if (spentBelow(i, 24 hours) > cap) fail("a family spent more than its parent's day");
            if (i == 0) break;
            uint256 share = (members[parentOf(i)].policy().perDayCapUsdc * shareOf(i)) / 10_000;
            if (spentBelow(i, 24 hours) > share) fail("a child spent more than its share");
        }
    }

    /// Why a member may not run; empty where it may.
    function whyNot(uint256 who) private view returns (string memory why) {
        bytes32 hash = members[who].constitutionHash();
        for (uint256 i = who; ; i = parentOf(i)) {
            if (members[i].isHalted()) return "one ran below a halted cage";
            if (members[i].constitutionHash() != hash) return "one ran under another constitution";
            if (i == 0) return why;
            if (shareOf(i) == 0) return "one ran that was released";
        }
    }

    /// Every cage counts what it and those below it spent: all of the last 24 hours, and nothing older than 25. None is left locked.
    function assertCounted() private {
        for (uint256 i; i < MEMBERS; ++i) {
            uint256 counted = members[i].dailySpent();
            if (counted < spentBelow(i, 24 hours)) fail("a cage counts less than was spent below it");
            if (counted > spentBelow(i, 25 hours)) fail("a cage counts more than was spent below it");
            if (members[i].isExecuting()) fail("a cage is left locked");
        }
    }

    function spentBelow(uint256 who, uint256 span) private view returns (uint256 total) {
        for (uint256 i = _spendings.length; i > 0; --i) {
            Spending storage spending = _spendings[i - 1];
            if (spending.time + span <= block.timestamp) break;
            if (who == 0 || spending.who == who || (who == 1 && spending.who == 3)) total += spending.amount;
        }
    }

    function shareOf(uint256 who) private view returns (uint256) {
        ICageFamily above = members[parentOf(who)];
        for (uint256 i; i < above.children().length; ++i) {
            if (above.children()[i].cage == address(members[who])) return above.children()[i].shareBps;
        }
        return 0;
    }

    function parentOf(uint256 who) private pure returns (uint256) {
        return who == 3 ? 1 : 0;
    }

    function fallen(uint256 before, uint256 left) private pure returns (uint256) {
        return left < before ? before - left : 0;
    }

    function choose(Dice.Cup memory cup) private returns (uint256 who) {
        who = cup.between(0, MEMBERS - 1);
        use(members[who]);
    }

    function fail(string memory law) private {
        if (bytes(broken).length == 0) broken = law;
    }
}
