import type { Claim, Statement } from "./claims.ts";
import { placesOf } from "./context.ts";
import { integer } from "./fraction.ts";
import { parseQuantity, type Quantity } from "./quantity.ts";
import type { Asset, KnownChain, KnownChains } from "./registry.ts";
import { sentencesOf } from "./sentences.ts";
import { parseAddress, parseHolder, parsePips, parsePool, parseToken, parseVault } from "./subjects.ts";

/**
 * What a text claims. `isAllClaims`: it says nothing else. `isDoubted`: another sentence of it may deny or only imagine what the claims
 * say.
 */
export type Reading = { claims: readonly Claim[]; isAllClaims: boolean; isDoubted: boolean };

/** More in one text are not read, so that no text makes many reads of a chain. */
const MAX_CLAIMS = 16;
const MAX_AMOUNTS = 4;
/** Letters of other scripts look like ours and mean nothing here. */
const ASCII = /^[\x20-\x7e]*$/;
const DOUBT =
  /\b(?:false|wrong|incorrect|untrue|not true|inaccurate|mistaken|myth|fake|fiction(?:al)?|fabricated|debunked|denied|hypothetical(?:ly)?|suppose|imagine|pretend|example|e\.g)\b/i;

const IS = "(?:was|is|were|are|stood at|equalled|equaled|equals|amounted to|totalled|totaled|=)";
const HELD = /^(.+?) (?:held|holds|had|has|owned|owns|contained|contains) (?:a balance of )?(.+)$/i;
const PROPERTY = [
  "(?:[A-Za-z][A-Za-z0-9.]* )?balance",
  "total supply",
  "(?:current )?tick",
  "(?:swap )?fee(?: tier)?",
  "(?:(?:active|in-range|current) )?liquidity",
  "tvl",
  "total value locked",
  "total assets",
  "reserves",
  "token[01]",
].join("|");
/** "The tick of P was X", "P's tick was X", "P had a tick of X", "P had X in TVL", "P was at tick X". */
const FORMS: readonly RegExp[] = [
  new RegExp(`^(?:the )?(?<property>${PROPERTY}) (?:of|in) (?<subject>.+?) ${IS} (?<value>.+)$`, "i"),
  new RegExp(`^(?<subject>.+?)(?:'s)? (?<property>${PROPERTY}) ${IS} (?<value>.+)$`, "i"),
  new RegExp(`^(?<subject>.+?) (?:had|has) (?:an? )?(?<property>${PROPERTY}) of (?<value>.+)$`, "i"),
  /^(?<subject>.+?) (?:had|has) (?<value>.+) in (?<property>TVL|total value locked|total assets)$/i,
  /^(?<subject>.+?) (?:was|is|stood) at (?<property>tick) (?<value>.+)$/i,
];
const PRICES: readonly RegExp[] = [
  new RegExp(`^(?:the )?(?:spot )?price of (?<base>\\S+) (?:in|on) (?<pool>.+?) ${IS} (?<amount>.+)$`, "i"),
  new RegExp(`^(?:the )?(?:spot )?price (?:of|in|on) (?<pool>.+?) ${IS} (?<amount>.+) per (?<base>\\S+)$`, "i"),
  new RegExp(`^(?:the )?(?<base>\\S+?)(?:'s)? (?:spot )?price (?:in|on) (?<pool>.+?) ${IS} (?<amount>.+)$`, "i"),
  new RegExp(`^(?<pool>.+?)(?:'s)? (?:spot )?price ${IS} (?<amount>.+) per (?<base>\\S+)$`, "i"),
  /^(?<pool>.+?) (?:had|has) a (?:spot )?price of (?<amount>.+) per (?<base>\S+)$/i,
  /^(?<base>\S+) (?:traded|trades|was trading|was priced|cost|costs|was worth) (?:at )?(?<amount>.+) (?:in|on) (?<pool>.+)$/i,
  /^(?<pool>.+?) (?:priced|prices|quoted|quotes|valued|values) (?<base>\S+) at (?<amount>.+)$/i,
  /^1 (?<base>\S+) (?:=|was worth|cost|costs|equalled|equaled) (?<amount>.+) (?:in|on) (?<pool>.+)$/i,
];

