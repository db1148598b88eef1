// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ICagedAccount} from "../../../contracts/interfaces/ICagedAccount.sol";
import {AssetConfig, NATIVE, PolicyCageConfig, PriceFeed, Strategy} from "../../../contracts/interfaces/Types.sol";
import {MockAggregator} from "../../../contracts/mocks/MockAggregator.sol";
import {MockERC20} from "../../../contracts/mocks/MockERC20.sol";
import {MockExchange} from "../../../contracts/mocks/MockExchange.sol";
import {MockSanctionsList} from "../../../contracts/mocks/MockSanctionsList.sol";
import {MockWETH} from "../../../contracts/mocks/MockWETH.sol";
import {DyingFeed} from "../../../contracts/mocks/hostile/HostileOracles.sol";
import {ReenteringProtocol} from "../../../contracts/mocks/hostile/HostileProtocols.sol";
import {FeeOnTransferToken, HookToken} from "../../../contracts/mocks/hostile/HostileTokens.sol";
import {HostileVenue} from "../../../contracts/mocks/hostile/HostileVenue.sol";
import {CageFixture, IWholeCage} from "../support/CageFixture.sol";
import {LendingPool} from "../support/LendingPool.sol";

/// @notice Worlds differ in what the account holds and what the policy says at the start.
enum Flavour {
    PLAIN,
    /// Few executions, few positions, small caps.
    TIGHT,
    /// Few dollars, and no more receipts than dust.
    POOR,
    /// Any calldata but authority and debt.
    LOOSE
}

