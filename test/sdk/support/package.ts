import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const run = promisify(execFile);

export const root = fileURLToPath(new URL("../../../", import.meta.url));

let packed: Promise<string> | undefined;

/** The package as npm packs it, unpacked in a folder; made once for all tests. */
async function pack(): Promise<string> {
  await run("tsc", ["--project", "tsconfig.build.json"], { cwd: root });
  const folder = mkdtempSync(join(tmpdir(), "policycage-packed-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
    cwd: root,
  });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("[")));
  await run("tar", ["-xzf", filename], { cwd: folder });

  return join(folder, "package");
}

/**
 * An empty project with the packed package in it: what `npm install` does, with dependencies that are installed here already, so that no
 * registry is asked.
 */
export async function createProject() {
  packed ??= pack();
  const source = await packed;
  const path = mkdtempSync(join(tmpdir(), "policycage-project-"));
  const modules = join(path, "node_modules");
  mkdirSync(modules);
  writeFileSync(join(path, "package.json"), JSON.stringify({ name: "consumer", type: "module", private: true }));
  cpSync(source, join(modules, "policycage"), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  for (const name of [...Object.keys(manifest.dependencies), "@types/node"]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }

  return {
    path,
    /** The command line of the installed package. */
    main: join(modules, "policycage", manifest.bin.policycage),
    write: (name: string, text: string) => writeFileSync(join(path, name), text),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
