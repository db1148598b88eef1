// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Test} from "forge-std/Test.sol";
import {VmSafe} from "forge-std/Vm.sol";
import {ICagedAccount} from "../../../contracts/interfaces/ICagedAccount.sol";
import {IGolemEntry} from "../../../contracts/interfaces/IGolemEntry.sol";
import {NATIVE, Trade, TradeInput} from "../../../contracts/interfaces/Types.sol";
import {Dice} from "../support/Dice.sol";

/// A cage that allows everything and keeps what it has read: the calls that the account may make now, in their order.
contract ReadingCage {
    address public immutable account;
    bytes32[] private _calls;

    /// @param code Creation code of the account: it takes its creator for its cage.
    constructor(bytes memory code) {
        address created;
        assembly ("memory-safe") {
            created := create(0, add(code, 0x20), mload(code))
        }
        account = created;
    }

    function beforeTrades(address, Trade[] calldata trades) external {
        delete _calls;
        for (uint256 i; i < trades.length; ++i) {
            Trade calldata trade = trades[i];
            TradeInput[] calldata inputs = trade.inputs;
            for (uint256 j; j < inputs.length; ++j) {
                TradeInput calldata input = inputs[j];
                if (input.asset == NATIVE) continue;
                _expect(input.asset, 0, abi.encodeCall(IERC20.approve, (trade.protocol, input.maxAmount)));
            }
            _expect(trade.protocol, trade.value, trade.data);
        }
    }

    function afterTrades() external {}

    function calls() external view returns (bytes32[] memory) {
        return _calls;
    }

    function _expect(address target, uint256 value, bytes memory data) private {
        _calls.push(keccak256(abi.encode(target, value, data)));
    }
}

/// A token that agrees to every approval and keeps none.
contract AgreeingToken {
    function approve(address, uint256) external pure returns (bool) {
        return true;
    }

    function allowance(address, address) external pure returns (uint256) {
        return 0;
    }
}

