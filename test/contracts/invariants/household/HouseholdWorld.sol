// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ICagedAccount} from "../../../../contracts/interfaces/ICagedAccount.sol";
import {IGolemEntry} from "../../../../contracts/interfaces/IGolemEntry.sol";
import {IPolicyCageFactory} from "../../../../contracts/interfaces/IPolicyCageFactory.sol";
import {PolicyCageConfig, Roles, Trade, Valuer} from "../../../../contracts/interfaces/Types.sol";
import {ReenteringProtocol} from "../../../../contracts/mocks/hostile/HostileProtocols.sol";
import {AaveV3Position} from "../../../../contracts/positions/AaveV3Position.sol";
import {AaveMarket, IMarketPool} from "../../support/AaveMarket.sol";
import {IWholeCage} from "../../support/CageFixture.sol";
import {AccountKind} from "../../support/Desks.sol";
import {LiquidityFixture, ISwapRouter} from "../../support/LiquidityFixture.sol";
import {SafeDesk} from "../../support/SafeDesk.sol";

/// @notice A parent whose funds are a real Safe's, and two children with accounts of their own, under one constitution, by which each may
/// borrow of Aave V3 and add liquidity to Uniswap V3, both as published. The first child owes Aave and has a liquidity position.
abstract contract HouseholdWorld is LiquidityFixture {
    struct Desk {
        IGolemEntry entry;
        ICagedAccount desk;
    }

    uint256 internal constant MEMBERS = 3;
    uint256 internal constant VARIABLE = 2;

    IPolicyCageFactory internal factory;
    ReenteringProtocol internal intruder;
    AaveMarket internal market;
    IMarketPool internal lender;
    IWholeCage[MEMBERS] public members;
    mapping(address member => Desk) private _desks;
    bytes private _code;

    function setUp() public virtual override {
        super.setUp();
        market = createMarket();
        lender = market.pool();
        intruder = new ReenteringProtocol();
        _code = vm.getCode("PolicyCage.sol:PolicyCage");
        factory = IPolicyCageFactory(createFactory());
        lend();
        PolicyCageConfig memory config = householdConfig();
        members = [makeOnSafe(config), makeAlone(config, "child"), makeAlone(config, "sibling")];
        for (uint256 i = 1; i < MEMBERS; ++i) {
            vm.prank(owner);
            members[0].adopt(address(members[i]), 5_000);
        }
        for (uint256 i; i < MEMBERS; ++i) arm(members[i]);
    }

    /// Caps that bind, in a policy that is wide otherwise.
    function householdConfig() private returns (PolicyCageConfig memory config) {
        config = liquidityConfig();
        config.perTransactionCapUsdc = 60_000e6;
        config.perDayCapUsdc = 200_000e6;
        addProtocol(config, address(intruder));
        addStrategy(config, address(intruder), ReenteringProtocol.run.selector);
        addProtocol(config, address(lender));
        addStrategy(config, address(lender), IMarketPool.supply.selector);
        addStrategy(config, address(lender), IMarketPool.withdraw.selector);
        addStrategy(config, address(lender), IMarketPool.borrow.selector);
        addStrategy(config, address(lender), IMarketPool.repay.selector);
        Valuer memory liquidity = config.valuers[0];
        Valuer memory lending = Valuer(address(lender), address(new AaveV3Position(address(lender))));
        config.valuers = new Valuer[](2);
        bool isLendingFirst = lending.protocol < liquidity.protocol;
        (config.valuers[0], config.valuers[1]) = isLendingFirst ? (lending, liquidity) : (liquidity, lending);
    }

    // ── Making it ──

    function createMarket() private returns (AaveMarket) {
        address[] memory assets = new address[](2);
        address[] memory prices = new address[](2);
        uint8[] memory decimals = new uint8[](2);
        (assets[0], prices[0], decimals[0]) = (address(usdc), address(usdcFeed), 6);
        (assets[1], prices[1], decimals[1]) = (address(weth), address(ethFeed), 18);
        return new AaveMarket(assets, decimals, prices);
    }

    function createFactory() private returns (address created) {
        bytes memory code = vm.getCode("PolicyCageFactory.sol:PolicyCageFactory");
        code = bytes.concat(code, abi.encode(keccak256(_code)));
        assembly ("memory-safe") {
            created := create(0, add(code, 0x20), mload(code))
        }
    }

    /// Somebody else lends what members borrow.
    function lend() private {
        vm.startPrank(attacker);
        usdc.approve(address(lender), type(uint256).max);
        lender.supply(address(usdc), 50_000_000e6, attacker, 0);
        vm.stopPrank();
    }

    function makeAlone(PolicyCageConfig memory config, bytes32 salt) private returns (IWholeCage made) {
        made = make(config, address(0), salt);
        address account_ = made.account();
        _desks[address(made)] = Desk(IGolemEntry(account_), ICagedAccount(account_));
    }

    function makeOnSafe(PolicyCageConfig memory config) private returns (IWholeCage made) {
        SafeDesk safeDesk = new SafeDesk(owner);
        made = make(config, safeDesk.holder(), "parent");
        address guard = createModule(AccountKind.Safe, address(made));
        safeDesk.install(guard, address(made));
        _desks[address(made)] = Desk(IGolemEntry(guard), ICagedAccount(address(safeDesk)));
    }

    function make(PolicyCageConfig memory config, address holder, bytes32 salt) private returns (IWholeCage) {
        Roles memory roles = Roles(owner, operator, guardian, holder, address(0));
        (address made, ) = factory.createCage(_code, config, roles, salt);
        return IWholeCage(made);
    }

    function arm(IWholeCage member) private {
        use(member);
        fund();
        raiseMark(nav());
        openSession(golem, 10_000_000e6);
    }

    /// What follows is about `member`.
    function use(IWholeCage member) internal {
        cage = member;
        account = ICagedAccount(member.account());
        entry = _desks[address(member)].entry;
        desk = _desks[address(member)].desk;
    }

    // ── What golems ask ──

    /// USDC for WETH on the exchange, at the feeds' price less `lossBps`, for `recipient`.
    function trade(bool isSale, uint256 worth, uint256 lossBps) internal view returns (Trade[] memory) {
        uint256 ether_ = (worth * 1e20) / price();
        return
            isSale
                ? swapTrade(address(weth), ether_, address(usdc), (worth * (10_000 - lossBps)) / 10_000)
                : swapTrade(address(usdc), worth, address(weth), (ether_ * (10_000 - lossBps)) / 10_000);
    }

    function supplyTrade(address asset, uint256 amount) internal view returns (Trade[] memory trades) {
        trades = callTrade(
            address(lender),
            0,
            abi.encodeCall(IMarketPool.supply, (asset, amount, address(account), 0))
        );
        trades[0].inputs = inputsOf(asset, amount);
    }

    function withdrawTrade(address asset, uint256 amount, address to) internal view returns (Trade[] memory) {
        return callTrade(address(lender), 0, abi.encodeCall(IMarketPool.withdraw, (asset, amount, to)));
    }

    function borrowTrade(uint256 amount) internal view returns (Trade[] memory) {
        bytes memory data = abi.encodeCall(IMarketPool.borrow, (address(usdc), amount, VARIABLE, 0, address(account)));
        return callTrade(address(lender), 0, data);
    }

    function repayTrade(uint256 amount) internal view returns (Trade[] memory trades) {
        bytes memory data = abi.encodeCall(IMarketPool.repay, (address(usdc), amount, VARIABLE, address(account)));
        trades = callTrade(address(lender), 0, data);
        trades[0].inputs = inputsOf(address(usdc), amount);
    }

    // ── The market ──

    /// Of a WETH, in USD with 8 decimals.
    function price() internal view returns (uint256) {
        (, int256 answer, , , ) = ethFeed.latestRoundData();
        return uint256(answer);
    }

    /// Somebody trades the pool to the feeds' price.
    function bringPoolToFeeds() internal {
        bool isUsdcFirst = address(usdc) < address(weth);
        uint256 ether_ = 1 ether;
        (uint256 first, uint256 second) = isUsdcFirst ? (price() / 100, ether_) : (ether_, price() / 100);
        uint160 limit = uint160(Math.sqrt(Math.mulDiv(second, 1 << 192, first)));
        if (!trySwap(address(usdc), address(weth), 100_000_000e6, limit)) {
            trySwap(address(weth), address(usdc), 50_000 ether, limit);
        }
    }

    /// False where the price is beyond `limit` already.
    function trySwap(address sold, address bought, uint256 amount, uint160 limit) private returns (bool success) {
        ISwapRouter.ExactInputSingleParams memory params = ISwapRouter.ExactInputSingleParams(
            sold,
            bought,
            FEE,
            attacker,
            type(uint256).max,
            amount,
            0,
            limit
        );
        vm.prank(attacker);
        (success, ) = address(router).call(abi.encodeCall(ISwapRouter.exactInputSingle, (params)));
    }

    function receiptBalance(address asset) internal view returns (uint256) {
        return market.receiptOf(asset).balanceOf(address(account));
    }

    function debt() internal view returns (uint256) {
        return market.debtOf(address(usdc)).balanceOf(address(account));
    }

    /// Collateral at its threshold in bps of debt, by Aave's own word; the most there is where nothing is owed.
    function ratio() internal view returns (uint256) {
        (, , , , , uint256 health) = lender.getUserAccountData(address(account));
        return health == type(uint256).max ? health : health / 1e14;
    }

    function balanceOf(IERC20 token) internal view returns (uint256) {
        return token.balanceOf(address(account));
    }
}
