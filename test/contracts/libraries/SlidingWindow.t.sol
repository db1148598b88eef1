// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RateLimiter} from "@openzeppelin/contracts/utils/RateLimiter.sol";
import {Test} from "forge-std/Test.sol";
import {SlidingWindow} from "../../../contracts/measure/SlidingWindow.sol";
import {Dice} from "../support/Dice.sol";

/// @notice One window from slot 0 on: the head in slot 0, the lanes in slots 1 to 7.
contract OneWindow {
    using SlidingWindow for SlidingWindow.Window;

    SlidingWindow.Window private _window;

    function start(uint256 time) external {
        _window.start(time);
    }

    function charge(uint256 amount, uint120 tag, uint256 time) external {
        _window.charge(_window.rolled(time), amount, tag);
    }

    function add(uint256 amount, uint256 time) external {
        _window.add(_window.rolled(time), amount);
    }

    function chargedIn(uint256 hour, uint256 time) external view returns (uint256 amount, uint256 charges) {
        return _window.chargedIn(hour, time);
    }

    function rolled(uint256 time) external view returns (SlidingWindow.Head) {
        return _window.rolled(time);
    }

    function stored() external view returns (SlidingWindow.Head) {
        return _window.head;
    }
}

/// @notice Charges in memory, in the order they were made: what a window must answer, counted one by one.
library Ledger {
    struct Entry {
        uint256 time;
        uint256 amount;
    }

    struct Book {
        Entry[] entries;
        uint256 length;
    }

    function open(uint256 capacity) internal pure returns (Book memory book) {
        book.entries = new Entry[](capacity);
    }

    function add(Book memory book, uint256 time, uint256 amount) internal pure {
        book.entries[book.length++] = Entry(time, amount);
    }

    /// @return total Sum and number of what was charged in (time - span, time].
    function within(Book memory book, uint256 time, uint256 span) internal pure returns (uint256 total, uint256 count) {
        for (uint256 i = book.length; i > 0; --i) {
            Entry memory entry = book.entries[i - 1];
            if (entry.time + span <= time) break;
            if (entry.time > time) continue;
            total += entry.amount;
            ++count;
        }
    }

    /// @return time First time, not before the last charge, at which `amount`, at most `cap`, fits under `cap`.
    function firstFit(Book memory book, uint256 amount, uint256 cap) internal pure returns (uint256 time) {
        if (book.length == 0) return 0;
        time = book.entries[book.length - 1].time;
        uint256 total;
        for (uint256 i = book.length; i > 0; --i) {
            Entry memory entry = book.entries[i - 1];
            total += entry.amount;
            // Everything up to this entry must be 24 hours old.
            if (total + amount > cap) return entry.time + 24 hours > time ? entry.time + 24 hours : time;
        }
    }
}

