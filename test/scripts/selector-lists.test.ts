import { existsSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { type Abi, erc20Abi, erc4626Abi, toFunctionSelector, toFunctionSignature } from "viem";
import { entryPoint06Abi, entryPoint07Abi, entryPoint08Abi, entryPoint09Abi } from "viem/account-abstraction";
import { read } from "../../scripts/generate/files.ts";
import { authoritySelectors, debtSelectors, executorSelectors } from "../../sdk/policy/generated/constitution.ts";
import { debtFalseFriends } from "../../sdk/policy/generated/debt.ts";

type Source = { call: string; opens: string; protocols: string[]; from: string };

const sources = JSON.parse(read("contracts/debt-selectors.sources.json")) as {
  packages: Record<string, string>;
  debt: Source[];
  falseFriends: Source[];
};
const debtCalls = JSON.parse(read("contracts/debt-selectors.json")) as string[];
const authorityCalls = JSON.parse(read("contracts/authority-selectors.json")) as string[];

/** "npm:@aave/core-v3/artifacts/x.json" as package and file. */
function packageOf(from: string): { name: string; file: string } {
  const [scope = "", name = "", ...file] = from.slice("npm:".length).split("/");

  return { name: `${scope}/${name}`, file: file.join("/") };
}

const fromPackages = [...sources.debt, ...sources.falseFriends].filter(({ from }) => from.startsWith("npm:"));

const artifact = (path: string) => (JSON.parse(read(`node_modules/${path}`)) as { abi: Abi }).abi;

const callsOf = (abi: Abi) => abi.flatMap((item) => (item.type === "function" ? [toFunctionSignature(item)] : []));

/** What traders and savers do all day. */
const HARMLESS = [
  ...callsOf(artifact("@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json")),
  ...callsOf(erc20Abi),
  ...callsOf(erc4626Abi),
  "deposit()",
  "withdraw(uint256)",
  "swapExactTokensForTokens(uint256,uint256,address[],address,uint256)",
  "swapTokensForExactTokens(uint256,uint256,address[],address,uint256)",
  "swapExactETHForTokens(uint256,address[],address,uint256)",
  "swapExactTokensForETH(uint256,uint256,address[],address,uint256)",
  "exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))",
  "exactInput((bytes,address,uint256,uint256))",
  "exactOutputSingle((address,address,uint24,address,uint256,uint256,uint160))",
  "exactOutput((bytes,address,uint256,uint256))",
  "multicall(uint256,bytes[])",
  "exchange(int128,int128,uint256,uint256)",
  "supply(address,uint256,address,uint16)",
  "supply(bytes32)",
  "deposit(address,uint256,address,uint16)",
  "withdraw(address,uint256,address)",
  "withdraw(bytes32)",
  "supply(address,uint256)",
  "withdraw(address,uint256)",
  "mint(uint256)",
  "redeem(uint256)",
  "redeemUnderlying(uint256)",
];

/** What brings debt down, and nothing else. */
const REPAYMENTS = [
  "repay(address,uint256,uint256,address)",
  "repay(bytes32)",
  "repay(address,uint256,uint256)",
  "repayWithATokens(address,uint256,uint256)",
  "repayETH(address,uint256,uint256,address)",
  "repayBorrow(uint256)",
  "repayBorrow()",
  "repay((address,address,address,address,uint256),uint256,uint256,address,bytes)",
  "repay(uint256,address)",
  "repayWithShares(uint256,address)",
  "repay(uint256,uint256)",
  "repay(address,uint256)",
  "repayLUSD(uint256,address,address)",
  "closeTrove()",
  "repayBold(uint256,uint256)",
  "closeTrove(uint256)",
  "repay(uint256)",
  "repayDebt(address,uint256,uint256,address,uint256)",
];

const selectorsOf = (calls: readonly string[]) => new Set(calls.map((call) => toFunctionSelector(call)));

describe("calls that open debt", () => {
  it("are listed once each, in order, as their sources say", () => {
    expect(debtCalls).to.deep.equal(sources.debt.map(({ call }) => call).sort());
    expect(selectorsOf(debtCalls).size).to.equal(debtCalls.length);
    expect([...debtSelectors.values()].sort()).to.deep.equal(debtCalls);
    expect([...debtSelectors.keys()].sort()).to.deep.equal([...selectorsOf(debtCalls)].sort());
  });

  it("are listed once more where they run other calls", () => {
    const executors = sources.debt.filter(({ opens }) => opens.includes("executor")).map(({ call }) => call);
    expect([...executorSelectors.values()].sort()).to.deep.equal(executors.sort());
    expect(JSON.parse(read("contracts/executor-selectors.json"))).to.deep.equal(executors);
    // A list of calls is one of tuples with bytes in them, or of bytes.
    for (const call of debtCalls.filter((each) => /[(,]bytes(?:,[^)]*)?\)\[\]|bytes\[\]/.test(each))) {
      expect(executorSelectors.get(toFunctionSelector(call)), call).to.equal(call);
    }
  });

  it("name the protocols they were read of, and the version of each package", () => {
    for (const { call, from, opens, protocols } of sources.debt) {
      expect(from, call).to.match(/^(npm:@[\w-]+\/[\w-]+\/|github:[\w-]+\/[\w-]+\/).+\.(json|js|mjs|sol)$/);
      expect(opens, call).to.not.equal("");
      expect(protocols, call).to.not.deep.equal([]);
    }
    expect(Object.keys(sources.packages).sort()).to.deep.equal(
      [...new Set(fromPackages.map(({ from }) => packageOf(from).name))].sort(),
    );
    for (const protocol of ["Aave 2", "Aave 3", "Aave 3 L2Pool", "Compound 2", "Compound 3", "Morpho Blue", "Euler 1"])
      expect(
        sources.debt.some(({ protocols }) => protocols.includes(protocol)),
        protocol,
      ).to.equal(true);
    for (const lender of ["Euler 2", "Spark", "Fluid", "Silo", "Maker", "Liquity", "crvUSD", "Ajna", "Gearbox"])
      expect(
        sources.debt.some(({ protocols }) => protocols.some((name) => name.startsWith(lender))),
        lender,
      ).to.equal(true);
  });

  it("stand so in every one of those packages that is installed", () => {
    const checked = new Set<string>();
    for (const { call, from } of fromPackages) {
      const { name, file } = packageOf(from);
      if (!existsSync(`node_modules/${name}`)) continue;
      expect((JSON.parse(read(`node_modules/${name}/package.json`)) as { version: string }).version, name).to.equal(
        sources.packages[name],
      );
      if (file.endsWith(".json")) expect(callsOf(artifact(`${name}/${file}`)), call).to.include(call);
      else
        expect(readFileSync(`node_modules/${name}/${file}`, "utf8"), call).to.match(
          new RegExp(`\\b${nameOf(call)}\\b`),
        );
      checked.add(name);
    }
    expect(checked.size).to.be.greaterThan(0);
  });

  it("are those that an audit drained accounts with", () => {
    const drained = [
      "borrow(address,uint256,uint256,uint16,address)",
      "flashLoan(address,address[],uint256[],uint256[],address,bytes,uint16)",
      "borrow(bytes32)",
      "borrowETH(address,uint256,uint256,uint16)",
      "borrow(uint256,address)",
      "batch((address,address,uint256,bytes)[])",
      "call(address,address,uint256,bytes)",
      "aggregate3((address,bool,bytes)[])",
      "operate(uint256,int256,int256,address)",
    ];
    for (const call of drained) expect(debtSelectors.get(toFunctionSelector(call)), call).to.equal(call);
  });

  it("are never a repayment", () => {
    for (const call of debtCalls) {
      expect(nameOf(call), call).to.not.match(/repay|payback|wipe|burn|close|decrease|deleverage|unwind|leverDown/i);
    }
    for (const call of REPAYMENTS) expect(debtSelectors.has(toFunctionSelector(call)), call).to.equal(false);
  });

  it("are no call that a swap, a saving or a wrapping needs", () => {
    for (const call of HARMLESS) expect(debtSelectors.has(toFunctionSelector(call)), call).to.equal(false);
  });

  it("are no authority calls: the two lists share nothing", () => {
    for (const call of authorityCalls) expect(debtSelectors.has(toFunctionSelector(call)), call).to.equal(false);
  });

  it("leave out false friends, which another list names", () => {
    expect([...debtFalseFriends.values()]).to.include("withdraw(address,uint256)");
    expect([...debtFalseFriends.values()].sort()).to.deep.equal(sources.falseFriends.map(({ call }) => call).sort());
    for (const [selector, call] of debtFalseFriends) {
      expect(debtSelectors.has(selector), call).to.equal(false);
      expect(authoritySelectors.has(selector), call).to.equal(false);
    }
  });
});

