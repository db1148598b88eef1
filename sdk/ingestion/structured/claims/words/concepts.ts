/**
 * What words of decentralised finance mean alike and what they mean against each other. Forms are plain words or phrases; a star
 * stands for any ending. `with` and `against` are the two ends of one idea ("safe" is little risk), `none` its absence. A word that is
 * not listed is an idea of its own, by its stem.
 */
export type ConceptEntry = {
  id: string;
  with: string;
  against?: string;
  none?: string;
  /** How much a shared idea says about two sentences speaking of the same thing; 1 unless told. */
  weight?: number;
};

/** Ideas with two ends. */
const SCALES: readonly ConceptEntry[] = [
  {
    id: "risk",
    with: `risk* danger* exposure exposures expose exposes exposed exposing vulnerab* hazard* threat threats threaten* unsafe susceptib*
      likely likelihood probab* chance chances possibility insecure prone jeopardise jeopardize endanger* perilous peril`,
    against: `safe safer safest safely safety protect* secure secures secured securely shield shields shielded safeguards guard guards
      insulat* hide hides hid conceals unlikely resistant resistance harmless hedges hedged`,
    none: "immune immunity riskless invulnerable foolproof bulletproof impervious unexploitable",
    weight: 0.8,
  },
  {
    id: "return",
    with: `return returns yield yields profit profits profitab* gain gains income revenue earnings pnl apr apy upside payoff
      outperform*`,
    against:
      'loss losses unprofitab* underperform* downside drawdown drawdowns "lose money" "loses money" "losing money" "lost money"',
    weight: 0.9,
  },
  {
    id: "solvency",
    with: "recovery recover recovers recovered solven* surviv*",
    against: "ruin ruins ruined bankrupt* insolven* wipeout",
  },
  {
    id: "delay",
    with: `delay delays delayed delaying slow slower slowly slows wait waits waiting queue queues queued days weeks months cooldown
      unbond* lag lags lagging latency gradual gradually eventually later timelock timelocks timelocked time-lock time-locks time-locked
      "time lock" "waiting period" "takes time" "exit queue" "withdrawal queue"`,
    against: `early earlier soon sooner instant instantly instantaneous* immediate* fast faster quick quickly quicker speed speeds "at once" "right away"
      "real time" prompt promptly`,
  },
  {
    id: "cost",
    with: "cost costs costly costlier expensive pricey pricier costlier expense expenses dear dearer",
    against: "cheap cheaper cheapest cheaply inexpensive affordable saving savings",
    none: "costless free-of-charge",
    weight: 0.7,
  },
  {
    id: "permanence",
    with: "permanent permanently irrevers* immutab* irrevocab* final finality unchangeable non-upgradeable",
    against: "temporary temporarily reversib* revers* mutab* revocab* transient changeable undo undone",
    weight: 0.8,
  },
  {
    id: "fixed",
    with: '"not change" "not changed" "never change" "never changes" fixed constant constantly static unchanged unchanging predetermined hard-coded invariant',
    against: "variable variab* vary varies varying fluctuat* floating dynamic dynamically adaptive",
    weight: 0.8,
  },
  {
    id: "trust",
    with: "trust trusts trusted trusting custodial custodian custodians custody",
    none: "trustless trustlessly non-custodial",
  },
  { id: "central", with: "centralis* centraliz*", against: "decentralis* decentraliz*" },
  {
    id: "open",
    with: "permissionless permissionlessly anyone anybody everyone",
    against: "permissioned whitelisted authorised authorized",
    weight: 0.6,
  },
  { id: "balanced", with: "balanced parity", against: "imbalanc* unbalanc* skew* lopsided" },
  {
    id: "diverge",
    with: 'diverge* diverging divergence drift* apart deviat* departs "moves away" "move away" "moved away" "moving away" "moves further away" "further away" "away from"',
    against: "converge* converging convergence",
  },
  {
    id: "require",
    with: "require* requir* need needs needed must necessary mandatory obligatory necessit* essential",
    against: "optional unnecessary needless dispensable superfluous",
    weight: 0.3,
  },
  {
    id: "accurate",
    with: "accurate accurately accuracy reliab* correct correctly trustworthy valid truthful",
    against: "inaccurate unreliab* incorrect incorrectly wrong wrongly wrongful invalid misleading",
    weight: 0.7,
  },
  { id: "fresh", with: "fresh freshness up-to-date current", against: "stale staleness outdated old" },
  {
    id: "public",
    with: "public publicly visible transparent transparency",
    against: "private privately hidden confidential secret secretly",
  },
  {
    id: "good",
    with: "better best favourable favorable beneficial benefit benefits benefited superior helps help helpful advantage* ideal",
    against: "worse worst harm harms harmful harmed hurt hurts bad detriment* inferior damage damages disadvantage*",
    weight: 0.5,
  },
  {
    id: "success",
    with: "succeed* success successful",
    against: "fail fails failed failing failure revert reverts reverted",
    weight: 0.6,
  },
  {
    id: "order",
    with: "before prior precede* beforehand upfront",
    against: "after afterwards afterward following",
    weight: 0.4,
  },
  {
    id: "inside",
    with: 'inside in-range "in range" "within range" "within its range" "within the range" enters',
    against:
      'outside out-of-range "out of range" beyond "leaves the range" "leaves its range" "left the range" "left its range" "leave the range" "leave its range" "leaving the range" "leaving its range" "leaves range" "out of" exits',
    weight: 0.8,
  },
  {
    id: "lock",
    with: "lock locks locked locking lockup lock-up illiquid",
    against: "unlock* withdrawable",
    weight: 0.8,
  },
  {
    id: "buy",
    with: "buy buys buying bought purchase* acquire*",
    against: "sell sells selling sold dump dumps",
    weight: 0.7,
  },
  {
    id: "ease",
    with: "easy easier easiest easily ease simple simpler",
    against: "hard harder hardest difficult difficulty",
    weight: 0.7,
  },
  { id: "slope", with: "steep steeper steepen* steeply", against: "flat flatter flatten*", weight: 0.8 },
  {
    id: "lasting",
    with: "persist* forever indefinite* endless* perpetually continues",
    against: "ends end ended ending ceases cease expires expire expired",
    weight: 0.6,
  },
  { id: "premium", with: "premium premiums", against: "discount discounts discounted" },
  { id: "positive", with: "positive positively", against: "negative negatively" },
  {
    id: "correlate",
    with: "correlat* co-move*",
    against: "uncorrelat* decorrelat* independent independently",
    weight: 0.8,
  },
  {
    id: "certain",
    with: "guarantee* certain certainly certainty assured assures ensure* sure surely inevitab*",
    against: "uncertain uncertainty unpredictab* doubtful",
    weight: 0.4,
  },
  { id: "efficient", with: "efficien*", against: "inefficien* wasteful", weight: 0.7 },
  { id: "active", with: "active actively", against: "inactive idle passive passively", weight: 0.6 },
  { id: "empty", with: "empty", against: "seeded", weight: 0.5 },
  { id: "first", with: "first initial", against: "last", weight: 0.6 },
  {
    id: "backed",
    with: "backed backing collateralised collateralized overcollateralis* overcollateraliz* over-collateralis* over-collateraliz*",
    against: "undercollateralis* undercollateraliz* under-collateralis* under-collateraliz*",
    none: "unbacked uncollateralis* uncollateraliz*",
  },
  {
    id: "linear",
    with: "linear linearly proportional proportionally proportionate",
    against: "nonlinear non-linear exponential exponentially quadratic* convex disproportion*",
  },
  {
    id: "atomic",
    with: 'atomic atomically atomicity "same transaction" "single transaction" "one transaction" "same block"',
    against:
      '"several transactions" "multiple transactions" "separate transaction" "separate transactions" "later transaction" "later block" "next block" "any time" anytime non-atomic',
    weight: 0.8,
  },
];