/// @notice The account passes its calldata on as it came. Whatever its offsets say, the account does what the cage has read, or nothing.
contract CalldataTest is Test {
    using Dice for Dice.Cup;

    /// A word outside the list, as an address: seen in a call, it was read where nothing should be read.
    address private constant OUTSIDE = address(0xbadbadbadbadbadbadbad);
    uint256 private constant ROOM = 12;

    ReadingCage private _cage;
    ICagedAccount private _account;
    address private _token;

    function setUp() public {
        _cage = new ReadingCage(vm.getCode("CagedAccount.sol:CagedAccount"));
        _account = ICagedAccount(_cage.account());
        _token = address(new AgreeingToken());
        vm.deal(address(_account), type(uint128).max);
    }

    function testFuzz_TheAccountDoesWhatTheCageHasRead(uint256 seed) public {
        _requireOneReading(_bent(Dice.Cup(seed)));
    }

    function test_BentCalldataIsExecutedAsItReadsOrRefused() public {
        uint256 executed;
        uint256 malformed;
        for (uint256 seed; seed < 400; ++seed) {
            (bool success, bytes memory reason) = _requireOneReading(_bent(Dice.Cup(seed)));
            if (success) ++executed;
            else if (bytes4(reason) == IGolemEntry.MalformedTrade.selector) ++malformed;
        }

        assertGt(executed, 40);
        assertGt(malformed, 40);
    }

    function test_EveryOffsetLeadsForward() public {
        bytes memory plain = _encode(0);
        (bool success, ) = address(_account).call(plain);
        assertTrue(success);
        uint256[8] memory places = _offsetsOf(plain, 0x24);
        uint256[6] memory offsets = [
            type(uint256).max - 0x1f,
            type(uint256).max - 0x43,
            type(uint256).max - 0x1_0000_0000,
            1 << 255,
            1 << 64,
            1 << 32
        ];
        for (uint256 i; i < places.length; ++i) {
            for (uint256 j; j < offsets.length; ++j) {
                bytes memory bent = _setWord(_encode(0), places[i], offsets[j]);

                bytes memory reason;
                (success, reason) = address(_account).call(bent);

                assertFalse(success);
                // Where a trade would lie beyond the calldata, reading it reverts first.
                if (reason.length != 0) {
                    assertEq(reason, abi.encodeWithSelector(IGolemEntry.MalformedTrade.selector, i / 4));
                }
            }
        }
    }

    function test_AnOffsetThatLeadsBackIsMalformed() public {
        uint256[8] memory places = _offsetsOf(_encode(0), 0x24);
        for (uint256 i; i < places.length; ++i) {
            bytes memory bent = _setWord(_encode(0), places[i], type(uint256).max - 0x1f);

            vm.expectRevert(abi.encodeWithSelector(IGolemEntry.MalformedTrade.selector, i / 4));
            this.callAccount(bent);
        }
    }

    function test_AnOffsetThatLeadsAroundTheWorldIsMalformed() public {
        // Far enough back to be behind everything: no call data is there, and an empty trade is read where it is passed on elsewhere.
        bytes memory bent = _setWord(_encode(ROOM), 0x44 + 32 * ROOM, 1 << 255);

        vm.expectRevert(abi.encodeWithSelector(IGolemEntry.MalformedTrade.selector, 0));
        this.callAccount(bent);
    }

    function callAccount(bytes calldata data) external {
        (bool success, bytes memory reason) = address(_account).call(data);
        if (success) return;
        assembly ("memory-safe") {
            revert(add(reason, 0x20), mload(reason))
        }
    }

    // ── Readings ──

    function _requireOneReading(bytes memory data) private returns (bool success, bytes memory reason) {
        vm.startStateDiffRecording();
        (success, reason) = address(_account).call(data);
        VmSafe.AccountAccess[] memory accesses = vm.stopAndReturnStateDiff();
        if (!success) return (success, reason);

        bytes32[] memory calls = _cage.calls();
        uint256 made;
        for (uint256 i; i < accesses.length; ++i) {
            VmSafe.AccountAccess memory access = accesses[i];
            if (access.accessor != address(_account) || access.kind != VmSafe.AccountAccessKind.Call) continue;
            if (access.account == address(_cage)) continue;
            assertLt(made, calls.length, "a call that the cage has not read");
            bytes32 call = keccak256(abi.encode(access.account, access.value, access.data));
            assertEq(call, calls[made], "another call than the cage has read");
            ++made;
        }
        assertEq(made, calls.length, "a call that was read was not made");
    }

    // ── Calldata ──

    /// One to three words of the list are bent; now and then bytes are added at the end or taken away.
    function _bent(Dice.Cup memory cup) private view returns (bytes memory data) {
        uint256 room = cup.oneIn(2) ? ROOM : 0;
        data = _encode(room);
        uint256 list = 0x24 + 32 * room;
        uint256[8] memory offsets = _offsetsOf(data, list);
        uint256 words = (data.length - list) / 32;
        for (uint256 bends = cup.between(1, 3); bends != 0; --bends) {
            uint256 place = cup.oneIn(3) ? list + 32 * cup.between(0, words - 1) : offsets[cup.roll() % 8];
            data = _setWord(data, place, _word(cup));
        }
        if (cup.oneIn(4)) data = bytes.concat(data, new bytes(cup.between(1, 96)));
        if (!cup.oneIn(8)) return data;
        uint256 length = data.length - cup.between(1, 96);
        assembly ("memory-safe") {
            mstore(data, length)
        }
    }

    /// Where the offsets of both trades stand, and in each the offsets of its data, inputs and outputs.
    function _offsetsOf(bytes memory data, uint256 list) private pure returns (uint256[8] memory places) {
        for (uint256 i; i < 2; ++i) {
            places[4 * i] = list + 0x20 * (i + 1);
            uint256 trade = list + 0x20 + uint256(_wordAt(data, places[4 * i]));
            for (uint256 field; field < 3; ++field) places[4 * i + 1 + field] = trade + 0x40 + 0x20 * field;
        }
    }

    function _word(Dice.Cup memory cup) private pure returns (uint256) {
        uint256 distance = cup.between(0, 40) * (cup.oneIn(4) ? 1 : 32);
        uint256 kind = cup.roll() % 8;
        if (kind < 4) return distance;
        if (kind < 6) return uint256(-int256(distance));
        if (kind == 6) return (1 << (32 * cup.between(1, 7))) - distance;
        return uint256(-int256(distance + (cup.roll() >> 8)));
    }

    /// `execute` of two trades whose list stands behind `room` words from outside.
    function _encode(uint256 room) private view returns (bytes memory data) {
        Trade[] memory trades = new Trade[](2);
        trades[0] = Trade(address(0xa11ce), 0, hex"11111111", new TradeInput[](1), new address[](1));
        trades[0].inputs[0] = TradeInput(_token, 5);
        trades[0].outputs[0] = _token;
        trades[1] = Trade(address(0xb0b), 7, hex"22222222", new TradeInput[](2), new address[](0));
        trades[1].inputs[0] = TradeInput(_token, 6);
        trades[1].inputs[1] = TradeInput(NATIVE, 7);

        data = abi.encodePacked(IGolemEntry.execute.selector, 0x20 * (room + 1));
        for (uint256 i; i < room; ++i) data = bytes.concat(data, abi.encode(_outside(i)));
        bytes memory encoded = abi.encode(trades);
        bytes memory list = new bytes(encoded.length - 32);
        for (uint256 i; i < list.length; ++i) list[i] = encoded[i + 32];
        return bytes.concat(data, list);
    }

    /// What an offset that leads back finds: a trade's head, and a list of one input.
    function _outside(uint256 index) private view returns (uint256) {
        uint256[4] memory words = [uint256(uint160(OUTSIDE)), 0, 1, uint160(_token)];
        return words[index % 4];
    }

    function _wordAt(bytes memory data, uint256 place) private pure returns (bytes32 word) {
        assembly ("memory-safe") {
            word := mload(add(add(data, 0x20), place))
        }
    }

    function _setWord(bytes memory data, uint256 place, uint256 word) private pure returns (bytes memory) {
        assembly ("memory-safe") {
            mstore(add(add(data, 0x20), place), word)
        }
        return data;
    }
}