describe("authority calls", () => {
  it("are listed once each and in order", () => {
    expect(authorityCalls).to.deep.equal([...new Set(authorityCalls)].sort());
    expect(selectorsOf(authorityCalls).size).to.equal(authorityCalls.length);
  });

  it("hold every right over assets that is given under a name of its own", () => {
    /** Call, and the public source it was read in. */
    const named = {
      "transferAsset(address,address,uint256)": "@compound-finance/compound-js 0.6.2: Comet",
      "transferAssetFrom(address,address,address,uint256)": "@compound-finance/compound-js 0.6.2: Comet",
      "approveBurnOnBehalf(address)": "Synthetix 2: IDelegateApprovals",
      "approveClaimOnBehalf(address)": "Synthetix 2: IDelegateApprovals",
      "approveExchangeOnBehalf(address)": "Synthetix 2: IDelegateApprovals",
      "approveIssueOnBehalf(address)": "Synthetix 2: IDelegateApprovals",
      "grantPermission(uint128,bytes32,address)": "Synthetix 3: IAccountModule",
      "signalTransfer(address)": "GMX 1: RewardRouterV2",
      "delegateTo(address,(bytes,uint256),bytes32)": "EigenLayer: IDelegationManager",
      "approveRouter(address,bool,bool)": "Ambient: CrocSwap",
      "registerAllowedOrderSigner(address,bool)": "0x 4: INativeOrdersFeature",
      "registerAllowedRfqOrigins(address[],bool)": "0x 4: INativeOrdersFeature",
      "approveLPTransferors(address[])": "Ajna: IPoolLPActions",
      "increaseLPAllowance(address,uint256[],uint256[])": "Ajna: IPoolLPActions",
      "transferLP(address,address,uint256[])": "Ajna: IPoolLPActions",
      "setReceiveApproval(address,uint256)": "Silo 1 and 2: IERC20R",
      "grantPermissions(address,address)": "Superfluid: ICFAv1Forwarder",
      "updateFlowOperatorPermissions(address,address,uint8,int96)": "Superfluid: ICFAv1Forwarder",
      "updateFlowOperatorPermissions(address,address,uint8,int96,bytes)": "Superfluid: IConstantFlowAgreementV1",
      "setBotPermissions(address,address,uint192)": "Gearbox 3.0: ICreditFacadeV3",
      "setBotPermissions(address,uint192)": "Gearbox 3.1: ICreditFacadeV3Multicall",
      "validate(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),bytes)[])":
        "Seaport 1: SeaportInterface",
      "move(address,address,uint256)": "@makerdao/dai-plugin-mcd 1.8.5: Vat, DSToken",
      "move(uint256,address,uint256)": "@makerdao/dai-plugin-mcd 1.8.5: DssCdpManager",
      "flux(bytes32,address,address,uint256)": "@makerdao/dai-plugin-mcd 1.8.5: Vat",
      "flux(uint256,address,uint256)": "@makerdao/dai-plugin-mcd 1.8.5: DssCdpManager",
      "flux(bytes32,uint256,address,uint256)": "@makerdao/dai-plugin-mcd 1.8.5: DssCdpManager",
      "quit(uint256,address)": "@makerdao/dai-plugin-mcd 1.8.5: DssCdpManager",
      "push(address,uint256)": "@makerdao/dai-plugin-mcd 1.8.5: DSToken",
      "approve(address)": "@makerdao/dai-plugin-mcd 1.8.5: DSToken",
      "approve(address,bool)": "@curvefi/llamalend-api 2.5.2: ControllerV2",
      "transferOwnership(address)": "@openzeppelin/contracts 5.7.0: Ownable",
      "setManager(address,address)": "@openzeppelin/contracts 5.7.0: IERC1820Registry",
      "delegateForAll(address,bool)": "delegate.cash 1: IDelegationRegistry",
      "delegateAll(address,bytes32,bool)": "delegate.cash 2: IDelegateRegistry",
      "authorizeOperatorByPartition(bytes32,address)": "ERC-1400: IERC1400",
      "setRemoveManager(uint256,address)": "Liquity 2: IAddRemoveManagers",
      "setRemoveManagerWithReceiver(uint256,address,address)": "Liquity 2: IAddRemoveManagers",
      "setUserPositionManager(address,bool)": "@aave-dao/aave-address-book 4.68.1: ISpoke",
      "approveBorrow(address,uint256,address,uint256)": "@aave-dao/aave-address-book 4.68.1: ITakerPositionManager",
      "approveWithdraw(address,uint256,address,uint256)": "@aave-dao/aave-address-book 4.68.1: ITakerPositionManager",
    };
    for (const [call, source] of Object.entries(named)) {
      expect(authoritySelectors.get(toFunctionSelector(call)), `${call} (${source})`).to.equal(call);
    }
  });

  it("hold what takes an account's stake out of any entry point of ERC-4337, and what sends operations there", () => {
    const rights = ["handleOps", "handleAggregatedOps", "unlockStake", "withdrawStake"];
    for (const [version, abi] of Object.entries({
      entryPoint06Abi,
      entryPoint07Abi,
      entryPoint08Abi,
      entryPoint09Abi,
    })) {
      const calls = callsOf(abi).filter((call) => rights.includes(nameOf(call)));
      expect(calls.map(nameOf).sort(), version).to.deep.equal([...rights].sort());
      for (const call of calls) {
        expect(authoritySelectors.get(toFunctionSelector(call)), `${call} (${version})`).to.equal(call);
      }
    }
  });

  it("are no call that a swap, a saving, a wrapping or a repayment needs", () => {
    const rights = /^(approve|transfer|transferFrom|selfPermit\w*)\(/;
    for (const call of [...HARMLESS, ...REPAYMENTS].filter((each) => !rights.test(each))) {
      expect(authoritySelectors.has(toFunctionSelector(call)), call).to.equal(false);
    }
  });
});

function nameOf(call: string): string {
  return call.slice(0, call.indexOf("("));
}
