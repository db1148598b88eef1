import type { PrivyPoliciesService } from "@privy-io/node";
import { expect } from "chai";
import { usdc } from "../../../../sdk/index.ts";
import {
  ACCOUNT,
  CHAIN_ID,
  CLADE_WALLET,
  calls,
  example,
  STRANGER,
  transferOf,
  USDC,
  WETH,
} from "../support/example.ts";
import { isSigned, type Request } from "../support/privy.ts";

/** What `privy.policies().create` takes. */
type PolicyInput = Parameters<PrivyPoliciesService["create"]>[0];

const NOW = 1_800_000_000n;

const { policy, gaps } = example
  .build()
  .toCustodyPolicy("embedded", { chainId: CHAIN_ID, account: ACCOUNT, validUntil: NOW });

const good: Request = {
  method: "eth_sendTransaction",
  chainId: CHAIN_ID,
  to: ACCOUNT,
  value: 0n,
  data: calls.execute,
  timestamp: NOW,
};

const signs = (change: Partial<Request>) => isSigned(policy, { ...good, ...change });

describe("Embedded mode", () => {
  it("is a policy that Privy's client takes", () => {
    const body: PolicyInput = policy;
    // @ts-expect-error the compiler knows Privy's methods: what it accepts above is checked
    const other: PolicyInput = { ...policy, rules: [{ name: "", method: "sign", action: "ALLOW", conditions: [] }] };
    // @ts-expect-error and its conditions
    const another: PolicyInput["rules"][number]["conditions"][number] = {
      field_source: "ethereum_transaction",
      field: "gas",
    };

    expect(JSON.parse(JSON.stringify(body))).to.deep.equal(policy);
    expect(other).not.to.deep.equal(another);
  });

  it("lets the wallet call the account's execute functions, and no other", () => {
    expect(signs({})).to.equal(true);
    expect(signs({ data: calls.attempt })).to.equal(true);
    expect(signs({ method: "eth_signTransaction" })).to.equal(true);
    for (const data of [calls.withdraw, calls.ownerExecute, calls.executeAs, "0x", "0x12345678"] as const) {
      expect(signs({ data }), data).to.equal(false);
    }
  });

  it("lets it sign on this chain, to this account, without native currency, in time", () => {
    expect(signs({ chainId: 1 })).to.equal(false);
    expect(signs({ to: USDC })).to.equal(false);
    expect(signs({ value: 1n })).to.equal(false);
    expect(signs({ timestamp: NOW + 1n })).to.equal(false);
  });

  it("signs nothing but transactions", () => {
    const methods = policy.rules.map(({ method }) => method);

    expect(new Set(methods)).to.deep.equal(new Set(["eth_sendTransaction", "eth_signTransaction"]));
    expect(policy.rules.map(({ action }) => action)).not.to.include("DENY");
    for (const method of ["personal_sign", "eth_signTypedData_v4", "eth_sign7702Authorization", "exportPrivateKey"]) {
      expect(signs({ method }), method).to.equal(false);
    }
  });

  it("lets transfers go to approved recipients, of the base asset up to the cap of a transaction", () => {
    expect(signs({ data: transferOf() })).to.equal(true);
    expect(signs({ data: transferOf(USDC, usdc(10_000), CLADE_WALLET) })).to.equal(true);
    expect(signs({ data: transferOf(USDC, usdc(10_000) + 1n) })).to.equal(false);
    expect(signs({ data: transferOf(USDC, 1n, STRANGER) })).to.equal(false);
    expect(signs({ data: transferOf(WETH, 10n ** 24n) })).to.equal(true);
    expect(signs({ data: transferOf(WETH, 1n, STRANGER) })).to.equal(false);
    expect(signs({ data: transferOf(STRANGER, 1n) })).to.equal(false);
  });

  it("has no rule for transfers where the policy has no recipients", () => {
    const closed = example.transferRestriction("none").build();
    const { policy: strict } = closed.toCustodyPolicy("embedded", { chainId: CHAIN_ID, account: ACCOUNT });

    expect(isSigned(strict, good)).to.equal(true);
    expect(isSigned(strict, { ...good, data: transferOf() })).to.equal(false);
  });

  it("gives the engine what it needs to decode a trade", () => {
    const abis = policy.rules.flatMap(({ conditions }) =>
      conditions.flatMap((condition) => (condition.field_source === "ethereum_calldata" ? [condition.abi] : [])),
    );

    expect(abis[0]?.map(({ name }) => name)).to.deep.equal(["execute", "attempt", "transferOut"]);
    expect(abis[0]?.[0]?.inputs[0]?.components?.map(({ name }) => name)).to.deep.equal([
      "protocol",
      "value",
      "data",
      "inputs",
      "outputs",
    ]);
  });

  it("names what its schema cannot express", () => {
    const rules = gaps.flatMap((gap) => gap.rules);

    expect(rules).to.include.members([
      "perTransactionCapUsdc",
      "perDayCapUsdc",
      "strategyWhitelist",
      "drawdownThresholdBps",
    ]);
  });
});
