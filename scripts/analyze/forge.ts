// A project of Foundry's forge over the sources as they lie here, compiled by the compiler of npm.

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Makes or renews a project in `folder`: `links` are what of this repository it sees, `settings` what else its foundry.toml says. */
export function writeForgeProject(folder: string, links: readonly string[], settings: string): void {
  for (const name of links) {
    const link = path.join(folder, name);
    mkdirSync(path.dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync(path.resolve(name), link);
  }
  writeFileSync(
    path.join(folder, "foundry.toml"),
    `[profile.default]
out = "out"
libs = []
solc = "${path.resolve("scripts/analyze/solc.mjs")}"
evm_version = "cancun"
ast = true
allow_paths = ["${path.resolve(".")}"]
remappings = [
  "forge-std/=node_modules/@chainlink/contracts/src/v0.8/vendor/forge-std/src/",
  "@chainlink/=node_modules/@chainlink/",
  "@openzeppelin/=node_modules/@openzeppelin/",
  "solady/=node_modules/solady/",
]
${settings}`,
  );
}
