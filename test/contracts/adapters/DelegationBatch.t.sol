// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC7579Utils, Execution} from "@openzeppelin/contracts/account/utils/draft-ERC7579Utils.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IGolemEntry} from "../../../contracts/interfaces/IGolemEntry.sol";
import {NATIVE, PolicyCageConfig, Trade, TradeInput} from "../../../contracts/interfaces/Types.sol";
import {IDelegationManager} from "../../../contracts/interfaces/modules/IDelegation.sol";
import {IPolicyCageEnforcer} from "../../../contracts/interfaces/modules/IPolicyCageEnforcer.sol";
import {MockExchange} from "../../../contracts/mocks/MockExchange.sol";
import {AccountKind} from "../support/Desks.sol";
import {Dice} from "../support/Dice.sol";
import {GolemFixture} from "../support/GolemFixture.sol";

/// @dev Stands in the manager's place, keeps what it is called with, and does nothing.
contract RecordingManager {
    /// The manager's own storage.
    uint256[1_000] private _theirs;
    bytes[] private _calls;

    function calls() external view returns (bytes[] memory) {
        return _calls;
    }

    fallback() external {
        _calls.push(msg.data);
    }
}

/// @notice What the enforcer writes by hand is what OpenZeppelin's utilities write and read, whatever the trades are.
contract DelegationBatchTest is GolemFixture {
    using Dice for Dice.Cup;

    bytes32 private constant BATCH = bytes32(bytes1(0x01));

    address[3] private _protocols;
    address private _manager;

    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function setUp() public override {
        super.setUp();
        PolicyCageConfig memory config = wideConfig();
        _protocols = [address(exchange), address(new MockExchange()), address(new MockExchange())];
        for (uint256 i; i < 3; ++i) {
            if (i != 0) addProtocol(config, _protocols[i]);
            addStrategy(config, _protocols[i], MockExchange.other.selector);
            if (i != 0) addStrategy(config, _protocols[i], MockExchange.swap.selector);
        }
        restart(config);
        _manager = IPolicyCageEnforcer(address(entry)).delegationManager();
        vm.etch(_manager, type(RecordingManager).runtimeCode);
    }

    function testFuzz_ABatchIsWhatTheUtilitiesEncodeAndDecode(uint256 seed) external {
        Trade[] memory trades = anyTrades(Dice.Cup(seed));

        vm.prank(golem);
        entry.execute(trades);

        assertRedeemed(trades);
    }

    /// One word of the calldata is another, or its end is cut off: what is refused does nothing, and what is not means what it says.
    function testFuzz_MalformedCalldataIsRefusedOrMeansWhatItSays(uint256 seed) external {
        Dice.Cup memory cup = Dice.Cup(seed);
        bytes memory data = abi.encodeCall(IGolemEntry.execute, (anyTrades(cup)));
        uint256 words = (data.length - 4) / 32;
        if (cup.oneIn(4)) {
            uint256 length = cup.between(4, data.length - 1);
            assembly ("memory-safe") {
                mstore(data, length)
            }
        } else {
            uint256 place = 0x24 + 32 * cup.between(0, words - 1);
            uint256 word = cup.oneIn(2) ? cup.between(0, data.length) : cup.roll() >> cup.between(0, 255);
            assembly ("memory-safe") {
                mstore(add(data, place), word)
            }
        }

        vm.prank(golem);
        (bool success, ) = address(entry).call(data);

        if (success) assertRedeemed(this.tradesIn(data));
        else assertEq(RecordingManager(_manager).calls().length, 0, "something was redeemed");
    }

    /// @dev As the compiler reads them.
    function tradesIn(bytes calldata call) external pure returns (Trade[] memory) {
        return abi.decode(call[4:], (Trade[]));
    }

    /// @dev As the utilities read them.
    function decoded(bytes calldata batch) external pure returns (Execution[] memory) {
        return ERC7579Utils.decodeBatch(batch);
    }

    // ── What is redeemed ──

    function assertRedeemed(Trade[] memory trades) private view {
        bytes[] memory calls = RecordingManager(_manager).calls();
        Execution[] memory expected = stepsOf(trades);
        bytes memory batch = executionIn(calls[0]);
        // But for what stands behind the last byte of a call, in its last word, which nobody reads.
        assertEq(batch.length, ERC7579Utils.encodeBatch(expected).length, "length of the batch");
        bytes memory again = ERC7579Utils.encodeBatch(this.decoded(batch));
        assertEq(again, ERC7579Utils.encodeBatch(expected), "what is read of it");

        // Nothing was approved, so that nothing is left to be cleared.
        assertEq(calls.length, 1, "redemptions");
    }

    function executionIn(bytes memory call) private view returns (bytes memory) {
        assertEq(bytes4(call), IDelegationManager.redeemDelegations.selector);
        (, bytes32[] memory modes, bytes[] memory executions) = this.argumentsOf(call);
        assertEq(modes.length, 1);
        assertEq(modes[0], BATCH);
        assertEq(executions.length, 1);
        return executions[0];
    }

    function argumentsOf(bytes calldata call) external pure returns (bytes[] memory, bytes32[] memory, bytes[] memory) {
        return abi.decode(call[4:], (bytes[], bytes32[], bytes[]));
    }

    /// Approve exactly, call, and clear but for the last trade.
    function stepsOf(Trade[] memory trades) private pure returns (Execution[] memory steps) {
        uint256 count;
        steps = new Execution[](64);
        for (uint256 i; i < trades.length; ++i) {
            Trade memory trade = trades[i];
            count = approvals(steps, count, trade, false);
            steps[count++] = Execution(trade.protocol, trade.value, trade.data);
            if (i + 1 != trades.length) count = approvals(steps, count, trade, true);
        }
        assembly ("memory-safe") {
            mstore(steps, count)
        }
    }

    function approvals(
        Execution[] memory steps,
        uint256 count,
        Trade memory trade,
        bool clears
    ) private pure returns (uint256) {
        for (uint256 i; i < trade.inputs.length; ++i) {
            TradeInput memory input = trade.inputs[i];
            if (input.asset == NATIVE) continue;
            bytes memory call = abi.encodeCall(IERC20.approve, (trade.protocol, clears ? 0 : input.maxAmount));
            steps[count++] = Execution(input.asset, 0, call);
        }
        return count;
    }

    // ── Trades ──

    function anyTrades(Dice.Cup memory cup) private view returns (Trade[] memory trades) {
        trades = new Trade[](cup.between(1, 4));
        for (uint256 i; i < trades.length; ++i) {
            trades[i].protocol = _protocols[cup.roll() % 3];
            trades[i].data = anyData(cup);
            trades[i].inputs = new TradeInput[](cup.between(0, 4));
            for (uint256 j; j < trades[i].inputs.length; ++j) trades[i].inputs[j] = anyInput(cup, trades[i]);
            if (cup.oneIn(2)) trades[i].outputs = outputsOf(address(weth));
        }
    }

    function anyInput(Dice.Cup memory cup, Trade memory trade) private view returns (TradeInput memory input) {
        address[4] memory assets = [address(usdc), address(weth), address(wbtc), NATIVE];
        input = TradeInput(assets[cup.roll() % 4], cup.roll() >> cup.between(0, 255));
        if (input.asset == NATIVE && cup.oneIn(2)) trade.value = input.maxAmount;
    }

    /// Of any length, and seldom of whole words.
    function anyData(Dice.Cup memory cup) private pure returns (bytes memory data) {
        data = new bytes(cup.between(0, 200));
        for (uint256 i; i < data.length; ++i) data[i] = bytes1(uint8(cup.roll()));
        return bytes.concat(cup.oneIn(2) ? MockExchange.swap.selector : MockExchange.other.selector, data);
    }
}
