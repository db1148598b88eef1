// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Test} from "forge-std/Test.sol";
import {NATIVE} from "../../../contracts/interfaces/Types.sol";
import {GuardedQuery} from "../../../contracts/outside/GuardedQuery.sol";
import {MockERC20} from "../../../contracts/mocks/MockERC20.sol";
import {MockSanctionsList} from "../../../contracts/mocks/MockSanctionsList.sol";
import {DyingFeed, LyingSigner} from "../../../contracts/mocks/hostile/HostileOracles.sol";

contract GuardedQueryTest is Test {
    /// A query that fails costs no more than its stipend and what stands around it.
    uint256 internal constant MOST = 125_000;

    address internal holder = makeAddr("holder");
    address internal nobody = makeAddr("nobody");
    MockERC20 internal token;
    MockSanctionsList internal list;
    DyingFeed internal feed;
    LyingSigner internal liar;

    function setUp() public {
        token = new MockERC20("TOKEN", 18);
        list = new MockSanctionsList();
        feed = new DyingFeed(2_000e8);
        liar = new LyingSigner();
    }

    // ── balanceOf ──

    function testFuzz_BalanceIsKnownUpTo128Bits(uint256 held) public {
        token.mint(holder, held);

        (bool isKnown, uint256 balance) = GuardedQuery.balanceOf(address(token), holder);

        assertEq(isKnown, held <= type(uint128).max);
        assertEq(balance, isKnown ? held : 0);
    }

    function test_BalanceAtItsLargest() public {
        token.mint(holder, type(uint128).max);
        assertBalance(address(token), true, type(uint128).max);

        token.mint(holder, 1);
        assertBalance(address(token), false, 0);
    }

    function testFuzz_NativeBalanceIsTheHolders(uint128 held) public {
        vm.deal(holder, held);

        assertBalance(NATIVE, true, held);
    }

    function testFuzz_AnswerShorterThanAWordIsNoBalance(uint256 length) public {
        length = bound(length, 0, 64);
        liar.set(new bytes(length), false);

        assertBalance(address(liar), length >= 32, 0);
    }

    function test_TokenThatFailsHasNoBalance() public {
        assertBalance(nobody, false, 0);
        assertBalance(address(0), false, 0);
        liar.set(abi.encode(uint256(5)), true);
        assertBalance(address(liar), false, 0);
        liar.set(abi.encode(uint256(5)), false);
        assertBalance(address(liar), true, 5);
    }

    function test_TokenThatBurnsGasBurnsItsStipendOnly() public {
        vm.etch(address(token), hex"5b5f56");

        uint256 left = gasleft();
        assertBalance(address(token), false, 0);

        assertLt(left - gasleft(), MOST);
    }

    function test_AnswerOfAMegabyteIsNotCopied() public {
        // return(0, 1000000): memory of a megabyte costs more than the stipend, so a balance is not even answered.
        vm.etch(address(token), hex"620f42405ff3");
        uint256 left = gasleft();
        assertBalance(address(token), false, 0);
        assertLt(left - gasleft(), MOST);

        // return(0, 60000) is affordable for the token and still not copied.
        vm.etch(address(token), hex"61ea605ff3");
        left = gasleft();
        assertBalance(address(token), true, 0);
        assertLt(left - gasleft(), 40_000);
    }

    function assertBalance(address asset, bool isKnown, uint256 balance) internal view {
        (bool isKnown_, uint256 balance_) = GuardedQuery.balanceOf(asset, holder);
        assertEq(isKnown_, isKnown);
        assertEq(balance_, balance);
    }

    // ── allowance ──

    function testFuzz_AllowanceIsWhatTheTokenSays(uint256 amount) public {
        vm.prank(holder);
        token.approve(nobody, amount);

        assertEq(GuardedQuery.allowance(address(token), holder, nobody), amount);
        assertEq(GuardedQuery.allowance(address(token), nobody, holder), 0);
    }

    function test_AllowanceThatCanNotBeReadCountsAsLeft() public {
        assertEq(GuardedQuery.allowance(nobody, holder, nobody), type(uint256).max);
        liar.set(new bytes(31), false);
        assertEq(GuardedQuery.allowance(address(liar), holder, nobody), type(uint256).max);
        liar.set(new bytes(32), true);
        assertEq(GuardedQuery.allowance(address(liar), holder, nobody), type(uint256).max);
        liar.set(new bytes(32), false);
        assertEq(GuardedQuery.allowance(address(liar), holder, nobody), 0);
    }

    // ── isSanctioned ──

    function testFuzz_ListIsKnownWhenItAnswersOneWordOfZeroOrOne(uint256 word, uint256 length) public {
        word = bound(word, 0, 3);
        length = bound(length, 24, 40);
        bytes memory answer = abi.encode(word, uint256(0));
        assembly {
            mstore(answer, length)
        }
        liar.set(answer, false);

        (bool isKnown, bool isListed) = GuardedQuery.isSanctioned(address(liar), holder);

        assertEq(isKnown, length == 32 && word <= 1);
        assertEq(isListed, isKnown && word == 1);
    }

    function testFuzz_WordAboveOneIsNoAnswer(uint256 word) public {
        word = bound(word, 2, type(uint256).max);
        liar.set(abi.encode(word), false);

        assertSanctioned(address(liar), false, false);
    }

    function test_ListAnswersAboutItsTarget() public {
        list.set(holder, true);

        assertSanctioned(address(list), true, true);
        (bool isKnown, bool isListed) = GuardedQuery.isSanctioned(address(list), nobody);
        assertTrue(isKnown);
        assertFalse(isListed);
    }

    function test_ListThatFailsHasSaidNothing() public {
        list.set(holder, true);
        for (uint256 i = 1; i <= uint256(type(MockSanctionsList.Failure).max); ++i) {
            list.setFailure(MockSanctionsList.Failure(i));
            uint256 left = gasleft();
            assertSanctioned(address(list), false, false);
            assertLt(left - gasleft(), MOST);
        }
        assertSanctioned(nobody, false, false);
    }

    function assertSanctioned(address oracle, bool isKnown, bool isListed) internal view {
        (bool isKnown_, bool isListed_) = GuardedQuery.isSanctioned(oracle, holder);
        assertEq(isKnown_, isKnown);
        assertEq(isListed_, isListed);
    }

    // ── isExecuting ──

    /// Exactly one clean address is a cage, and exactly one word of 1 says that it executes.
    function test_OnlyAWholeAnswerNamesAnExecutingCage() public {
        LyingSigner cage = new LyingSigner();
        cage.set(abi.encode(1), false);
        liar.set(abi.encode(cage), false);
        assertTrue(GuardedQuery.isExecuting(address(liar)));

        liar.set(abi.encode(uint256(uint160(address(cage))) | (1 << 160)), false);
        assertFalse(GuardedQuery.isExecuting(address(liar)), "a dirty word");
        liar.set(abi.encode(cage, 0), false);
        assertFalse(GuardedQuery.isExecuting(address(liar)), "a word too many");
        liar.set(abi.encodePacked(cage), false);
        assertFalse(GuardedQuery.isExecuting(address(liar)), "a word cut short");
        liar.set(abi.encode(cage), true);
        assertFalse(GuardedQuery.isExecuting(address(liar)), "a revert");
        assertFalse(GuardedQuery.isExecuting(nobody), "no code");

        liar.set(abi.encode(cage), false);
        cage.set(abi.encode(2), false);
        assertFalse(GuardedQuery.isExecuting(address(liar)), "a cage that says 2");
        cage.set(abi.encode(1, 0), false);
        assertFalse(GuardedQuery.isExecuting(address(liar)), "a cage that says more");
    }

    // ── latestRound ──

    function testFuzz_RoundIsReadWordByWord(int256 answer, uint256 startedAt, uint256 updatedAt) public {
        liar.set(abi.encode(uint256(1), answer, startedAt, updatedAt, uint256(1)), false);

        (bool isKnown, int256 answer_, uint256 startedAt_, uint256 updatedAt_) = GuardedQuery.latestRound(
            address(liar)
        );

        assertTrue(isKnown);
        assertEq(answer_, answer);
        assertEq(startedAt_, startedAt);
        assertEq(updatedAt_, updatedAt);
    }

    function testFuzz_ShortRoundIsNoRound(uint256 length) public {
        length = bound(length, 0, 200);
        liar.set(new bytes(length), false);

        (bool isKnown, , , ) = GuardedQuery.latestRound(address(liar));

        assertEq(isKnown, length >= 160);
    }

    function test_FeedThatFailsHasNoRound() public {
        for (uint256 i = 1; i <= uint256(type(DyingFeed.Failure).max); ++i) {
            feed.setFailure(DyingFeed.Failure(i));
            uint256 left = gasleft();
            (bool isKnown, int256 answer, uint256 startedAt, uint256 updatedAt) = GuardedQuery.latestRound(
                address(feed)
            );
            assertLt(left - gasleft(), MOST);
            assertFalse(isKnown);
            assertEq(answer, 0);
            assertEq(startedAt, 0);
            assertEq(updatedAt, 0);
        }
    }

    /// The answer is written beyond what is allocated: what the caller keeps in memory stays as it was.
    function test_QueriesLeaveMemoryAlone() public {
        bytes memory kept = abi.encode("kept");
        liar.set(abi.encode(type(int256).max, type(int256).max, uint256(3), uint256(4), uint256(5)), false);

        GuardedQuery.latestRound(address(liar));
        GuardedQuery.balanceOf(address(token), holder);
        GuardedQuery.isSanctioned(address(list), holder);
        GuardedQuery.allowance(address(token), holder, nobody);
        bytes memory fresh = new bytes(160);

        assertEq(kept, abi.encode("kept"));
        assertEq(keccak256(fresh), keccak256(new bytes(160)));
    }

    // ── Gas ──

    /// With whatever gas: a healthy contract is read, or nothing is read and the caller reverts.
    function testFuzz_NoAmountOfGasMakesAHealthyContractUnreadable(uint256 gasLimit, uint256 which) public {
        gasLimit = bound(gasLimit, 5_000, 400_000);
        token.mint(holder, 7);
        list.set(holder, true);

        (bool success, bytes memory answer) = address(this).call{gas: gasLimit}(queryOf(which));

        if (success) assertTrue(abi.decode(answer, (bool)), "read");
        else if (answer.length > 0) assertEq(bytes4(answer), GuardedQuery.InsufficientGas.selector, "refused");
    }

    function test_TooLittleGasIsNamed() public {
        for (uint256 which; which < 4; ++which) {
            (bool success, bytes memory answer) = address(this).call{gas: 100_000}(queryOf(which));
            assertFalse(success);
            assertEq(bytes4(answer), GuardedQuery.InsufficientGas.selector);
            assertEq(answer.length, 68);
            (success, ) = address(this).call{gas: 150_000}(queryOf(which));
            assertTrue(success);
        }
    }

    function queryOf(uint256 which) internal pure returns (bytes memory) {
        which %= 4;
        if (which == 0) return abi.encodeCall(GuardedQueryTest.readsBalance, ());
        if (which == 1) return abi.encodeCall(GuardedQueryTest.readsList, ());
        if (which == 2) return abi.encodeCall(GuardedQueryTest.readsRound, ());
        return abi.encodeCall(GuardedQueryTest.readsAllowance, ());
    }

    function readsBalance() external view returns (bool) {
        (bool isKnown, ) = GuardedQuery.balanceOf(address(token), holder);
        return isKnown;
    }

    function readsList() external view returns (bool) {
        (bool isKnown, ) = GuardedQuery.isSanctioned(address(list), holder);
        return isKnown;
    }

    function readsRound() external view returns (bool) {
        (bool isKnown, , , ) = GuardedQuery.latestRound(address(feed));
        return isKnown;
    }

    function readsAllowance() external view returns (bool) {
        return GuardedQuery.allowance(address(token), holder, nobody) == 0;
    }
}