/** Ideas with many names. */
const NAMES: readonly ConceptEntry[] = [
  {
    id: "lp",
    with: 'lp lps provider providers "liquidity provider" "liquidity providers" "liquidity supplier" "liquidity suppliers" "market maker" "market makers" "providing liquidity" "liquidity provision"',
  },
  { id: "liquidity", with: 'liquidity depth deeply "pool reserves"', against: "illiquidity" },
  { id: "slippage", with: 'slippage "price impact" "execution shortfall"' },
  {
    id: "tolerance",
    with: '"slippage tolerance" "slippage limit" "maximum slippage" "max slippage" "slippage bound" "slippage setting"',
  },
  {
    id: "mev",
    with: 'mev sandwich* frontrun* front-run* front-runs front-runner front-runners backrun* "maximal extractable value" "miner extractable value" extractable',
  },
  {
    id: "flash-loan",
    with: '"flash loan" "flash loans" "flash-loan" flashloan flashloans "flash-loaned" "flash swap" "flash borrow"',
  },
  { id: "oracle", with: 'oracle oracles "price feed" "price feeds" "data feed"' },
  { id: "spot", with: '"spot price" "spot prices" spot "instantaneous price"' },
  {
    id: "twap",
    with: 'twap twaps "time weighted average price" "time-weighted average price" "time-weighted average" "time-weighted prices"',
  },
  { id: "funding", with: 'funding "funding rate" "funding rates" "funding payment" "funding payments"' },
  { id: "perp", with: 'perp perps perpetual perpetuals "perpetual futures" "perpetual swap"', weight: 0.5 },
  {
    id: "long",
    with: 'longs "long position" "long positions" "long holder" "long holders" "long side" "long traders" "long leg"',
  },
  {
    id: "short",
    with: 'shorts "short position" "short positions" "short holder" "short holders" "short side" "short traders" "short sellers" "short leg"',
  },
  { id: "health", with: '"health factor" "health factors" "health ratio" "position health" "account health"' },
  { id: "liquidation", with: "liquidat*", weight: 0.9 },
  { id: "liquidator", with: "liquidator liquidators" },
  { id: "ltv", with: 'ltv "loan to value" "loan-to-value" "loan-to-value ratio" "loan to value ratio" "borrow limit"' },
  { id: "utilisation", with: "utilis* utiliz*" },
  {
    id: "borrow-rate",
    with: '"borrow rate" "borrow rates" "borrowing rate" "borrowing rates" "interest rate" "interest rates" "borrow apr" "borrowing cost" "borrowing costs" "cost of borrowing" "rate borrowers pay"',
  },
  {
    id: "supply-rate",
    with: '"supply rate" "supply rates" "deposit rate" "lending rate" "lender yield" "supply apy" "supply yield" "supply yields" "deposit yield" "lending yield" "supply rates" "deposit rates"',
  },
  { id: "volatility", with: 'volatil* variance turbulen* "price swings" choppy', against: "calm stable" },
  { id: "lvr", with: 'lvr "loss versus rebalancing" "loss-versus-rebalancing" "adverse selection" "toxic flow"' },
  { id: "il", with: '"impermanent loss" "impermanent losses" "divergence loss" il' },
  {
    id: "concentrated",
    with: 'concentrated concentrate concentrating concentration "tight range" "range order"',
    weight: 0.7,
  },
  { id: "range", with: "range ranges bounds band bands interval ticks", weight: 0.8 },
  { id: "stableswap", with: 'stableswap stableswaps "stable swap" "stable pool"' },
  { id: "constant-product", with: '"constant product" "constant-product" "x times y" xyk' },
  { id: "bridge", with: "bridge bridges bridged bridging cross-chain crosschain" },
  { id: "vault", with: "vault vaults erc-4626 erc4626", weight: 0.7 },
  { id: "share", with: "share shares", weight: 0.6 },
  { id: "governance", with: "governance dao daos govern governs voter voters", weight: 0.8 },
  { id: "vote", with: "vote votes voted voting", weight: 0.7 },
  {
    id: "gas",
    with: 'gas "gas price" "gas prices" "gas fee" "gas fees" "gas cost" "gas costs" "base fee" "transaction fee" "transaction fees" "priority fee" "network fee" "network fees"',
  },
  { id: "congestion", with: 'congest* "block space" blockspace "network demand" "full blocks"' },
  { id: "stablecoin", with: 'stablecoin stablecoins "stable coin" "stable coins"', weight: 0.8 },
  {
    id: "peg",
    with: 'peg pegs pegged par "redemption value" "dollar parity"',
    against: "depeg depegs depegged depegging de-peg de-pegs de-pegged",
  },
  {
    id: "lst",
    with: 'lst lsts "liquid staking token" "liquid-staking token" "liquid staking tokens" "liquid-staking tokens" "staked token" "staked tokens" "staked eth" steth "staking derivative" "staking derivatives"',
  },
  { id: "stake", with: "stake stakes staked staking staker stakers", weight: 0.7 },
  { id: "restake", with: "restak* re-stak*" },
  { id: "slash", with: "slash slashes slashed slashing slashable" },
  {
    id: "validator",
    with: 'validator validators proposer proposers miner miners "block producer" "block producers" "block builder" sequencer',
  },
  {
    id: "admin",
    with: 'admin admins administrator administrators owner owners "admin key" "admin keys" multisig multisigs deployer',
    weight: 0.8,
  },
  { id: "issuer", with: "issuer issuers issued issues", weight: 0.7 },
  { id: "freeze", with: "freeze freezes frozen freezing blacklist blacklists blacklisted" },
  { id: "approval", with: "approv* allowance allowances" },
  {
    id: "unlimited",
    with: "unlimited infinite infinity uncapped unbounded max-uint",
    against: "limited capped bounded finite",
    weight: 0.7,
  },
  { id: "drain", with: "drain drains drained draining steal steals stolen theft loot siphon*" },
  { id: "manipulate", with: "manipulat* tamper* rigged rig distort* exploit* gamed" },
  { id: "attack", with: "attack attacks attacked attacker attackers adversary hack hacks hacker hackers", weight: 0.6 },
  { id: "reentrancy", with: "reentran* re-entran* reenter*" },
  { id: "debt", with: 'debt debts loan loans borrowings "borrowed amount"', weight: 0.8 },
  { id: "collateral", with: "collateral collaterals margin", weight: 0.8 },
  { id: "borrower", with: "borrower borrowers debtor debtors" },
  { id: "lender", with: "lender lenders supplier suppliers depositor depositors creditor creditors" },
  { id: "trader", with: "trader traders swapper swappers taker takers" },
  { id: "repay", with: "repay* repaid pay-back payback", weight: 0.8 },
  { id: "leverage", with: "leverag* gearing", against: "deleverag* unlevered" },
  {
    id: "private-flow",
    with: '"private order flow" "private mempool" "private mempools" "private relay" "private relays" "private rpc" "protected rpc" "private transaction" "private transactions"',
  },
  { id: "neutral", with: 'delta-neutral "delta neutral" "market-neutral" "market neutral" hedged-position' },
  { id: "diversify", with: "diversif* spreading" },
  {
    id: "redeem",
    with: "redeem* redempt* unstak* withdraw withdraws withdrawal withdrawals withdrawing withdrawn",
    weight: 0.7,
  },
  { id: "deposit", with: "deposit deposits deposited depositing supplying", weight: 0.7 },
  { id: "fee", with: "fee fees commission commissions", weight: 0.7 },
  { id: "volume", with: "volume volumes turnover", weight: 0.8 },
  { id: "dilute", with: 'dilut* emission emissions "token inflation"' },
  { id: "reward", with: "reward* incentiv* bonus bonuses", weight: 0.8 },
  { id: "penalty", with: "penalt* punish* fine fines" },
  { id: "ratio", with: "ratio ratios", weight: 0.5 },
  { id: "price", with: "price prices priced quote quotes valuation", weight: 0.6 },
  { id: "interest", with: "interest", weight: 0.7 },
  { id: "upgrade", with: "proxy proxies upgrad*", weight: 0.8 },
  { id: "backtest", with: 'backtest* back-test* "historical performance" "past performance" "historical returns"' },
  { id: "parameter", with: "parameter parameters setting settings", weight: 0.6 },
  { id: "timestamp", with: 'timestamp timestamps "block time"' },
  { id: "seller", with: "seller sellers writer writers", weight: 0.8 },
  { id: "auction", with: "auction auctions bid bids bidder bidders", weight: 0.8 },
  { id: "arbitrage", with: "arbitrag*" },
  { id: "rebalance", with: "rebalanc*", weight: 0.8 },
  { id: "audit", with: "audit audits audited auditing", weight: 0.8 },
  { id: "bad-debt", with: '"bad debt" "bad debts" shortfall shortfalls' },
  { id: "bug", with: "bug bugs flaw flaws defect defects vulnerabilities" },
  { id: "mempool", with: "mempool mempools" },
  { id: "mint", with: "mint mints minted minting", weight: 0.8 },
  { id: "burn", with: "burn burns burned burning burnt", weight: 0.8 },
  { id: "stop-loss", with: '"stop loss" "stop losses" stoploss "limit order" "limit orders"' },
  { id: "wash", with: 'wash-trad* "wash trading" "wash trades" "wash volume"' },
];

