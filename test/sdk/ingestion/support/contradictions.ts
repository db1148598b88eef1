/** Sentences of DeFi mechanics, each with one that can not be true beside it; written for these tests. */
export const CONTRADICTIONS: readonly (readonly [truth: string, falsehood: string])[] = [
  ["When funding is positive, longs pay shorts.", "When funding is positive, shorts pay longs."],
  [
    "A flash loan must be repaid within the same transaction or the whole transaction reverts.",
    "A flash loan can be repaid at any time within 24 hours.",
  ],
  [
    "Concentrated liquidity earns no fees while the price is outside its range.",
    "A concentrated liquidity position keeps earning fees when the price leaves its range.",
  ],
  [
    "Higher utilisation raises the borrow rate in kinked interest rate models.",
    "Higher utilisation lowers the borrow rate in kinked interest rate models.",
  ],
  [
    "A spot price read from a single pool can be manipulated with a flash loan in one transaction.",
    "A spot price read from a single pool is immune to flash loan manipulation.",
  ],
  [
    "Impermanent loss grows as the price ratio of the two assets diverges.",
    "Impermanent loss shrinks as the price ratio of the two assets diverges.",
  ],
  [
    "Unlimited token approvals let a compromised spender drain the whole balance.",
    "Unlimited token approvals cannot be used to drain a balance.",
  ],
  [
    "A narrower range earns more fees per unit of capital but suffers more impermanent loss.",
    "A narrower range reduces impermanent loss.",
  ],
  [
    "Bridged tokens carry the risk of the bridge that issued them.",
    "Bridged tokens carry no additional risk compared with the native asset.",
  ],
  [
    "Algorithmic stablecoins without collateral can lose their peg permanently in a bank run.",
    "Algorithmic stablecoins without collateral can never lose their peg.",
  ],
  ["A stale oracle price can cause wrongful liquidations.", "A stale oracle price has no effect on liquidations."],
  [
    "Vault shares can be inflated by a first depositor who donates assets to an empty vault.",
    "The first depositor attack is impossible in empty vaults.",
  ],
  [
    "Private order flow reduces exposure to frontrunning but adds trust in the relay.",
    "Private order flow increases exposure to frontrunning.",
  ],
  ["Gas prices rise when block space is congested.", "Gas prices fall when block space is congested."],
  [
    "Past performance of a strategy does not guarantee its future returns.",
    "Past performance of a strategy guarantees its future returns.",
  ],
  [
    "A time-lock delays governance actions so that users can exit before they take effect.",
    "A time-lock lets governance actions take effect immediately.",
  ],
  [
    "Deeper liquidity lowers price impact for a trade of the same size.",
    "Deeper liquidity increases price impact for a trade of the same size.",
  ],
  [
    "Slashing reduces the stake of a validator that signs conflicting blocks.",
    "Validators that sign conflicting blocks are never slashed.",
  ],
  [
    "Restaking the same ETH across several services adds correlated slashing risk.",
    "Restaking across several services diversifies away slashing risk.",
  ],
  ["A delta-neutral position still bears funding and basis risk.", "A delta-neutral position bears no risk."],
  [
    "Liquidators receive a bonus paid from the borrower's collateral.",
    "Borrowers receive a bonus paid by the liquidator.",
  ],
  [
    "Removing liquidity from a thin pool increases slippage for later traders.",
    "Removing liquidity from a thin pool decreases slippage for later traders.",
  ],
  [
    "LP tokens represent a share of the pool, so their value falls when the pool is drained.",
    "LP token value is unaffected when the pool is drained.",
  ],
  [
    "Governance token holders can vote to change protocol parameters.",
    "Governance token holders cannot change any protocol parameter.",
  ],
  [
    "Correlated pairs suffer less impermanent loss than uncorrelated pairs.",
    "Correlated pairs suffer more impermanent loss than uncorrelated pairs.",
  ],
  ["Block timestamps can be shifted slightly by validators.", "Block timestamps cannot be influenced by validators."],
  ["Interest accrues to lenders and is paid by borrowers.", "Interest is paid by lenders to borrowers."],
  [
    "Selling options collects premium but exposes the seller to large losses.",
    "Selling options collects premium without any exposure to losses.",
  ],
  [
    "Reentrancy can occur when an external call is made before state is updated.",
    "Reentrancy cannot occur when an external call is made before state is updated.",
  ],
  [
    "A lower loan-to-value ratio makes liquidation less likely.",
    "A lower loan-to-value ratio makes liquidation more likely.",
  ],
  [
    "A TWAP over a longer window is costlier to manipulate but reacts more slowly.",
    "A TWAP over a longer window is cheaper to manipulate.",
  ],
  [
    "Redemption of a staked token may take days because of the exit queue.",
    "Redemption of a staked token is always instant.",
  ],
  [
    "Admin keys that can upgrade a contract are a trust assumption.",
    "Upgradeable contracts require no trust in the admin.",
  ],
  ["USDC can be frozen by its issuer.", "USDC can not be frozen by anyone."],
  ["Trading fees are paid by traders to liquidity providers.", "Liquidity providers pay trading fees to traders."],
];

/** The same said in other words. */
export const PARAPHRASES: readonly (readonly [string, string])[] = [
  ["Higher utilisation raises the borrow rate.", "The borrow rate falls when utilisation falls."],
  ["Deeper liquidity lowers price impact.", "Thinner liquidity increases slippage."],
  ["When funding is positive, longs pay shorts.", "When funding is negative, shorts pay longs."],
  [
    "Raising the slippage tolerance makes a swap more exposed to sandwich attacks.",
    "Raising the slippage tolerance increases the risk of sandwich attacks for a swap.",
  ],
  [
    "Impermanent loss grows as the prices of the two assets diverge.",
    "Divergence loss shrinks as the prices of the two assets converge.",
  ],
  ["Trading fees are paid by traders to liquidity providers.", "Traders pay trading fees to LPs."],
];

/** Beside each other without conflict, though the words are much the same. */
export const COMPATIBLE: readonly (readonly [string, string])[] = [
  ["A swap fee of 0.3 % is charged in this pool.", "Gas prices rise when block space is congested."],
  ["Increase the allowance granted to the spender.", "Decrease the allowance granted to the spender."],
  ["Returns the amount of LP tokens minted.", "Returns the amount of LP tokens burned."],
  ["The beforeSwap hook raises the fee of a pool.", "The afterSwap hook lowers the fee of a pool."],
  ["Deep pools have low price impact.", "Shallow pools have high price impact."],
  ["The vault accepts deposits in USDC.", "The vault pays withdrawals in DAI."],
];