/**
 * Reads the claims of a text: sentences that say, from the first word to the last, what can be looked up at one block of one chain.
 * Anything left over, unknown or ambiguous makes a sentence no claim. Pure, and linear in the text but for sentences of 400 letters.
 */
export function claimParser(chains: KnownChains): (content: string) => Reading {
  const place = placesOf(chains);

  function claimsOf(sentence: string): Claim[] {
    if (!ASCII.test(sentence)) return [];
    const placed = place(sentence);
    if (placed === undefined) return [];
    const { core, chain, blockNumber } = placed;

    return (parseStatements(core, chain) ?? []).map((statement) => ({ chain, blockNumber, ...statement }));
  }

  return (content) => {
    const claims: Claim[] = [];
    let isAllClaims = true;
    let isDoubted = false;
    for (const { text, canClaim } of sentencesOf(content)) {
      const found = canClaim && claims.length < MAX_CLAIMS ? claimsOf(text) : [];
      claims.push(...found);
      if (found.length > 0) continue;
      isAllClaims = false;
      isDoubted ||= DOUBT.test(text);
    }

    return { claims, isAllClaims, isDoubted };
  };
}

function parseStatements(core: string, chain: KnownChain): Statement[] | undefined {
  return parseProperty(core, chain) ?? parsePrice(core, chain) ?? parseHeld(core, chain) ?? parseManaged(core, chain);
}

function parseProperty(core: string, chain: KnownChain): Statement[] | undefined {
  for (const form of FORMS) {
    const { property, subject, value } = form.exec(core)?.groups ?? {};
    if (property === undefined || subject === undefined || value === undefined) continue;
    const statements = stateProperty(property, subject, value, chain);
    if (statements !== undefined) return statements;
  }

  return undefined;
}

function stateProperty(property: string, subject: string, value: string, chain: KnownChain): Statement[] | undefined {
  const name = property.toLowerCase();
  if (name.endsWith("balance")) return stateBalance(property, subject, value, chain);
  if (name === "total supply") return stateSupply(subject, value, chain);
  if (name === "total assets") return stateVault(subject, value, chain);
  if (name === "tvl" || name === "total value locked") {
    return stateVault(subject, value, chain) ?? stateTvl(subject, value, chain);
  }
  const pool = parsePool(subject, chain);
  if (pool === undefined) return undefined;
  if (name === "reserves") {
    const amounts = parseAmounts(value, chain);

    return amounts?.map(({ asset, quantity }) => ({ kind: "reserve", pool, token: asset, bounds: quantity.bounds }));
  }
  if (name.endsWith("liquidity")) {
    const quantity = parseQuantity(value);

    return quantity === undefined || quantity.unit !== undefined
      ? undefined
      : [{ kind: "liquidity", pool, bounds: quantity.bounds }];
  }
  if (name.endsWith("tick")) {
    return /^-?(?:\d{1,3},\d{3}|\d{1,7})$/.test(value)
      ? [{ kind: "tick", pool, tick: BigInt(value.replace(",", "")) }]
      : undefined;
  }
  if (name.startsWith("token")) {
    const token = parseAddress(value) ?? parseToken(value, chain)?.address;
    if (token === undefined || token === "native") return undefined;

    return [{ kind: "pool_token", pool, index: name === "token0" ? 0 : 1, token }];
  }
  const pips = parsePips(value);
  if (pips === undefined) return undefined;

  return [{ kind: "fee", pool, pips: { ...integer(pips.digits), denominator: 10n ** BigInt(pips.decimals) } }];
}

function stateBalance(property: string, subject: string, value: string, chain: KnownChain): Statement[] | undefined {
  const [symbol] = property.split(" ").slice(0, -1);
  const holder = parseHolder(subject, chain);
  const quantity = parseQuantity(value);
  const asset = quantity && assetOf(quantity, chain, symbol === undefined ? undefined : chain.assetOf(symbol));
  // "Its foo balance": a word that is no symbol may mean anything.
  if (holder === undefined || quantity === undefined || asset === undefined) return undefined;
  if (symbol !== undefined && chain.assetOf(symbol)?.address !== asset.address) return undefined;

  return [{ kind: "balance", holder, asset, bounds: quantity.bounds }];
}

