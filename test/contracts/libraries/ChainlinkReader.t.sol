// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Test} from "forge-std/Test.sol";
import {MockAggregator, MockAggregatorProxy} from "../../../contracts/mocks/MockAggregator.sol";
import {DyingFeed} from "../../../contracts/mocks/hostile/HostileOracles.sol";
import {ChainlinkReader} from "../../../contracts/outside/ChainlinkReader.sol";

contract ChainlinkReaderTest is Test {
    uint256 internal constant START = 1_800_000_000;

    DyingFeed internal feed;

    function setUp() public {
        vm.warp(START);
        feed = new DyingFeed(2_000e8);
    }

    // ── price ──

    /// The whole rule: positive, inside the band, not older than the heartbeat, not dated ahead.
    function testFuzz_PriceIsTakenWhenNothingSpeaksAgainstIt(
        int256 answer,
        uint256 updatedAt,
        uint32 heartbeat,
        uint96 minAnswer,
        uint96 maxAnswer
    ) public {
        if (answer % 2 == 0) answer = int256(bound(uint256(answer), 0, type(uint96).max));
        if (updatedAt % 2 == 0) updatedAt = bound(updatedAt, START - 10_000, START + 100);
        vm.assume(minAnswer > 0);
        feed.set(answer, updatedAt);

        bool isTaken =
            answer > 0 &&
                updatedAt <= START &&
                START - updatedAt <= heartbeat &&
                uint256(answer) >= minAnswer &&
                uint256(answer) <= maxAnswer;
        assertEq(ChainlinkReader.price(address(feed), heartbeat, minAnswer, maxAnswer), isTaken ? uint256(answer) : 0);
    }

    function test_PriceIsTakenAtEveryEdge() public {
        assertEq(price(), 2_000e8);
        assertEq(ChainlinkReader.price(address(feed), 0, 2_000e8, 2_000e8), 2_000e8);
        assertEq(ChainlinkReader.price(address(feed), 0, 2_000e8 + 1, 3_000e8), 0);
        assertEq(ChainlinkReader.price(address(feed), 0, 1, 2_000e8 - 1), 0);

        feed.set(2_000e8, START - 1 hours);
        assertEq(price(), 2_000e8);
        feed.set(2_000e8, START - 1 hours - 1);
        assertEq(price(), 0);
        feed.set(2_000e8, START + 1);
        assertEq(price(), 0);
        feed.set(2_000e8, type(uint256).max);
        assertEq(price(), 0);
        feed.set(2_000e8, 0);
        assertEq(price(), 0);
    }

    function test_PriceOfZeroOrLessIsNoPrice() public {
        int256[4] memory answers = [int256(0), -1, -2_000e8, type(int256).min];
        for (uint256 i; i < answers.length; ++i) {
            feed.set(answers[i], START);
            assertEq(ChainlinkReader.price(address(feed), 1 hours, 0, type(uint256).max), 0);
        }
    }

    function test_FeedThatFailsHasNoPrice() public {
        for (uint256 i = 1; i <= uint256(type(DyingFeed.Failure).max); ++i) {
            feed.setFailure(DyingFeed.Failure(i));
            assertEq(price(), 0);
        }
        feed.setFailure(DyingFeed.Failure.None);
        assertEq(price(), 2_000e8);
    }

    function test_FeedWithoutCodeHasNoPrice() public {
        assertEq(ChainlinkReader.price(makeAddr("nobody"), 1 hours, 1, type(uint96).max), 0);
        assertEq(ChainlinkReader.price(address(0), 1 hours, 1, type(uint96).max), 0);
        // Precompiles answer anything with something.
        for (uint160 i = 1; i <= 10; ++i) {
            assertEq(ChainlinkReader.price(address(i), type(uint32).max, 1, type(uint96).max), 0);
        }
    }

    function test_FeedThatDeniesAccessHasNoPrice() public {
        vm.mockCallRevert(address(feed), abi.encodeCall(DyingFeed.latestRoundData, ()), "No access");

        assertEq(price(), 0);
    }

    /// A longer round than Chainlink's is read as one; the deprecated `answeredInRound` is not looked at.
    function test_RoundMayBeLongerAndItsLastWordsAreIgnored() public {
        vm.mockCall(
            address(feed),
            abi.encodeCall(DyingFeed.latestRoundData, ()),
            abi.encode(uint256(9), int256(3_000e8), uint256(0), START, uint256(1), uint256(7))
        );

        assertEq(price(), 3_000e8);
    }

    function testFuzz_RoundShorterThanFiveWordsIsNoRound(uint256 length) public {
        length = bound(length, 0, 159);
        bytes memory round = abi.encode(uint256(9), int256(3_000e8), START, START, uint256(9));
        assembly {
            mstore(round, length)
        }
        vm.mockCall(address(feed), abi.encodeCall(DyingFeed.latestRoundData, ()), round);

        assertEq(price(), 0);
    }

    function test_PriceIsReadThroughAProxy() public {
        MockAggregatorProxy proxy = new MockAggregatorProxy(new MockAggregator(8, 2_500e8));

        assertEq(ChainlinkReader.price(address(proxy), 1 hours, 1, type(uint96).max), 2_500e8);
    }

    function price() internal view returns (uint256) {
        return ChainlinkReader.price(address(feed), 1 hours, 20e8, 200_000e8);
    }

    // ── isSequencerUp ──

    /// Up (0), for more than an hour, since a time that is known and not ahead.
    function testFuzz_SequencerCountsWhenItIsUpForMoreThanAnHour(int256 answer, uint256 startedAt) public {
        answer = answer % 3;
        if (startedAt % 2 == 0) startedAt = bound(startedAt, START - 2 hours, START + 1 hours);
        vm.mockCall(
            address(feed),
            abi.encodeCall(DyingFeed.latestRoundData, ()),
            abi.encode(uint256(1), answer, startedAt, START, uint256(1))
        );

        assertEq(
            ChainlinkReader.isSequencerUp(address(feed)),
            answer == 0 && startedAt != 0 && startedAt <= START && START - startedAt > 1 hours
        );
    }

    function test_GracePeriodIsOverAfterItsLastSecond() public {
        MockAggregator sequencer = new MockAggregator(0, 0);
        sequencer.setRound(0, START - 1 hours, START);
        assertFalse(ChainlinkReader.isSequencerUp(address(sequencer)));

        sequencer.setRound(0, START - 1 hours - 1, START);
        assertTrue(ChainlinkReader.isSequencerUp(address(sequencer)));
    }

    /// How old the round is does not matter: the feed is only written when the sequencer's state changes.
    function test_OldRoundOfASequencerThatIsUpCounts() public {
        MockAggregator sequencer = new MockAggregator(0, 0);
        sequencer.setRound(0, START - 365 days, START - 365 days);

        assertTrue(ChainlinkReader.isSequencerUp(address(sequencer)));
    }

    function test_RoundThatNeverStartedDoesNotCount() public {
        MockAggregator sequencer = new MockAggregator(0, 0);
        sequencer.setRound(0, 0, START - 2 hours);

        assertFalse(ChainlinkReader.isSequencerUp(address(sequencer)));
    }

    function test_SequencerFeedThatFailsDoesNotCount() public {
        feed.set(0, START - 2 hours);
        assertTrue(ChainlinkReader.isSequencerUp(address(feed)));

        for (uint256 i = 1; i <= uint256(type(DyingFeed.Failure).max); ++i) {
            feed.setFailure(DyingFeed.Failure(i));
            assertFalse(ChainlinkReader.isSequencerUp(address(feed)));
        }
        assertFalse(ChainlinkReader.isSequencerUp(makeAddr("nobody")));
    }
}
