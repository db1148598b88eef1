// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IPolicyCageExtension as Cage} from "../interfaces/IPolicyCageExtension.sol";
import {ChainlinkReader} from "../oracles/ChainlinkReader.sol";
import {GuardedQuery} from "./GuardedQuery.sol";
import {PolicyTable, Table} from "./PolicyTable.sol";

/// @dev Whose assets are valued, and the uptime feed that prices depend on.
struct Subject {
    address account;
    bool hasSequencerFeed;
    address sequencerFeed;
}

/// @dev What was read.
/// @param positions A word for each row of the table, 0 for an asset that is not in play.
/// @param nav Sum of all values, each rounded down; 0 when something can not be read.
/// @param unreadable First asset, in ascending order, whose balance or price can not be read; zero when there is none.
/// @param basePrice USD per USDC, 6 decimals.
struct Measurement {
    uint256[] positions;
    uint256 nav;
    address unreadable;
    uint256 basePrice;
}

/// @title Valuation
/// @notice What an account holds, in USDC with 6 decimals: amount x (asset/USD) / (USDC/USD).
///
/// IN PLAY is every asset held above its dust amount or named by a trade, and the base asset. Nothing else is priced.
/// A POSITION is one word: price << 128 | balance. The price is micro-USDC per whole asset, with 18 more decimals.
library Valuation {
    using PolicyTable for Table;

    uint256 internal constant BPS = 10_000;
    uint256 internal constant MIN_BASE_PRICE = 980_000;
    uint256 internal constant MAX_BASE_PRICE = 1_020_000;

    /// @notice Reads balances and prices of the assets in play, each once.
    /// @param named Assets in play whatever their balance, as bits by index.
    function measure(
        Table table,
        Subject memory subject,
        uint256 named
    ) internal view returns (Measurement memory found) {
        uint256[] memory positions = new uint256[](table.assetCount());
        found.positions = positions;
        bool hasPrices = !subject.hasSequencerFeed || ChainlinkReader.isSequencerUp(subject.sequencerFeed);
        uint256 base = table.baseIndex();
        for (uint256 i; i < positions.length; ++i) {
            (bool isKnown, uint256 balance) = GuardedQuery.balanceOf(table.asset(i), subject.account);
            bool isInPlay = balance > table.dust(i) || i == base || (named >> i) & 1 == 1;
            if (isKnown && !isInPlay) continue;
            uint256 answer = isKnown && hasPrices ? _answer(table, i) : 0;
            if (answer == 0) {
                found.unreadable = table.asset(i);
                return found;
            }
            positions[i] = (answer << 128) | balance;
        }
        _price(table, found);
    }

    /// @notice As `measure`, reverting where something can not be read and, with `needsPeg`, where USDC is off its peg.
    function measureStrictly(
        Table table,
        Subject memory subject,
        uint256 named,
        bool needsPeg
    ) internal view returns (Measurement memory found) {
        found = measure(table, subject, named);
        if (found.unreadable != address(0)) revert Cage.PriceUnavailable(found.unreadable);
        if (!needsPeg) return found;
        if (found.basePrice < MIN_BASE_PRICE) revert Cage.BaseAssetDepegged(found.basePrice, MIN_BASE_PRICE);
        if (found.basePrice > MAX_BASE_PRICE) revert Cage.BaseAssetDepegged(found.basePrice, MAX_BASE_PRICE);
    }

    /// Turns the answers in `found.positions` into prices, and adds up.
    function _price(Table table, Measurement memory found) private pure {
        uint256[] memory positions = found.positions;
        uint256 base = table.baseIndex();
        uint256 baseAnswer = positions[base] >> 128;
        uint256 baseUnit = 10 ** table.feedDecimalsOf(base);
        found.basePrice = (baseAnswer * 1e6) / baseUnit;
        for (uint256 i; i < positions.length; ++i) {
            uint256 answer = positions[i] >> 128;
            if (answer == 0) continue;
            // An answer has 96 bits and the scale at most 140.
            uint256 price = (answer * baseUnit * 10 ** (24 - table.feedDecimalsOf(i))) / baseAnswer;
            if (price == 0 || price > type(uint128).max) {
                found.nav = 0;
                found.unreadable = table.asset(i);
                return;
            }
            uint256 balance = uint128(positions[i]);
            positions[i] = (price << 128) | balance;
            found.nav += value(table, i, balance, price);
        }
    }

    /// @notice Value of `amount` at `price`, both of 128 bits, rounded down.
    function value(Table table, uint256 index, uint256 amount, uint256 price) internal pure returns (uint256) {
        return (amount * price) / 10 ** (table.decimalsOf(index) + 18);
    }

    /// @notice Value of `amount` at `price`, both of 128 bits, rounded up.
    function valueUp(Table table, uint256 index, uint256 amount, uint256 price) internal pure returns (uint256) {
        return Math.ceilDiv(amount * price, 10 ** (table.decimalsOf(index) + 18));
    }

    /// @notice Share of `mark` that is missing in `nav`, in bps, rounded up. `mark` is above zero.
    function drawdownBps(uint256 nav, uint256 mark) internal pure returns (uint256) {
        return nav >= mark ? 0 : Math.ceilDiv((mark - nav) * BPS, mark);
    }

    function _answer(Table table, uint256 index) private view returns (uint256) {
        return
            ChainlinkReader.price(
                table.feed(index),
                table.heartbeat(index),
                table.minAnswer(index),
                table.maxAnswer(index)
            );
    }
}