/// @notice The fixture's cage among hostile contracts: two venues that do anything, one of which is the guardian; a lending pool that
/// burns its receipts without an approval and lends; a token that calls back and one that takes a fee; a clade wallet that re-enters;
/// feeds and a sequencer that die; a sibling of the same owner. Beside it a model of the policy, learnt anew after each lawful
/// change, and the arithmetic of values, written from the specification.
abstract contract CageWorld is CageFixture {
    /// Every asset there is, by index. All but the last are listed at the start.
    uint256 internal constant USDC = 0;
    uint256 internal constant WETH = 1;
    uint256 internal constant WBTC = 2;
    uint256 internal constant ETHER = 3;
    uint256 internal constant HOOK = 4;
    uint256 internal constant FEE = 5;
    uint256 internal constant RECEIPT = 6;
    uint256 internal constant STRAY = 7;
    uint256 internal constant ASSETS = 8;

    address internal otherGolem = makeAddr("other golem");
    HookToken internal hook;
    FeeOnTransferToken internal fee;
    MockERC20 internal stray;
    HostileVenue internal venue;
    HostileVenue internal shady;
    LendingPool internal pool;
    ReenteringProtocol internal cladeContract;
    MockSanctionsList internal otherList;
    MockAggregator internal sequencer;
    Flavour internal flavour;

    /// A second cage of the same owner. Its golem is the venue, so that it acts in the middle of an execution; it may pay the account.
    IWholeCage internal sibling;
    ICagedAccount internal siblingAccount;

    address[] internal universe;
    uint256[] internal decimalsOf;
    address[] internal feeds;
    int256[] internal answers;
    int256[] internal firstAnswers;
    bool[] internal isDead;
    /// What the feed of an asset reports, and as of when.
    int256[ASSETS] internal roundAnswer;
    uint256[ASSETS] internal roundTime;
    bool internal isSequencerUp;
    uint256 internal sequencerSince;

    // ── What the policy says ──

    uint256 internal perTransactionCap;
    uint256 internal perSessionCap;
    uint256 internal perDayCap;
    uint256 internal lossBps;
    uint256 internal positionBps;
    uint256 internal concentrationBps;
    uint256 internal mostPositions;
    uint256 internal thresholdBps;
    uint256 internal rebalancesPerDay;
    uint256 internal rebalanceInterval;
    bool internal isCalldataArbitrary;
    bool internal isScreening;
    MockSanctionsList internal oracle;
    address internal mainRecipient;
    uint256[ASSETS] internal heartbeatOf;
    uint256[ASSETS] internal leastOf;
    uint256[ASSETS] internal mostOf;
    bool[ASSETS] internal isListed;
    bool[ASSETS] internal isSellOnly;
    uint256[ASSETS] internal dustOf;
    /// Who bears the risk of an asset.
    address[ASSETS] internal bearerOf;
    /// Index of the feed that prices an asset.
    uint256[ASSETS] internal pricedBy;
    /// Entries of a former policy carry a former version.
    uint256 internal version;
    mapping(address protocol => uint256 version) internal protocolVersion;
    mapping(address protocol => mapping(bytes4 selector => uint256 version)) internal pairVersion;
    mapping(address recipient => uint256 version) internal recipientVersion;

    function setUp() public virtual override {
        vm.warp(START);
        makeTokens();
        makeFeeds();
        sanctions = new MockSanctionsList();
        otherList = new MockSanctionsList();
        sequencer = new MockAggregator(0, 0);
        setSequencer(0, START - 1 days);
        venue = new HostileVenue();
        shady = new HostileVenue();
        cladeContract = new ReenteringProtocol();
        exchange = MockExchange(payable(address(venue)));
        guardian = address(shady);

        deployCage(hostileConfig());
        fund();
        fundHostile();
        fundByFlavour();
        venue.watch(address(account));
        shady.watch(address(account));
        raiseMark(nav());
        openSession(golem, perSessionCap);
        makeSibling();
        learn();
    }

    function makeTokens() private {
        usdc = new MockERC20("USDC", 6);
        weth = new MockWETH();
        wbtc = new MockERC20("WBTC", 8);
        hook = new HookToken();
        fee = new FeeOnTransferToken();
        stray = new MockERC20("STRAY", 18);
        pool = new LendingPool(usdc, 6);
        universe = [address(usdc), address(weth), address(wbtc), NATIVE, address(hook), address(fee)];
        universe.push(address(pool.receipt()));
        universe.push(address(stray));
        decimalsOf = [6, 18, 8, 18, 18, 18, 6, 18];
    }

    function makeFeeds() private {
        usdcFeed = new MockAggregator(8, 1e8);
        ethFeed = new MockAggregator(8, 2_000e8);
        btcFeed = new MockAggregator(8, 50_000e8);
        answers = [int256(1e8), 2_000e8, 50_000e8, 2_000e8, 10e8, 1e8, 1e8, 2e8];
        firstAnswers = answers;
        feeds = [address(usdcFeed), address(ethFeed), address(btcFeed), address(ethFeed)];
        for (uint256 i = HOOK; i < ASSETS; ++i) feeds.push(address(new DyingFeed(answers[i])));
        isDead = new bool[](ASSETS);
        for (uint256 i; i < ASSETS; ++i) noteRound(i, answers[i], block.timestamp);
    }

    /// The fixture's policy with the hostile tokens listed, both venues and the pool approved and the re-entering wallet in the clade.
    function hostileConfig() private returns (PolicyCageConfig memory config) {
        config = defaultConfig();
        config.hasSequencerFeed = true;
        config.sequencerFeed = address(sequencer);
        config.assets = new AssetConfig[](STRAY);
        for (uint256 i; i < STRAY; ++i) config.assets[i] = AssetConfig(universe[i], false, feedFor(i));
        sortAssets(config.assets);

        config.approvedProtocols = new address[](3);
        config.approvedProtocols[0] = address(venue);
        config.approvedProtocols[1] = address(shady);
        config.approvedProtocols[2] = address(pool);
        sortAddresses(config.approvedProtocols);
        config.strategyWhitelist = hostilePairs();
        config.cladeWallets = new address[](2);
        config.cladeWallets[0] = cladeWallet;
        config.cladeWallets[1] = address(cladeContract);
        sortAddresses(config.cladeWallets);
        season(config);
        perSessionCap = config.perSessionCapUsdc;
    }

    /// What a careless owner lists, ascending.
    function hostilePairs() private view returns (Strategy[] memory pairs) {
        bytes4[] memory selectors = harmfulSelectors();
        pairs = new Strategy[](2 * selectors.length + 2);
        for (uint256 i; i < selectors.length; ++i) {
            pairs[2 * i] = Strategy(address(venue), selectors[i]);
            pairs[2 * i + 1] = Strategy(address(shady), selectors[i]);
        }
        pairs[pairs.length - 2] = Strategy(address(pool), LendingPool.supply.selector);
        pairs[pairs.length - 1] = Strategy(address(pool), LendingPool.withdraw.selector);
        for (uint256 i = 1; i < pairs.length; ++i) {
            for (uint256 j = i; j > 0 && keyOf(pairs[j]) < keyOf(pairs[j - 1]); --j) {
                (pairs[j], pairs[j - 1]) = (pairs[j - 1], pairs[j]);
            }
        }
    }

    function keyOf(Strategy memory pair) private pure returns (uint256) {
        return (uint256(uint160(pair.protocol)) << 32) | uint32(pair.selector);
    }

    function season(PolicyCageConfig memory config) private view {
        config.perSessionCapUsdc = 30_000e6;
        config.perDayCapUsdc = 50_000e6;
        if (flavour == Flavour.TIGHT) {
            config.minRebalanceInterval = 120;
            config.maxRebalancesPerDay = 6;
            config.maxPositions = 5;
            config.maxPositionBps = 1_500;
            config.maxConcentrationBps = 1_600;
            config.perSessionCapUsdc = 15_000e6;
            config.perDayCapUsdc = 20_000e6;
        }
        if (flavour == Flavour.LOOSE) {
            config.allowArbitraryCalldata = true;
            config.maxPositionBps = 10_000;
            config.maxConcentrationBps = 10_000;
            config.maxTradeLossBps = 1_000;
        }
    }

    function fundByFlavour() private {
        uint256 supplied =
            flavour == Flavour.TIGHT
                ? 0
                : flavour == Flavour.POOR
                    ? dustAmount(RECEIPT)
                    : 50_000e6;
        usdc.mint(address(this), 2e12 + supplied);
        usdc.approve(address(pool), 2e12 + supplied);
        pool.supply(address(usdc), supplied, address(account), 0);
        pool.supply(address(usdc), 1e12, address(venue), 0);
        pool.supply(address(usdc), 1e12, address(shady), 0);
        usdc.mint(address(pool), 1e12);
        if (flavour == Flavour.POOR) usdc.burn(address(account), 597_000e6);
    }

    /// A second cage with the fixture's assets, whose golem is the venue and whose clade has the account.
    function makeSibling() private {
        (IWholeCage first, ICagedAccount firstAccount) = (cage, account);
        PolicyCageConfig memory config = defaultConfig();
        config.cladeWallets[0] = address(firstAccount);
        config.strategyWhitelist = new Strategy[](1);
        config.strategyWhitelist[0] = Strategy(address(venue), HostileVenue.swap.selector);
        deployCage(config);
        usdc.mint(address(account), 300_000e6);
        raiseMark(nav());
        openSession(address(venue), config.perSessionCapUsdc);
        (sibling, siblingAccount) = (cage, account);
        (cage, account, entry, desk) = (first, firstAccount, firstAccount, firstAccount);
    }

    function openSession(address key, uint256 cap) private {
        vm.prank(owner);
        cage.openSession(key, cap, block.timestamp + 365 days);
    }

    /// The pairs a careless owner lists for a venue, ascending.
    function harmfulSelectors() internal pure returns (bytes4[] memory list) {
        list = new bytes4[](5);
        list[0] = HostileVenue.swap.selector;
        list[1] = HostileVenue.pull.selector;
        list[2] = HostileVenue.reenter.selector;
        list[3] = HostileVenue.fail.selector;
        list[4] = HostileVenue.bomb.selector;
        for (uint256 i = 1; i < list.length; ++i) {
            for (uint256 j = i; j > 0 && list[j] < list[j - 1]; --j) (list[j], list[j - 1]) = (list[j - 1], list[j]);
        }
    }

    /// A tenth of a dollar, at the prices of the start.
    function dustAmount(uint256 index) internal pure returns (uint128) {
        uint64[ASSETS] memory dust = [uint64(1e5), 5e13, 200, 5e13, 1e16, 1e17, 1e5, 5e16];
        return dust[index];
    }

    function feedFor(uint256 index) internal view returns (PriceFeed memory) {
        address issuer = index == RECEIPT ? address(pool) : address(0);
        return feedOf(MockAggregator(address(0)), dustAmount(index), issuer, feeds[index], firstAnswers[index]);
    }

    function fundHostile() private {
        hook.mint(address(account), 2_000 ether);
        fee.mint(address(account), 20_000 ether);
        stray.mint(address(account), 500 ether);
        address[2] memory venues = [address(venue), address(shady)];
        for (uint256 i; i < venues.length; ++i) {
            usdc.mint(venues[i], 1e15);
            wbtc.mint(venues[i], 1e12);
            hook.mint(venues[i], 1e9 ether);
            fee.mint(venues[i], 1e9 ether);
            stray.mint(venues[i], 1e9 ether);
            vm.deal(venues[i], 1e6 ether);
        }
        vm.deal(address(this), 2e6 ether);
        weth.deposit{value: 1e6 ether}();
        weth.transfer(address(venue), 5e5 ether);
        weth.transfer(address(shady), 5e5 ether);
    }

    // ── Prices and time ──

    /// Living feeds answer as of now; the dead stay as they died.
    function report() internal {
        for (uint256 i; i < ASSETS; ++i) if (!isDead[i] && i != ETHER) setRound(i, answers[i], block.timestamp);
    }

    function setRound(uint256 index, int256 answer, uint256 updatedAt) internal {
        if (index < HOOK) MockAggregator(feeds[index]).setRound(answer, updatedAt, updatedAt);
        else DyingFeed(feeds[index]).set(answer, updatedAt);
        noteRound(index, answer, updatedAt);
    }

    function noteRound(uint256 index, int256 answer, uint256 updatedAt) private {
        roundAnswer[index] = answer;
        roundTime[index] = updatedAt;
    }

    /// @param answer 0 for up, 1 for down.
    function setSequencer(int256 answer, uint256 since) internal {
        sequencer.setRound(answer, since, block.timestamp);
        isSequencerUp = answer == 0;
        sequencerSince = since;
    }

    /// Whether the price of an asset may be used, from section 4 and check 7 of the specification.
    function isSound(uint256 index) internal view returns (bool) {
        uint256 feed = pricedBy[index];
        if (!isSequencerUp || block.timestamp <= sequencerSince + 1 hours) return false;
        if (feed >= HOOK && DyingFeed(feeds[feed]).failure() != DyingFeed.Failure.None) return false;
        if (roundAnswer[feed] < int256(leastOf[index]) || roundAnswer[feed] > int256(mostOf[index])) return false;
        return roundTime[feed] <= block.timestamp && block.timestamp - roundTime[feed] <= heartbeatOf[index];
    }

    function isOnPeg() internal view returns (bool) {
        int256 answer = roundAnswer[pricedBy[USDC]];
        return answer >= 98_000_000 && answer <= 102_000_000;
    }

    /// A receipt is worth what the pool pays for it: as many dollars.
    function setAnswer(uint256 index, int256 answer) internal {
        if (index == RECEIPT) return;
        if (index == USDC) tell(RECEIPT, answer);
        if (index == WETH) answers[ETHER] = answer;
        tell(index, answer);
    }

    function tell(uint256 index, int256 answer) private {
        answers[index] = answer;
        if (!isDead[index]) setRound(index, answer, block.timestamp);
    }

    function passTime(uint256 elapsed) internal {
        vm.warp(block.timestamp + elapsed);
        report();
    }

    /// USD of a whole asset. Every feed has 8 decimals.
    function priceOf(uint256 index) internal view returns (uint256) {
        return uint256(answers[pricedBy[index]]);
    }

    /// Value in micro-USDC, rounded down.
    function valueOf(uint256 index, uint256 amount) internal view returns (uint256) {
        return (amount * priceOf(index) * 1e6) / (10 ** decimalsOf[index] * priceOf(USDC));
    }

    /// Value in micro-USDC, rounded up.
    function valueUpOf(uint256 index, uint256 amount) internal view returns (uint256) {
        uint256 unit = 10 ** decimalsOf[index] * priceOf(USDC);
        return (amount * priceOf(index) * 1e6 + unit - 1) / unit;
    }

    function amountOf(uint256 index, uint256 worth) internal view returns (uint256) {
        return (worth * 10 ** decimalsOf[index] * priceOf(USDC)) / (priceOf(index) * 1e6);
    }

    function balanceIn(uint256 index, address holder) internal view returns (uint256) {
        return index == ETHER ? holder.balance : MockERC20(universe[index]).balanceOf(holder);
    }

    function indexOf(address asset) internal view returns (uint256 index) {
        while (index < ASSETS && universe[index] != asset) ++index;
    }

    function feedIndexOf(address feed) private view returns (uint256 index) {
        while (feeds[index] != feed) ++index;
    }

    // ── The model ──

    /// Reads the policy. Called at the start and after each setter that ran by right, never else.
    function learn() internal {
        PolicyCageConfig memory config = cage.policy();
        perTransactionCap = config.perTransactionCapUsdc;
        perSessionCap = config.perSessionCapUsdc;
        perDayCap = config.perDayCapUsdc;
        lossBps = config.maxTradeLossBps;
        positionBps = config.maxPositionBps;
        concentrationBps = config.maxConcentrationBps;
        mostPositions = config.maxPositions;
        thresholdBps = config.drawdownThresholdBps;
        rebalancesPerDay = config.maxRebalancesPerDay;
        rebalanceInterval = config.minRebalanceInterval;
        isCalldataArbitrary = config.allowArbitraryCalldata;
        isScreening = config.isSanctionsScreeningOn;
        oracle = MockSanctionsList(config.sanctionOracle);
        mainRecipient = config.mainWallet;
        learnLists(config);
    }

    function learnLists(PolicyCageConfig memory config) private {
        ++version;
        for (uint256 i; i < ASSETS; ++i) {
            isListed[i] = false;
            pricedBy[i] = i;
        }
        for (uint256 i; i < config.assets.length; ++i) {
            uint256 index = indexOf(config.assets[i].asset);
            isListed[index] = true;
            isSellOnly[index] = config.assets[i].isSellOnly;
            dustOf[index] = config.assets[i].priceFeed.dust;
            heartbeatOf[index] = config.assets[i].priceFeed.heartbeat;
            leastOf[index] = config.assets[i].priceFeed.minAnswer;
            mostOf[index] = config.assets[i].priceFeed.maxAnswer;
            address issuer = config.assets[i].priceFeed.issuer;
            bearerOf[index] = issuer != address(0) ? issuer : universe[index == ETHER ? WETH : index];
            pricedBy[index] = feedIndexOf(config.assets[i].priceFeed.feed);
        }
        for (uint256 i; i < config.approvedProtocols.length; ++i) {
            protocolVersion[config.approvedProtocols[i]] = version;
        }
        for (uint256 i; i < config.strategyWhitelist.length; ++i) {
            Strategy memory pair = config.strategyWhitelist[i];
            pairVersion[pair.protocol][pair.selector] = version;
        }
        for (uint256 i; i < config.cladeWallets.length; ++i) recipientVersion[config.cladeWallets[i]] = version;
        if (config.hasMainWallet) recipientVersion[config.mainWallet] = version;
    }

    function isProtocol(address protocol) internal view returns (bool) {
        return protocolVersion[protocol] == version;
    }

    function isPair(address protocol, bytes4 selector) internal view returns (bool) {
        return pairVersion[protocol][selector] == version;
    }

    function isRecipient(address recipient) internal view returns (bool) {
        return recipientVersion[recipient] == version;
    }
}
