// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IPolicyCage} from "../../../contracts/interfaces/IPolicyCage.sol";
import {IPolicyCageExtension as Cage} from "../../../contracts/interfaces/IPolicyCageExtension.sol";
import {PolicyCageConfig, Trade, Valuer} from "../../../contracts/interfaces/Types.sol";
import {MockExchange} from "../../../contracts/mocks/MockExchange.sol";
import {HostileValuer, LendingPool} from "../support/LendingPool.sol";
import {PositionFixture} from "../support/PositionFixture.sol";

/// @notice Attacks on an account with positions and debts: what comes in as a loan pays for no theft, what lowers the account's own debt is
/// never refused and never more than that, and a valuer that fails stops the golem and not the owner.
contract PositionsTest is PositionFixture {
    uint256 private constant SUPPLIED = 500_000e6;
    uint256 private constant BORROWED = 399_000e6;

    function setUp() public override {
        super.setUp();
        restart(positionConfig());
    }

    // ── A loan pays for nothing ──

    function test_ABorrowPaysForNoTheft() public {
        supply(SUPPLIED);

        refuse(
            refusal(Cage.TransactionCapExceeded.selector, BORROWED, 10_000e6),
            join(borrowTrade(BORROWED), theftTrade(BORROWED))
        );

        assertEq(balanceOfAttacker(), 0);
    }

    function test_ABorrowInsideTheCapsPaysForNoTheft() public {
        supply(SUPPLIED);

        refuse(
            refusal(Cage.TradeLossExceeded.selector, 9_000e6, 90.01e6),
            join(borrowTrade(9_000e6), theftTrade(9_000e6))
        );
    }

    function test_AFlashLoanThatStaysAsDebtIsCharged() public {
        supply(SUPPLIED);

        refuse(
            refusal(Cage.TransactionCapExceeded.selector, BORROWED, 10_000e6),
            callTrade(address(pool), 0, flashLoanCall(BORROWED))
        );
        refuse(
            refusal(Cage.TradeLossExceeded.selector, 9_000e6, 90.01e6),
            callTrade(address(pool), 0, flashLoanCall(9_000e6))
        );
    }

    function test_WithArbitraryCalldataAProtocolWithAValuerTakesItsPairsOnly() public {
        PolicyCageConfig memory config = positionConfig();
        config.allowArbitraryCalldata = true;
        restart(config);
        bytes4 unlisted = bytes4(keccak256("unlisted()"));

        refuse(
            refusal(Cage.SelectorNotAllowed.selector, address(pool), unlisted),
            callTrade(address(pool), 0, abi.encodePacked(unlisted))
        );
        refuse(
            refusal(Cage.SelectorNotAllowed.selector, address(pool), LendingPool.batch.selector),
            callTrade(address(pool), 0, abi.encodeCall(LendingPool.batch, (new bytes[](0))))
        );
        refuse(
            refusal(Cage.DebtCallRefused.selector, address(exchange), LendingPool.borrow.selector),
            callTrade(address(exchange), 0, borrowCall(1))
        );
    }

    function test_BorrowAndSwapIsChargedInFull() public {
        supply(SUPPLIED);
        uint256 before = nav();

        execute(join(borrowTrade(5_000e6), swapTrade(address(usdc), 5_000e6, address(weth), 2.5 ether)));

        assertEq(cage.dailySpent(), 5_000e6);
        assertEq(nav(), before);
    }

    function test_NavIsNetOfDebt() public {
        uint256 before = nav();
        indebt(SUPPLIED, BORROWED);

        assertEq(nav(), before);
        pool.setRates(RAY, 2 * RAY);
        assertEq(nav(), before - BORROWED);
    }

    function test_WhatIsWithdrawnIsCharged() public {
        supply(SUPPLIED);

        execute(withdrawTrade(4_000e6, address(account)));
        assertEq(cage.dailySpent(), 4_000e6);
        refuse(refusal(Cage.TradeLossExceeded.selector, 4_000e6, 40.01e6), withdrawTrade(4_000e6, attacker));
        assertEq(balanceOfAttacker(), 0);
    }

    // ── Rates that move in an execution ──

    function test_ARateThatRisesHidesNoLoss() public {
        supply(SUPPLIED);
        Trade[] memory trades = join(
            callTrade(address(pool), 0, abi.encodeCall(LendingPool.setRates, ((RAY * 101) / 100, RAY))),
            theftTrade(5_000e6)
        );

        refuse(refusal(Cage.TradeLossExceeded.selector, 5_000e6, 50.01e6), trades);
    }

    function test_ARateOfDebtThatFallsHidesNoLoss() public {
        indebt(SUPPLIED, BORROWED);
        Trade[] memory trades = join(
            callTrade(address(pool), 0, abi.encodeCall(LendingPool.setRates, (RAY, (RAY * 98) / 100))),
            theftTrade(5_000e6)
        );

        refuse(refusal(Cage.TradeLossExceeded.selector, 5_000e6, 50.01e6), trades);
    }

    function test_ARateThatFallsIsALoss() public {
        supply(SUPPLIED);

        refuse(
            refusal(Cage.TradeLossExceeded.selector, 5_000e6, 50.01e6),
            callTrade(address(pool), 0, abi.encodeCall(LendingPool.setRates, ((RAY * 99) / 100, RAY)))
        );
    }

    // ── Repaying ──

    function test_ARepaymentIsChargedToNothing() public {
        indebt(SUPPLIED, BORROWED);
        uint256 before = nav();

        execute(repayTrade(300_000e6));

        assertEq(pool.debt(address(account)), 99_000e6);
        assertEq(nav(), before);
        assertEq(cage.dailySpent(), 0);
        assertEq(cage.rebalancesToday(), 0);
    }

    function test_ADepositMayRepay() public {
        indebt(SUPPLIED, BORROWED);

        execute(callTrade(address(pool), 0, abi.encodeCall(LendingPool.repayFromDeposit, (300_000e6, 0))));

        assertEq(cage.dailySpent(), 0);
    }

    function test_ARepaymentPassesATrippedBreaker() public {
        indebt(400_000e6, 300_000e6);
        tripBreaker();
        refuse(refusal(Cage.BreakerTripped.selector, cage.trippedBps()), buyWeth(1_000e6));

        execute(repayTrade(100_000e6));

        assertEq(pool.debt(address(account)), 200_000e6);
        assertGt(cage.trippedBps(), 0);
    }

    function test_WhatMovesNothingPassesNoTrippedBreaker() public {
        indebt(400_000e6, 300_000e6);
        tripBreaker();

        refuse(
            refusal(Cage.BreakerTripped.selector, cage.trippedBps()),
            callTrade(address(pool), 0, abi.encodeCall(LendingPool.setRates, (RAY, RAY)))
        );
    }

    function test_ARepaymentPassesABreakerThatIsDue() public {
        indebt(400_000e6, 300_000e6);
        ethFeed.setAnswer(100e8);
        btcFeed.setAnswer(1_000e8);
        configureTight();

        execute(repayTrade(100_000e6));

        assertEq(pool.debt(address(account)), 200_000e6);
    }

    function test_ARepaymentWaitsForNoInterval() public {
        indebt(SUPPLIED, BORROWED);
        configure(abi.encodeCall(cage.setRebalanceLimits, (86_400, 1)));
        execute(buyWeth(1_000e6));
        uint256 earliest = block.timestamp + 86_400;

        execute(repayTrade(1_000e6));
        refuse(refusal(Cage.RebalanceTooSoon.selector, block.timestamp, earliest), buyWeth(1_000e6));
        assertEq(cage.rebalancesToday(), 1);
    }

    function test_TwoRepaymentsAreAnExecutionAsAnyOther() public {
        indebt(SUPPLIED, BORROWED);

        execute(join(repayTrade(1_000e6), repayTrade(1_000e6)));

        assertEq(cage.rebalancesToday(), 1);
        assertEq(cage.dailySpent(), 0);
    }

    function test_ARepaymentRaisesARatioThatStaysTooLow() public {
        indebt(SUPPLIED, BORROWED);
        configure(abi.encodeCall(cage.setMinCollateralRatioBps, (20_000)));

        execute(repayTrade(1_000e6));

        assertEq(pool.debt(address(account)), 398_000e6);
    }

    function test_RepayingForAnotherIsNoRepayment() public {
        indebt(400_000e6, 300_000e6);
        giveDebt(attacker, 100_000e6);
        tripBreaker();
        bytes memory refused = refusal(Cage.BreakerTripped.selector, cage.trippedBps());

        refuse(refused, poolTrade(repayCall(100_000e6, attacker), 100_000e6));
        refuse(refused, poolTrade(repayCall(1, attacker), 1));
    }

    function test_RepayingForAnotherIsSpentAndLost() public {
        indebt(400_000e6, 300_000e6);
        giveDebt(attacker, 100_000e6);

        refuse(
            refusal(Cage.TransactionCapExceeded.selector, 100_000e6, 10_000e6),
            poolTrade(repayCall(100_000e6, attacker), 100_000e6)
        );
        refuse(
            refusal(Cage.TradeLossExceeded.selector, 5_000e6, 50.01e6),
            poolTrade(repayCall(5_000e6, attacker), 5_000e6)
        );
    }

    function test_OneUnitAThousandTimesLosesNothingAndCountsForNothing() public {
        indebt(400_000e6, 300_000e6);
        tripBreaker();
        uint256 before = nav();
        bytes memory refused = refusal(Cage.BreakerTripped.selector, cage.trippedBps());

        for (uint256 i; i < 1_000; ++i) execute(repayTrade(1));
        // Not even one unit more than the debt fell by.
        refuse(refused, poolTrade(abi.encodeCall(LendingPool.repayDearly, (1, 1)), 2));

        assertEq(nav(), before);
        assertEq(cage.dailySpent(), 0);
        assertEq(cage.rebalancesToday(), 0);
        assertEq(pool.debt(address(account)), 300_000e6 - 1_000);
    }

    function test_WhatARepaymentTakesBeyondTheDebtIsSpent() public {
        indebt(400_000e6, 300_000e6);

        execute(poolTrade(abi.encodeCall(LendingPool.repayDearly, (5_000e6, 0.005e6)), 5_001e6));
        assertEq(cage.dailySpent(), 0.005e6);
        assertEq(cage.rebalancesToday(), 1);
        refuse(
            refusal(Cage.TradeLossExceeded.selector, 1e6, 0.02e6),
            poolTrade(abi.encodeCall(LendingPool.repayDearly, (5_000e6, 1e6)), 5_001e6)
        );
        refuse(
            refusal(Cage.TradeLossExceeded.selector, 1e6, 0.02e6),
            callTrade(address(pool), 0, abi.encodeCall(LendingPool.repayFromDeposit, (5_000e6, 1e6)))
        );
    }

    function test_ATheftBesideARepaymentPassesNoTrippedBreaker() public {
        indebt(400_000e6, 300_000e6);
        tripBreaker();
        bytes memory refused = refusal(Cage.BreakerTripped.selector, cage.trippedBps());
        bytes[] memory calls = new bytes[](2);
        calls[0] = repayCall(1_000e6, address(account));
        calls[1] = calls[0];

        refuse(refused, join(repayTrade(1_000e6), repayTrade(1_000e6)));
        refuse(refused, poolTrade(abi.encodeWithSelector(bytes4(0xac9650d8), calls), 2_000e6));
    }

    function test_ATransferIsNoRepayment() public {
        indebt(400_000e6, 300_000e6);
        tripBreaker();

        vm.expectRevert(refusal(Cage.BreakerTripped.selector, cage.trippedBps()));
        vm.prank(golem);
        entry.transferOut(address(usdc), 1e6, mainWallet);
    }

    function test_ARepaymentLeavesTheReserve() public {
        indebt(400_000e6, 100_000e6);
        uint256 all = usdc.balanceOf(address(account));
        vm.prank(owner);
        desk.withdraw(address(usdc), all - 1_000e6, owner);

        refuse(refusal(Cage.ShutdownReserve.selector, 0.1e6, 0.3e6), repayTrade(999.9e6));
        execute(repayTrade(999.7e6));
    }

    // ── Collateral ──

    function test_NothingIsBorrowedAgainstTooLittle() public {
        indebt(100_000e6, 60_000e6);

        // 80 000 of collateral over 64 000 of debt are 125 %.
        execute(borrowTrade(4_000e6));
        refuse(refusal(IPolicyCage.CollateralRatioTooLow.selector, 12_499, 12_500), borrowTrade(1e6));
        refuse(
            refusal(IPolicyCage.CollateralRatioTooLow.selector, 12_499, 12_500),
            withdrawTrade(1e6, address(account))
        );
    }

    function test_ARatioThatIsTooLowMayRise() public {
        indebt(100_000e6, 70_000e6);

        execute(supplyTrade(5_000e6));
        execute(buyWeth(1_000e6));
        refuse(refusal(IPolicyCage.CollateralRatioTooLow.selector, 11_999, 12_500), borrowTrade(3e6));
    }

    // ── Gross exposure ──

    function test_ConcentrationSeesGrossCollateral() public {
        PolicyCageConfig memory config = positionConfig();
        config.maxConcentrationBps = 5_000;
        restart(config);
        indebt(450_000e6, 250_000e6);

        // 456 000 of 910 000 are more than half, whatever is owed.
        refuse(refusal(IPolicyCage.ConcentrationExceeded.selector, 5_011, 5_000), supplyTrade(6_000e6));
        execute(supplyTrade(5_000e6));
        execute(withdrawTrade(1_000e6, address(account)));
        assertFalse(cage.checkConcentration(address(wbtc), 1e8, 90_000e6));
    }

    function test_ASuspendedProtocolIsStillValued() public {
        indebt(SUPPLIED, BORROWED);
        uint256 before = nav();
        vm.prank(guardian);
        cage.suspendProtocol(address(pool));

        assertEq(nav(), before);
        refuse(refusal(IPolicyCage.ProtocolNotApproved.selector, address(pool)), borrowTrade(1e6));
        execute(buyWeth(1_000e6));
    }

    function test_ASuspendedAssetIsNotSupplied() public {
        supply(SUPPLIED);
        vm.prank(guardian);
        cage.suspendAsset(address(usdc));

        refuse(refusal(IPolicyCage.AssetNotApproved.selector, address(usdc)), supplyTrade(1_000e6));
    }

    // ── Valuers that fail ──

    function test_ASilentValuerStopsTheGolemAndNotTheOwner() public {
        HostileValuer hostile = restartHostile();
        hostile.setAnswer("");
        _assertStopped();
    }

    function test_AValuerThatBurnsGasStopsTheGolemAndNotTheOwner() public {
        HostileValuer hostile = restartHostile();
        hostile.burn();
        _assertStopped();
    }

    function test_AValuerThatIsGoneStopsTheGolemAndNotTheOwner() public {
        HostileValuer hostile = restartHostile();
        vm.etch(address(hostile), "");
        _assertStopped();
    }

    function test_AnAnswerOfAnotherSizeStopsTheGolemAndNotTheOwner() public {
        HostileValuer hostile = restartHostile();
        uint256 count = cage.policy().assets.length;
        hostile.setAnswer(bytes.concat(emptyAnswer(count), hex"00"));
        _assertStopped();
        hostile.setAnswer(emptyAnswer(count - 1));
        vm.expectRevert(valuerUnavailable());
        cage.nav();
        hostile.setAnswer(new bytes(1_000_000));
        vm.expectRevert(valuerUnavailable());
        cage.nav();
    }

    function test_AnAnswerThatMakesNoSenseIsNone() public {
        HostileValuer hostile = restartHostile();
        uint256 count = cage.policy().assets.length;
        uint256 past = uint256(type(uint128).max) + 1;
        uint256[5] memory least = [past, past, past, past, 10_001];
        for (uint256 i; i < 5; ++i) {
            uint256[] memory words = new uint256[](count * 5);
            words[i] = least[i];
            hostile.setAnswer(answerOf(words));
            vm.expectRevert(valuerUnavailable());
            cage.nav();
        }
        for (uint256 i; i < 4; i += 2) {
            // An amount of more than 128 bits.
            uint256[] memory words = new uint256[](count * 5);
            words[i] = type(uint128).max;
            words[i + 1] = RAY + 1;
            hostile.setAnswer(answerOf(words));
            vm.expectRevert(valuerUnavailable());
            cage.nav();
        }
    }

    function test_AValuerThatDiesInAnExecutionStopsIt() public {
        HostileValuer hostile = restartHostile();

        refuse(valuerUnavailable(), answerTrade(hostile, ""));
    }

    function test_WhatIsOwedInAnAssetWithoutAPriceIsRefused() public {
        HostileValuer hostile = restartHostile();
        uint256 index = indexOf(address(wbtc));
        uint256 held = wbtc.balanceOf(address(account));
        vm.prank(owner);
        desk.withdraw(address(wbtc), held, owner);
        uint256[] memory words = new uint256[](cage.policy().assets.length * 5);
        words[index * 5 + 2] = 1;
        words[index * 5 + 3] = RAY;

        refuse(refusal(Cage.PriceUnavailable.selector, address(wbtc)), answerTrade(hostile, answerOf(words)));
    }

    function test_DustOfADepositDoesNotLeaveUnseen() public {
        HostileValuer hostile = restartHostile();
        uint256 index = indexOf(address(wbtc));
        uint256 held = wbtc.balanceOf(address(account));
        vm.prank(owner);
        desk.withdraw(address(wbtc), held, owner);
        uint256[] memory words = new uint256[](cage.policy().assets.length * 5);
        (words[index * 5], words[index * 5 + 1]) = (10, RAY);
        hostile.setAnswer(answerOf(words));
        words[index * 5] = 9;

        refuse(
            abi.encodeWithSelector(Cage.UnnamedAssetFell.selector, address(wbtc), 10, 9),
            answerTrade(hostile, answerOf(words))
        );
    }

    function test_WhatIsOwedIsPricedHoweverLittle() public {
        HostileValuer hostile = restartHostile();
        uint256 index = indexOf(address(wbtc));
        uint256 held = wbtc.balanceOf(address(account));
        vm.prank(owner);
        desk.withdraw(address(wbtc), held, owner);
        vm.etch(address(btcFeed), hex"fe");
        execute(buyWeth(1_000e6));

        uint256[] memory words = new uint256[](cage.policy().assets.length * 5);
        // Dust that anybody can send stops nothing.
        words[index * 5] = 10;
        words[index * 5 + 1] = RAY;
        hostile.setAnswer(answerOf(words));
        execute(buyWeth(1_000e6));
        words[index * 5 + 2] = 1;
        words[index * 5 + 3] = 1;
        hostile.setAnswer(answerOf(words));
        refuse(refusal(Cage.PriceUnavailable.selector, address(wbtc)), buyWeth(1_000e6));
        words[index * 5] = 0;
        hostile.setAnswer(answerOf(words));
        refuse(refusal(Cage.PriceUnavailable.selector, address(wbtc)), buyWeth(1_000e6));
    }

    // ── The owner's changes ──

    function test_AValuerTakesADay() public {
        bytes memory call = abi.encodeCall(cage.setValuer, (address(pool), address(0)));
        vm.prank(owner);
        cage.submit(call);

        assertEq(cage.maturesAt(call), block.timestamp + 24 hours);
    }

    function test_AValuerStaysWhileItsProtocolMayOpenDebt() public {
        bytes memory call = abi.encodeCall(cage.setValuer, (cage.policy().valuers[0].protocol, address(0)));
        vm.prank(owner);
        cage.submit(call);
        skipTo(24 hours);

        vm.expectPartialRevert(Cage.DebtCallRefused.selector);
        this.runAsOwner(call);
    }

    function test_AValuerThatBringsDebtToLightLowersTheMark() public {
        PolicyCageConfig memory config = positionConfig();
        config.valuers = new Valuer[](0);
        config.strategyWhitelist = defaultConfig().strategyWhitelist;
        restart(config);
        indebt(SUPPLIED, BORROWED);
        uint256 mark = cage.highWaterMark();
        uint256 before = nav();

        configure(abi.encodeCall(cage.setValuer, (address(pool), address(valuer))));

        assertEq(nav(), before + SUPPLIED - BORROWED);
        assertEq(cage.highWaterMark(), mark);
        pool.setRates(RAY / 100, RAY);
        configure(abi.encodeCall(cage.setValuer, (address(pool), address(0))));
        assertEq(cage.highWaterMark(), mark);
    }

    function test_WhatIsNoValuerOfTheProtocolIsRefused() public {
        HostileValuer silent = new HostileValuer(address(pool));
        HostileValuer foreign = new HostileValuer(address(exchange));
        foreign.setAnswer(emptyAnswer(cage.policy().assets.length));
        address[3] memory refused = [attacker, address(silent), address(foreign)];
        for (uint256 i; i < refused.length; ++i) {
            PolicyCageConfig memory config = positionConfig();
            config.valuers[0].valuer = refused[i];
            vm.expectRevert(
                abi.encodeWithSelector(Cage.ValuerRefused.selector, config.valuers[0].protocol, refused[i])
            );
            this.deployPositions(config);
        }
    }

    // ── Support ──

    function runAsOwner(bytes memory call) external {
        runSetter(call);
    }

    function restartHostile() private returns (HostileValuer hostile) {
        PolicyCageConfig memory config;
        (config, hostile) = hostileConfig();
        restart(config);
    }

    function indexOf(address asset) private view returns (uint256 index) {
        PolicyCageConfig memory config = cage.policy();
        while (config.assets[index].asset != asset) ++index;
    }

    /// The pool has `hostile` answer something else in the middle of the execution.
    function answerTrade(HostileValuer hostile, bytes memory answer) private view returns (Trade[] memory) {
        bytes memory data = abi.encodeCall(hostile.setAnswer, (answer));
        return callTrade(address(pool), 0, abi.encodeCall(LendingPool.callOut, (address(hostile), data)));
    }

    function giveDebt(address debtor, uint256 amount) private {
        usdc.mint(debtor, 2 * amount);
        vm.startPrank(debtor);
        usdc.approve(address(pool), 2 * amount);
        pool.supply(address(usdc), 2 * amount, debtor, 0);
        pool.borrow(address(usdc), amount, 2, 0, debtor);
        vm.stopPrank();
    }

    /// The account is below the threshold, and nobody has had it stored.
    function configureTight() private {
        configure(abi.encodeCall(cage.setDrawdownThreshold, (500)));
        ethFeed.setAnswer(100e8);
        btcFeed.setAnswer(1_000e8);
    }

    function _assertStopped() private {
        uint256 state = vm.snapshotState();
        refuse(valuerUnavailable(), buyWeth(1_000e6));
        vm.prank(golem);
        assertFalse(entry.attempt(buyWeth(1_000e6)));
        vm.prank(owner);
        desk.withdraw(address(usdc), 1e6, owner);
        assertEq(cage.highWaterMark(), 0);
        assertEq(usdc.balanceOf(owner), 1e6);
        ownerCall(address(exchange), abi.encodeCall(MockExchange.other, ()));
        vm.revertToState(state);
    }
}