contract SlidingWindowTest is Test {
    using Dice for Dice.Cup;
    using Ledger for Ledger.Book;
    using SlidingWindow for SlidingWindow.Head;
    using RateLimiter for RateLimiter.SlidingWindow;

    uint256 private constant SPAN = 24 hours;
    uint256 private constant LATEST = 25 hours;
    uint256 private constant STEPS = 80;
    uint256 private constant WORDS = 8;
    bytes32 private constant KEY = "spent";

    OneWindow private _harness;
    RateLimiter.SlidingWindow private _exact;

    function setUp() external {
        _harness = new OneWindow();
    }

    // ── Start ──

    function testFuzz_AStartedWindowIsEmptyAndHasNoZeroWord(uint256 time) external {
        time = boundTime(time);

        _harness.start(time);

        assertHead(_harness.stored(), 0, 0, time / 1 hours, 0);
        assertHead(_harness.rolled(time), 0, 0, time / 1 hours, 0);
        assertNoZeroWord();
    }

    function testFuzz_AStartForgetsWhatWasCharged(uint256 time, uint256 amount, uint256 pause) external {
        time = boundTime(time);
        uint256 later = time + bound(pause, 0, 30 hours);
        _harness.start(time);
        _harness.charge(boundAmount(amount), type(uint120).max, time);

        _harness.start(later);

        assertHead(_harness.rolled(later), 0, 0, later / 1 hours, 0);
        assertNoZeroWord();
    }

    // ── Release ──

    function testFuzz_AChargeCountsUntilItIs24HoursOld(uint256 time, uint256 amount, uint256 age) external {
        time = started(time);
        amount = boundAmount(amount);
        age = bound(age, 0, SPAN - 1);

        _harness.charge(amount, 0, time);

        assertHead(_harness.rolled(time + age), amount, 1, (time + age) / 1 hours, 0);
    }

    function testFuzz_AChargeIsReleasedBeforeItIs25HoursOld(uint256 time, uint256 amount, uint256 age) external {
        time = started(time);
        age = bound(age, LATEST, 10 * 365 days);

        _harness.charge(boundAmount(amount), 0, time);

        assertHead(_harness.rolled(time + age), 0, 0, (time + age) / 1 hours, 0);
    }

    function testFuzz_AnHourIsReleasedAsAWholeWhenItsLastSecondIs24HoursOld(
        uint256 time,
        uint256 first,
        uint256 second
    ) external {
        time = started(time);
        uint256 hour = time / 1 hours + 1;
        uint256 turn = (hour + 25) * 1 hours;
        first = bound(first, 0, 1 hours - 1);
        second = bound(second, first, 1 hours - 1);

        _harness.charge(3, 0, hour * 1 hours + first);
        _harness.charge(4, 0, hour * 1 hours + second);

        assertHead(_harness.rolled(turn - 1), 7, 2, hour + 24, 0);
        assertHead(_harness.rolled(turn), 0, 0, hour + 25, 0);
    }

    function testFuzz_WhatIsRolledIsNotWritten(uint256 time, uint256 amount, uint256 pause) external {
        time = started(time);
        _harness.charge(boundAmount(amount), 7, time);
        bytes32[] memory before = words();

        _harness.rolled(time + bound(pause, 0, 60 days));

        bytes32[] memory afterwards = words();
        for (uint256 i; i < WORDS; ++i) assertEq(afterwards[i], before[i], "a view wrote");
    }

    // ── Tag ──

    function testFuzz_TheTagIsCarriedAndTouchesNothingElse(
        uint256 time,
        uint256 amount,
        uint120 tag,
        uint120 next,
        uint256 pause
    ) external {
        time = started(time);
        amount = bound(amount, 0, SlidingWindow.MAX_TOTAL / 2);
        uint256 later = time + bound(pause, 0, 60 days);

        _harness.charge(amount, tag, time);
        assertHead(_harness.stored(), amount, 1, time / 1 hours, tag);
        assertEq(_harness.rolled(later).tag(), tag, "rolled tag");

        SlidingWindow.Head rolled = _harness.rolled(later);
        _harness.charge(amount, next, later);
        assertHead(_harness.stored(), rolled.total() + amount, rolled.count() + 1, later / 1 hours, next);
    }

    // ── Overflow ──

    function testFuzz_AnAmountBeyondALaneIsRefused(uint256 time, uint256 amount) external {
        time = started(time);
        amount = bound(amount, SlidingWindow.MAX_TOTAL + 1, type(uint256).max);

        vm.expectRevert(laneOverflow(amount, SlidingWindow.MAX_TOTAL));
        _harness.charge(amount, 0, time);
    }

    function testFuzz_AnAmountBeyondTheTotalIsRefused(
        uint256 time,
        uint256 first,
        uint256 second,
        uint256 pause
    ) external {
        time = started(time);
        first = bound(first, 1, SlidingWindow.MAX_TOTAL);
        second = bound(second, SlidingWindow.MAX_TOTAL - first + 1, type(uint256).max);
        pause = bound(pause, 0, SPAN - 1);
        _harness.charge(first, 0, time);

        vm.expectRevert(laneOverflow(second, SlidingWindow.MAX_TOTAL - first));
        _harness.charge(second, 0, time + pause);
    }

    /// Shrunk from the test above: the sum of amount and total must not run over before it is compared.
    function test_TheLargestAmountOfAllIsRefusedByName() external {
        _harness.start(0);
        _harness.charge(1, 0, 0);

        vm.expectRevert(laneOverflow(type(uint256).max, SlidingWindow.MAX_TOTAL - 1));
        _harness.charge(type(uint256).max, 0, 0);
    }

    function testFuzz_ATotalOfExactlyTheMaximumIsKept(uint256 time, uint256 first, uint256 pause) external {
        time = started(time);
        first = boundAmount(first);
        uint256 later = time + bound(pause, 0, SPAN - 1);

        _harness.charge(first, 0, time);
        _harness.charge(SlidingWindow.MAX_TOTAL - first, 0, later);

        assertHead(_harness.rolled(later), SlidingWindow.MAX_TOTAL, 2, later / 1 hours, 0);
        assertHead(_harness.rolled(later + LATEST), 0, 0, (later + LATEST) / 1 hours, 0);
    }

    function testFuzz_ACountBeyondTheMaximumIsRefused(uint256 time, uint256 pause, uint256 seed) external {
        time = started(time);
        Dice.Cup memory cup = Dice.Cup(seed);
        uint256 most = SlidingWindow.MAX_COUNT;
        uint256 now_ = time;
        for (uint256 i; i < most; ++i) {
            // 255 charges of up to 5 minutes each lie in 24 hours.
            now_ += cup.between(0, 5 minutes);
            _harness.charge(1, 0, now_);
        }
        pause = bound(pause, 0, time + SPAN - 1 - now_);

        vm.expectRevert(laneOverflow(most + 1, most));
        _harness.charge(1, 0, now_ + pause);
        assertHead(_harness.rolled(now_), most, most, now_ / 1 hours, 0);

        _harness.charge(1, 0, now_ + LATEST);
        assertHead(_harness.stored(), 1, 1, (now_ + LATEST) / 1 hours, 0);
    }

    // ── Storage ──

    function testFuzz_AChargeInTheHourOfTheFormerTouchesOneWord(uint256 time, uint256 first, uint256 second) external {
        time = started(time);
        uint256 hour = time / 1 hours + 1;
        first = bound(first, 0, 1 hours - 1);
        second = bound(second, first, 1 hours - 1);
        _harness.charge(1, 0, hour * 1 hours + first);

        vm.record();
        _harness.charge(1, 0, hour * 1 hours + second);

        (uint256 touched, uint256 written) = touchedWords();
        assertEq(touched, 1, "touched");
        assertEq(written, 1, "written");
    }

    function testFuzz_AChargeAfterAnyPauseTouchesOneWindowAndWritesEachWordOnce(
        uint256 time,
        uint256 pause,
        uint256 seed
    ) external {
        time = started(time);
        Dice.Cup memory cup = Dice.Cup(seed);
        for (uint256 i; i < 30; ++i) {
            time += cup.between(0, 2 hours);
            _harness.charge(1, 0, time);
        }
        time += bound(pause, 0, 365 days);

        vm.record();
        _harness.charge(1, 0, time);

        (, bytes32[] memory writes) = vm.accesses(address(_harness));
        (uint256 touched, uint256 written) = touchedWords();
        assertLe(touched, WORDS, "touched");
        assertEq(writes.length, written, "a word was written twice");
        assertEq(_harness.rolled(time).count(), _harness.stored().count(), "stored as rolled");
    }

    function testFuzz_AnHourThatHasLeftTheWindowIsNotWritten(uint256 time, uint256 pause) external {
        time = started(time);
        _harness.charge(1, 0, time);
        time += bound(pause, LATEST, 365 days);

        vm.record();
        _harness.charge(2, 0, time);

        (, uint256 written) = touchedWords();
        assertEq(written, 1, "written");
        assertHead(_harness.rolled(time + SPAN), 2, 1, (time + SPAN) / 1 hours, 0);
    }

    function testFuzz_NoWordIsEverZero(uint256 time, uint256 seed) external {
        time = started(time);
        Dice.Cup memory cup = Dice.Cup(seed);
        for (uint256 i; i < 60; ++i) {
            time += cup.jump(time);
            if (_harness.rolled(time).count() == SlidingWindow.MAX_COUNT) continue;
            _harness.charge(0, 0, time);
            assertNoZeroWord();
        }
    }

    // ── Against brute force ──

    /// brute(t) <= window(t) <= the sum over (t - 25 h, t], at charges and at any time between them.
    function testFuzz_TheSumIsBruteForceWithinOneHour(uint256 time, uint256 seed) external {
        time = started(time);
        Dice.Cup memory cup = Dice.Cup(seed);
        Ledger.Book memory book = Ledger.open(STEPS);
        for (uint256 step; step < STEPS; ++step) {
            uint256 pause = cup.jump(time);
            uint256 probe = time + cup.between(0, pause);
            assertBetweenBruteForces(book, probe);
            // The second before and the second at which the hour of a random charge leaves.
            if (book.length > 0) {
                uint256 leaves = (book.entries[cup.between(0, book.length - 1)].time / 1 hours) * 1 hours + LATEST;
                if (leaves > time) assertBetweenBruteForces(book, leaves - 1);
                if (leaves > time) assertBetweenBruteForces(book, leaves);
            }
            time += pause;
            assertBetweenBruteForces(book, time);

            SlidingWindow.Head head = _harness.rolled(time);
            if (head.count() == SlidingWindow.MAX_COUNT) continue;
            uint256 amount = amountOf(cup, SlidingWindow.MAX_TOTAL - head.total());
            _harness.charge(amount, 0, time);
            book.add(time, amount);
            assertBetweenBruteForces(book, time);
        }
        assertNoZeroWord();
    }

    /// Charges of a cage's own and of its children's, mixed, against a list of both, counted hour by hour: sum, number and tag at any time,
    /// and what the lanes say of each hour.
    function testFuzz_WhatIsAddedCountsAsWhatIsChargedButForItsNumber(uint256 time, uint256 seed) external {
        time = started(time);
        Dice.Cup memory cup = Dice.Cup(seed);
        Ledger.Book memory all = Ledger.open(STEPS);
        Ledger.Book memory own = Ledger.open(STEPS);
        uint120 tag;
        for (uint256 step; step < STEPS; ++step) {
            time += cup.jump(time);
            uint256 space = SlidingWindow.MAX_TOTAL - _harness.rolled(time).total();
            uint256 amount = amountOf(cup, space);
            if (cup.oneIn(2)) {
                _harness.add(amount, time);
            } else {
                if (_harness.rolled(time).count() == SlidingWindow.MAX_COUNT) continue;
                tag = uint120(cup.roll());
                _harness.charge(amount, tag, time);
                own.add(time, amount);
            }
            all.add(time, amount);
            assertHead(_harness.stored(), hourly(all, time), countHourly(own, time), time / 1 hours, tag);
            uint256 later = time + cup.jump(time);
            assertHead(_harness.rolled(later), hourly(all, later), countHourly(own, later), later / 1 hours, tag);
            assertLanes(all, own, time);
        }
        assertNoZeroWord();
    }

    function testFuzz_NoMoreIsAddedThanALaneHolds(uint256 time, uint256 first, uint256 second) external {
        time = started(time);
        first = bound(first, 1, SlidingWindow.MAX_TOTAL);
        second = bound(second, SlidingWindow.MAX_TOTAL - first + 1, type(uint256).max);
        _harness.add(first, time);

        vm.expectRevert(laneOverflow(second, SlidingWindow.MAX_TOTAL - first));
        _harness.add(second, time);
    }

    /// Sum of what was charged in the running hour and the 24 before it.
    function hourly(Ledger.Book memory book, uint256 time) private pure returns (uint256 total) {
        for (uint256 i; i < book.length; ++i) {
            if (book.entries[i].time / 1 hours + 24 >= time / 1 hours) total += book.entries[i].amount;
        }
    }

    function countHourly(Ledger.Book memory book, uint256 time) private pure returns (uint256 count) {
        for (uint256 i; i < book.length; ++i) if (book.entries[i].time / 1 hours + 24 >= time / 1 hours) ++count;
    }

    function assertLanes(Ledger.Book memory all, Ledger.Book memory own, uint256 time) private view {
        for (uint256 hour = time / 1 hours - 24; hour <= time / 1 hours; ++hour) {
            (uint256 amount, uint256 charges) = _harness.chargedIn(hour, time);
            uint256 expected;
            uint256 count;
            for (uint256 i; i < all.length; ++i) {
                if (all.entries[i].time / 1 hours == hour) expected += all.entries[i].amount;
            }
            for (uint256 i; i < own.length; ++i) if (own.entries[i].time / 1 hours == hour) ++count;
            assertEq(amount, expected, "a lane's sum");
            assertEq(charges, count, "a lane's number");
        }
    }

    // ── Against OpenZeppelin's exact limiter ──

    /// Ours is the limiter and the exact one follows it. What the exact one refuses, ours refuses; what ours refuses
    /// needlessly it accepts an hour after the true release at the latest; and no 24 hours hold more than the cap.
    function testFuzz_ItRefusesWhatAnExactLimiterRefusesAndAtMostAnHourLonger(
        uint256 time,
        uint256 cap,
        uint256 seed
    ) external {
        time = started(time);
        cap = bound(cap, 100, SlidingWindow.MAX_TOTAL);
        _exact.updateSettings(uint48(SPAN), uint208(cap));
        Dice.Cup memory cup = Dice.Cup(seed);
        Ledger.Book memory book = Ledger.open(STEPS);
        for (uint256 step; step < STEPS; ++step) {
            time += cup.jump(time);
            uint256 amount = amountOf(cup, cap);
            spend(book, time, amount, cap);
        }

        for (uint256 i; i < book.length; ++i) {
            (uint256 spent, ) = book.within(book.entries[i].time, SPAN);
            assertLe(spent, cap, "spent in 24 hours");
        }
    }

    /// The hour of the granule is really there: the comparison above is not one of equals.
    function test_ANeedlessRefusalHappensAndEndsWithinAnHour() external {
        uint256 start = 1_800_000_000;
        _harness.start(start);
        _exact.updateSettings(uint48(SPAN), 100);
        Ledger.Book memory book = Ledger.open(4);
        assertEq(spend(book, start + 1, 60, 100), "both accept");
        assertEq(spend(book, start + 2, 41, 100), "both refuse");
        assertEq(spend(book, start + 1 + SPAN, 41, 100), "needless refusal");
        assertEq(spend(book, start + LATEST - 1, 41, 100), "needless refusal");
        assertEq(spend(book, start + LATEST, 41, 100), "both accept");
    }

    /// Spends `amount` at `time` if ours lets it, and compares the two limiters.
    function spend(
        Ledger.Book memory book,
        uint256 time,
        uint256 amount,
        uint256 cap
    ) private returns (string memory outcome) {
        vm.warp(time);
        (uint256 brute, ) = book.within(time, SPAN);
        (uint256 used, uint256 available) = _exact.state(KEY);
        assertEq(used, brute, "the exact limiter");

        SlidingWindow.Head head = _harness.rolled(time);
        bool isAccepted = head.total() + amount <= cap && head.count() < SlidingWindow.MAX_COUNT;
        bool isExactlyAccepted = amount <= available;
        if (isAccepted) {
            assertTrue(_exact.tryConsume(KEY, amount), "accepted what the exact limiter refuses");
            _harness.charge(amount, 0, time);
            book.add(time, amount);
            return "both accept";
        }

        if (amount <= cap && head.count() < SlidingWindow.MAX_COUNT) {
            uint256 release = book.firstFit(amount, cap);
            assertEq(release <= time, isExactlyAccepted, "the true release");
            assertLe(_harness.rolled(release + 1 hours).total() + amount, cap, "refused for more than an hour");
        }
        return isExactlyAccepted ? "needless refusal" : "both refuse";
    }

    // ── Assertions ──

    function assertBetweenBruteForces(Ledger.Book memory book, uint256 time) private view {
        SlidingWindow.Head head = _harness.rolled(time);
        (uint256 total, uint256 count) = book.within(time, SPAN);
        (uint256 mostTotal, uint256 mostCount) = book.within(time, LATEST);
        assertGe(head.total(), total, "total too small");
        assertGe(head.count(), count, "count too small");
        assertLe(head.total(), mostTotal, "total released too late");
        assertLe(head.count(), mostCount, "count released too late");
    }

    function assertHead(SlidingWindow.Head head, uint256 total, uint256 count, uint256 hour, uint120 tag) private pure {
        assertEq(head.total(), total, "total");
        assertEq(head.count(), count, "count");
        // The running hour stands above two lanes.
        assertEq(uint24(SlidingWindow.Head.unwrap(head) >> 112), hour, "hour");
        assertEq(head.tag(), tag, "tag");
    }

    function assertNoZeroWord() private view {
        bytes32[] memory list = words();
        for (uint256 i; i < WORDS; ++i) assertNotEq(list[i], bytes32(0), "a zero word");
        assertEq(vm.load(address(_harness), bytes32(WORDS)), bytes32(0), "beyond the window");
    }

    function words() private view returns (bytes32[] memory list) {
        list = new bytes32[](WORDS);
        for (uint256 i; i < WORDS; ++i) list[i] = vm.load(address(_harness), bytes32(i));
    }

    /// Number of different words of the window that were accessed since `vm.record`; no other word was.
    function touchedWords() private returns (uint256 touched, uint256 written) {
        (bytes32[] memory reads, bytes32[] memory writes) = vm.accesses(address(_harness));
        return (distinct(reads), distinct(writes));
    }

    function distinct(bytes32[] memory slots) private pure returns (uint256 count) {
        uint256 seen;
        for (uint256 i; i < slots.length; ++i) {
            assertLt(uint256(slots[i]), WORDS, "a slot outside the window");
            if ((seen >> uint256(slots[i])) & 1 == 0) ++count;
            seen |= 1 << uint256(slots[i]);
        }
    }

    // ── Bounds ──

    function started(uint256 time) private returns (uint256) {
        time = boundTime(time);
        _harness.start(time);
        return time;
    }

    /// From the first day of the epoch to the year 2600: no sequence of a test leaves the 32 bits of the hour.
    function boundTime(uint256 time) private pure returns (uint256) {
        return bound(time, 1 days, 20_000_000_000);
    }

    function boundAmount(uint256 amount) private pure returns (uint256) {
        return bound(amount, 0, SlidingWindow.MAX_TOTAL);
    }

    /// Nothing, a little, about a tenth, or all of `most`.
    function amountOf(Dice.Cup memory cup, uint256 most) private pure returns (uint256) {
        uint256 kind = cup.roll() % 8;
        if (kind == 0) return 0;
        if (kind == 1) return most;
        if (kind == 2) return cup.between(0, most);
        if (kind == 3) return most < 100 ? most : cup.between(1, 100);
        return cup.between(0, most / 10);
    }

    function laneOverflow(uint256 amount, uint256 max) private pure returns (bytes memory) {
        return abi.encodeWithSelector(SlidingWindow.LaneOverflow.selector, amount, max);
    }
}
