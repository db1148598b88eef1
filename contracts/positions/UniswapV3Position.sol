// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {IUniswapV3Factory, IUniswapV3Positions, UniswapPosition} from "../interfaces/protocols/IUniswapV3Positions.sol";
import {IUniswapV3Pool} from "../interfaces/protocols/IUniswapV3Pool.sol";
import {Holding, IPositionValuer} from "../interfaces/IPositionValuer.sol";
import {AssetConfig, NATIVE} from "../interfaces/Types.sol";
import {ChainlinkReader} from "../outside/ChainlinkReader.sol";
import {UniswapV3Math} from "./UniswapV3Math.sol";

/// @title UniswapV3Position
/// @notice What an account's liquidity positions of Uniswap V3 hold: those that it opened and had tracked, at most four.
///
/// THE LIST is written by the account alone, so nobody can fill it, and what somebody sends to the account counts for nothing. A position that
/// is on no list is not measured: opening one and not tracking it in the same execution is a loss.
///
/// AMOUNTS are those at the price that the feeds give, whatever the pool's own price is. Out of the pool comes never less than that, in
/// value at the feeds: what liquidity is worth at one price is least where the pool stands at that price. So who moves the pool makes no
/// position dearer, and who adds liquidity to a pool that was moved loses what it costs at once.
///
/// FEES count as `collect` would pay them out now, those that the manager has not written down yet too: else they could leave unseen. How
/// they grow does not depend on where the price stands.
///
/// NOTHING IS LEFT OUT OF A TRACKED POSITION: where one of its tokens was not asked about, or has no price, it reverts.
contract UniswapV3Position is IPositionValuer {
    /// @dev How the price of a token is read. `digits` are the token's decimals and the feed's together.
    struct Feed {
        address feed;
        uint32 heartbeat;
        uint8 digits;
        uint96 minAnswer;
        uint96 maxAnswer;
    }

    /// @notice `account` had `tokenId` tracked.
    event Tracked(address indexed account, uint256 indexed tokenId);

    /// @notice `account` does not hold `tokenId`.
    error NotHeld(uint256 tokenId, address account);
    /// @notice The position that `account` received last is not the one that was opened last.
    error NotNewest(uint256 tokenId, uint256 newest);
    /// @notice `tokenId` is tracked already.
    error TrackedAlready(uint256 tokenId);
    /// @notice The account holds as many tracked positions as it may; one that is burnt or sent away makes room.
    error TooManyPositions(uint256 count, uint256 max);
    /// @notice The manager does not say who holds `tokenId`.
    error HolderUnknown(uint256 tokenId);
    /// @notice A tracked position holds `token`, which was not asked about.
    error TokenNotAsked(uint256 tokenId, address token);
    /// @notice `token` has no price now, or never had one here.
    error TokenNotPriced(address token);
    /// @notice Decimals of a token and of its feed.
    error TooManyDigits(address token, uint256 digits, uint256 max);

    uint256 private constant MAX_POSITIONS = 4;
    /// An answer has 96 bits, and ten to the 48th another 160.
    uint256 private constant MAX_DIGITS = 48;
    uint256 private constant RAY = 1e27;

    IUniswapV3Positions private immutable _manager;
    IUniswapV3Factory private immutable _factory;

    mapping(address token => Feed) private _feeds;
    /// Zero where there is room.
    mapping(address account => uint64[MAX_POSITIONS]) private _tracked;

    /// @param manager Uniswap's `NonfungiblePositionManager`.
    /// @param assets Rows of the policy: what the cage prices a token by, positions are split by.
    constructor(address manager, AssetConfig[] memory assets) {
        _manager = IUniswapV3Positions(manager);
        _factory = IUniswapV3Factory(IUniswapV3Positions(manager).factory());
        for (uint256 i; i < assets.length; ++i) {
            address token = assets[i].asset;
            if (token == NATIVE) continue;
            address feed = assets[i].priceFeed.feed;
            uint256 digits = uint256(IERC20Metadata(token).decimals()) + IERC20Metadata(feed).decimals();
            if (digits > MAX_DIGITS) revert TooManyDigits(token, digits, MAX_DIGITS);
            _feeds[token] = Feed({
                feed: feed,
                heartbeat: assets[i].priceFeed.heartbeat,
                digits: uint8(digits),
                minAnswer: assets[i].priceFeed.minAnswer,
                maxAnswer: assets[i].priceFeed.maxAnswer
            });
        }
    }

    /// @notice Tracks the position that the caller has just opened: of all that there are the newest.
    function trackNewest() external {
        uint256 tokenId = _manager.tokenOfOwnerByIndex(msg.sender, _manager.balanceOf(msg.sender) - 1);
        uint256 newest = _manager.tokenByIndex(_manager.totalSupply() - 1);
        if (tokenId != newest) revert NotNewest(tokenId, newest);
        _track(tokenId);
    }

    /// @notice Tracks `tokenId`, which the caller holds. For owners whose account has positions; a golem needs `trackNewest` alone.
    function track(uint256 tokenId) external {
        _track(tokenId);
    }

    /// @inheritdoc IPositionValuer
    function protocol() external view returns (address) {
        return address(_manager);
    }

    /// @notice How `token` is priced here: to be compared with the policy.
    function feedOf(address token) external view returns (Feed memory) {
        return _feeds[token];
    }

    /// @notice What `account` has tracked; zero where there is room.
    function tracked(address account) external view returns (uint64[MAX_POSITIONS] memory) {
        return _tracked[account];
    }

    /// @inheritdoc IPositionValuer
    function positions(address account, address[] calldata assets) external view returns (Holding[] memory holdings) {
        holdings = new Holding[](assets.length);
        uint64[MAX_POSITIONS] memory list = _tracked[account];
        for (uint256 i; i < MAX_POSITIONS; ++i) {
            if (list[i] != 0 && _isHeld(list[i], account)) _add(holdings, assets, list[i]);
        }
    }

    function _track(uint256 tokenId) private {
        if (!_isHeld(tokenId, msg.sender)) revert NotHeld(tokenId, msg.sender);
        uint64[MAX_POSITIONS] storage list = _tracked[msg.sender];
        uint256 room = MAX_POSITIONS;
        for (uint256 i; i < MAX_POSITIONS; ++i) {
            uint256 former = list[i];
            if (former == tokenId) revert TrackedAlready(tokenId);
            if (room == MAX_POSITIONS && (former == 0 || !_isHeld(former, msg.sender))) room = i;
        }
        if (room == MAX_POSITIONS) revert TooManyPositions(MAX_POSITIONS + 1, MAX_POSITIONS);
        list[room] = SafeCast.toUint64(tokenId);
        emit Tracked(msg.sender, tokenId);
    }

    /// A position that is gone is held by nobody, which the manager says in words. One that says nothing has run out of gas, or is none.
    function _isHeld(uint256 tokenId, address account) private view returns (bool) {
        try _manager.ownerOf(tokenId) returns (address holder) {
            return holder == account;
        } catch (bytes memory words) {
            if (words.length == 0) revert HolderUnknown(tokenId);
            return false;
        }
    }

    function _add(Holding[] memory holdings, address[] calldata assets, uint256 tokenId) private view {
        UniswapPosition memory position = _manager.positions(tokenId);
        (uint256 amount0, uint256 amount1) = (position.tokensOwed0, position.tokensOwed1);
        if (position.liquidity == 0 && amount0 == 0 && amount1 == 0) return;
        if (position.liquidity != 0) {
            (uint256 fees0, uint256 fees1) = _newFees(position);
            (uint256 held0, uint256 held1) = UniswapV3Math.amountsAt(
                _sqrtPrice(position.token0, position.token1),
                UniswapV3Math.sqrtPriceAt(position.tickLower),
                UniswapV3Math.sqrtPriceAt(position.tickUpper),
                position.liquidity
            );
            (amount0, amount1) = (amount0 + fees0 + held0, amount1 + fees1 + held1);
        }
        _credit(holdings, assets, tokenId, position.token0, amount0);
        _credit(holdings, assets, tokenId, position.token1, amount1);
    }

    function _credit(
        Holding[] memory holdings,
        address[] calldata assets,
        uint256 tokenId,
        address token,
        uint256 amount
    ) private pure {
        uint256 i;
        while (i < assets.length && assets[i] != token) ++i;
        if (i == assets.length) revert TokenNotAsked(tokenId, token);
        holdings[i].heldShares += amount;
        holdings[i].heldRate = RAY;
    }

    /// Fees that the manager has not written down yet.
    function _newFees(UniswapPosition memory position) private view returns (uint256 fees0, uint256 fees1) {
        (uint256 inside0, uint256 inside1) = _growthInside(position);
        // It wraps, and so does what the manager compares it with.
        unchecked {
            inside0 -= position.feeGrowthInside0LastX128;
            inside1 -= position.feeGrowthInside1LastX128;
        }
        fees0 = Math.mulDiv(inside0, position.liquidity, 1 << 128);
        fees1 = Math.mulDiv(inside1, position.liquidity, 1 << 128);
    }

    function _growthInside(UniswapPosition memory position) private view returns (uint256 inside0, uint256 inside1) {
        IUniswapV3Pool pool = IUniswapV3Pool(_factory.getPool(position.token0, position.token1, position.fee));
        (int24 lower, int24 upper) = (position.tickLower, position.tickUpper);
        (, int24 tick) = pool.slot0();
        (, , uint256 below0, uint256 below1) = pool.ticks(lower);
        (, , uint256 above0, uint256 above1) = pool.ticks(upper);
        inside0 = UniswapV3Math.growthInside(tick, lower, upper, pool.feeGrowthGlobal0X128(), below0, above0);
        inside1 = UniswapV3Math.growthInside(tick, lower, upper, pool.feeGrowthGlobal1X128(), below1, above1);
    }

    /// The price of `token0` in `token1`, both in base units, that the feeds give.
    function _sqrtPrice(address token0, address token1) private view returns (uint256) {
        (uint256 answer0, uint256 digits0) = _answerOf(token0);
        (uint256 answer1, uint256 digits1) = _answerOf(token1);
        return UniswapV3Math.sqrtPriceOf(answer0 * 10 ** digits1, answer1 * 10 ** digits0);
    }

    function _answerOf(address token) private view returns (uint256 answer, uint256 digits) {
        Feed memory feed = _feeds[token];
        answer = ChainlinkReader.price(feed.feed, feed.heartbeat, feed.minAnswer, feed.maxAnswer);
        if (answer == 0) revert TokenNotPriced(token);
        return (answer, feed.digits);
    }
}