/** Words that are in every second sentence of the field: they say little about two sentences having one subject. */
const COMMON: readonly ConceptEntry[] = [
  ["pool", "pool pools amm amms"],
  ["curve", "curve curves formula formulas"],
  ["token", "token tokens coin coins asset assets cryptocurrency"],
  ["position", "position positions"],
  ["protocol", "protocol protocols platform platforms system systems"],
  ["market", "market markets venue venues"],
  ["contract", "contract contracts"],
  ["user", "user users holder holders people participant participants investor investors someone client clients"],
  ["trade", "trade trades traded trading swap swaps swapped swapping exchange exchanges order orders"],
  ["transaction", "transaction transactions tx txs"],
  ["amount", "amount amounts size sizes quantity number numbers unit units level levels"],
  ["value", "value values worth"],
  ["strategy", "strategy strategies approach method"],
  ["account", "account accounts wallet wallets address addresses"],
  ["rate", "rate rates"],
  ["model", "model models design designs mechanism mechanisms"],
  ["capital", "capital fund funds money"],
  [
    "earn",
    "earn earns earned earning receive receives received receiving collect collects collected capture captures accrue accrues accrued get gets obtain obtains",
  ],
  ["pay", "pay pays paid paying payment payments owe owes"],
  ["effect", "effect effects impact impacts influence influences affect affects affected influenced"],
  [
    "change",
    "change changes changed changing move moves moved moving movement movements shift shifts shifted adjust adjusts",
  ],
  ["time", "time times period periods"],
  ["eth", "eth ether weth ethereum"],
  ["usd", "usdc usdt dai usd dollar dollars"],
  ["trade-off", "tradeoff tradeoffs trade-off trade-offs"],
  ["occur", "occur occurs happen happens happened arise arises take takes taken taking possible"],
  ["larger-part", "net total overall aggregate"],
  ["real", "real realised realized actual actually effective effectively"],
  ["additional", "additional extra further another other others"],
  ["allow", "allow allows allowed permit permits permitted enable enables enabled let lets able"],
].map(([id = "", forms = ""]) => ({ id, with: forms, weight: id === "eth" || id === "usd" ? 0.6 : 0.3 }));

export const CONCEPTS: readonly ConceptEntry[] = [...SCALES, ...NAMES, ...COMMON];