function stateSupply(subject: string, value: string, chain: KnownChain): Statement[] | undefined {
  const token = parseToken(subject, chain);
  const quantity = parseQuantity(value);
  if (token === undefined || quantity === undefined) return undefined;
  if (assetOf(quantity, chain, token)?.address !== token.address) return undefined;

  return [{ kind: "supply", token, bounds: quantity.bounds }];
}

function stateVault(subject: string, value: string, chain: KnownChain): Statement[] | undefined {
  const vault = parseVault(subject, chain);
  const quantity = parseQuantity(value);
  const unit = quantity && assetOf(quantity, chain);
  if (vault === undefined || quantity === undefined || unit === undefined) return undefined;

  return [{ kind: "total_assets", vault, unit, bounds: quantity.bounds }];
}

function stateTvl(subject: string, value: string, chain: KnownChain): Statement[] | undefined {
  const pool = parsePool(subject, chain);
  const quantity = parseQuantity(value);
  const unit = quantity && assetOf(quantity, chain);
  if (pool === undefined || quantity === undefined || unit === undefined) return undefined;

  return [{ kind: "tvl", pool, unit, bounds: quantity.bounds }];
}

function parsePrice(core: string, chain: KnownChain): Statement[] | undefined {
  for (const pattern of PRICES) {
    const { base: baseText = "", pool: poolText = "", amount = "" } = pattern.exec(core)?.groups ?? {};
    const pool = parsePool(poolText, chain);
    const base = parseToken(baseText, chain);
    const quantity = parseQuantity(withoutBase(amount, baseText));
    const quote = quantity && assetOf(quantity, chain);
    if (pool === undefined || base === undefined || quantity === undefined || quote === undefined) continue;
    if (quote.address === base.address) continue;

    return [{ kind: "price", pool, base, quote, bounds: quantity.bounds }];
  }

  return undefined;
}

/** "2,000 USDC per WETH" of WETH is 2,000 USDC. */
function withoutBase(amount: string, base: string): string {
  for (const end of [` per ${base}`, `/${base}`]) if (amount.endsWith(end)) return amount.slice(0, -end.length);

  return amount;
}

function parseHeld(core: string, chain: KnownChain): Statement[] | undefined {
  const [, subject, value] = HELD.exec(core) ?? [];
  if (subject === undefined || value === undefined) return undefined;
  const holder = parseHolder(subject, chain);
  const amounts = parseAmounts(value, chain);
  if (holder === undefined || amounts === undefined) return undefined;

  return amounts.map(({ asset, quantity }) => ({ kind: "balance", holder, asset, bounds: quantity.bounds }));
}

function parseManaged(core: string, chain: KnownChain): Statement[] | undefined {
  const [, subject, value] = /^(.+?) (?:managed|manages) (.+?)(?: in total| of assets)?$/i.exec(core) ?? [];

  return subject === undefined || value === undefined ? undefined : stateVault(subject, value, chain);
}

/** "5 WETH", "5 WETH and 10,000 USDC", "between 1 and 2 WETH": each with its unit. */
function parseAmounts(text: string, chain: KnownChain): { asset: Asset; quantity: Quantity }[] | undefined {
  const one = withAsset(text, chain);
  if (one !== undefined) return [one];
  const parts = text.split(/, and |, | and /);
  if (parts.length > MAX_AMOUNTS) return undefined;
  const amounts = parts.map((part) => withAsset(part, chain));

  return amounts.every((amount) => amount !== undefined) ? amounts : undefined;
}

function withAsset(text: string, chain: KnownChain): { asset: Asset; quantity: Quantity } | undefined {
  const quantity = parseQuantity(text);
  const asset = quantity && assetOf(quantity, chain);

  return quantity === undefined || asset === undefined ? undefined : { asset, quantity };
}

/** What is counted: what the unit says, or `otherwise` where there is none. */
function assetOf({ unit }: Quantity, chain: KnownChain, otherwise?: Asset): Asset | undefined {
  return unit === undefined ? otherwise : chain.assetOf(unit);
}
