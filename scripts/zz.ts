import process from "node:process";
import { PRODUCTION } from "./lib/production.ts";
Object.assign(process.env, PRODUCTION);
const { default: hre } = await import("hardhat");
const { Chain } = await import("./gas/chain.ts");
const { createCage, createWorld, createDelegator, signedDelegation, roles, swapData, swapTrade } = await import("./gas/world.ts");
const { encodePermissionContext } = await import("../sdk/index.ts");
const { encodeFunctionData, encodeAbiParameters, parseAbiParameters, padHex, erc20Abi } = await import("viem");
const chain = await Chain.start(hre);
const world = await createWorld(hre, chain);
const { trader, golem, mason } = roles(chain);
await chain.send({ from: trader, to: world.router.address, data: swapData(world, trader) });
const delegator = await createDelegator(world);
const acc = delegator.account.address;
const approve = (n: bigint) => ({ target: world.usdc.address, value: 0n, callData: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [world.router.address, n] }) });
const steps = [approve(1_000_000_000n), { target: world.router.address, value: 0n, callData: swapData(world, acc) }];
const T = parseAbiParameters("(address target, uint256 value, bytes callData)[]");
const run = async (name: string, delegate: any, caveats: any[], calls: any[]) => chain.aside(async () => {
  const context = encodePermissionContext(await signedDelegation(delegator, { delegate, caveats }));
  const data = encodeFunctionData({ abi: delegator.manager.abi, functionName: "redeemDelegations", args: [[context], [padHex("0x01", { dir: "right", size: 32 })], [encodeAbiParameters(T, [calls])]] });
  await chain.send({ from: golem, to: delegator.manager.address, data });
  console.log(name, (await chain.send({ from: golem, to: delegator.manager.address, data })).gas, "calldata bytes", data.length / 2 - 1);
});
await run("bare", golem, [], steps);
await run("bare + clear", golem, [], [...steps, approve(0n)]);
// STOP
const noop = await chain.deploy({ abi: [], bytecode: "0x6001600c60003960016000f300" } as any, [], mason);
await run("noop caveat", golem, [{ enforcer: noop.address, terms: "0x", args: "0x" }], steps);
await run("noop caveat, 20 byte terms", golem, [{ enforcer: noop.address, terms: golem, args: "0x" }], steps);
await run("two noop caveats, 20 byte terms", golem, [{ enforcer: noop.address, terms: golem, args: "0x" }, { enforcer: noop.address, terms: golem, args: "0x" }], steps);
for (const kind of [undefined, "ERC-7579"] as const) {
  const cage = await createCage(world, kind ? { kind } : {});
  const data = encodeFunctionData({ abi: cage.entry.abi, functionName: "execute", args: [[swapTrade(world, cage.account)]] });
  await chain.send({ from: golem, to: cage.entry.address, data });
  console.log(kind, (await chain.send({ from: golem, to: cage.entry.address, data })).gas, data.length/2-1);
}

{
  const { explain } = await import("./gas/trace.ts");
  const nameOf = (a: any) => world.names.get(a.toLowerCase()) ?? a;
  const show = (b: any, title: string) => {
    const by: Record<string, number> = {};
    for (const s of b.shares) { const k = s.contract + " " + s.kind; by[k] = (by[k] ?? 0) + s.gas; by[s.contract+" TOTAL"] = (by[s.contract+" TOTAL"] ?? 0) + s.gas; }
    console.log(title, b.gas, "calldata", b.calldata, "refund", b.refund);
    for (const k of Object.keys(by).sort()) console.log("   ", k, by[k]);
  };
  const cage = await createCage(world, { kind: "delegation" });
  const data = encodeFunctionData({ abi: cage.entry.abi, functionName: "execute", args: [[swapTrade(world, cage.account)]] });
  await chain.send({ from: golem, to: cage.entry.address, data });
  show(await explain(chain, await chain.send({ from: golem, to: cage.entry.address, data }), { to: cage.entry.address, data }, nameOf, new Map()), "caged");
  const context = encodePermissionContext(await signedDelegation(delegator, { delegate: golem, caveats: [] }));
  const d2 = encodeFunctionData({ abi: delegator.manager.abi, functionName: "redeemDelegations", args: [[context], [padHex("0x01", { dir: "right", size: 32 })], [encodeAbiParameters(T, [steps])]] });
  world.names.set(delegator.manager.address.toLowerCase(), "manager");
  await chain.send({ from: golem, to: delegator.manager.address, data: d2 });
  show(await explain(chain, await chain.send({ from: golem, to: delegator.manager.address, data: d2 }), { to: delegator.manager.address, data: d2 }, nameOf, new Map()), "bare");
}
await chain.close();
