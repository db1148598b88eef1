import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { expect } from "chai";
import { beginShared } from "../../../../sdk/gateway/shared/open.ts";
import { ADDRESS, wordedClassifier } from "../../safety/pipeline/support.ts";
import { configFor, KEY, SECRETS, startGateway } from "../support/gateway.ts";
import { startRedis, type TestRedis } from "../support/redis.ts";
import { completion, lastMessage, openUpstream, type TestUpstream } from "../support/upstream.ts";

describe("gateways that share a Redis", function () {
  this.timeout(60_000);
  let redis: TestRedis;
  let upstream: TestUpstream;

  before(async () => {
    redis = await startRedis();
    upstream = await openUpstream((request) => ({ body: completion({ content: `Said: ${lastMessage(request)}` }) }));
  });
  after(async () => {
    await upstream.close();
    await redis.end();
  });

  const secrets = (name: string) =>
    ({ ...SECRETS, SHARED_REDIS: redis.url, VAULT_KEY: "master-key-of-vaults-0123456789-0123456789" })[name];
  const shared = { redisVariable: "SHARED_REDIS", vaultKeyVariable: "VAULT_KEY" };

  function ask(url: string, content: string) {
    return fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json", "x-bardo-session": "one" },
      body: JSON.stringify({ model: "gpt-5-mini", messages: [{ role: "user", content }], max_tokens: 10 }),
    });
  }

  it("answer one conversation of one budget by turns, and refuse when Redis is lost", async () => {
    const budgets = { default: { day: { usdc: "100", requests: 3 } } };
    const config = configFor(upstream.url, { shared, budgets });
    expect(await startGateway(config, { secrets }).catch(({ code }) => code)).to.equal("SHARED_STATE_MISSING");
    expect(await beginShared(config, secrets)).to.equal(true);
    const options = { secrets, classifier: wordedClassifier };
    const one = await startGateway(config, options);
    const two = await startGateway(configFor(upstream.url, { shared, budgets }), options);
    try {
      const contents: string[] = [];
      for (const gateway of [one, two, one]) {
        const response = await ask(gateway.url, `Pay ${ADDRESS}`);
        expect(response.status).to.equal(200);
        const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
        contents.push(choices[0]?.message.content ?? "");
      }
      expect(new Set(contents)).to.deep.equal(new Set([`Said: Pay ${ADDRESS}`]));
      // The same placeholder at both.
      expect(new Set(upstream.received.map(lastMessage)).size).to.equal(1);
      expect(upstream.received.map(lastMessage).join()).not.to.include(ADDRESS);
      const over = await ask(two.url, "More");
      expect([over.status, JSON.parse(await over.text()).error.code]).to.deep.equal([429, "budget_exhausted"]);

      const isReady = async () => (await fetch(`${one.url}/health/ready`)).status;
      expect(await isReady()).to.equal(200);
      await redis.stop();
      expect(await isReady()).to.equal(503);
      const asked = upstream.received.length;
      for (const gateway of [one, two]) {
        const refused = await ask(gateway.url, "More");
        expect([refused.status, JSON.parse(await refused.text()).error.code]).to.deep.equal([
          503,
          "shared_unavailable",
        ]);
      }
      expect(upstream.received.length).to.equal(asked);
    } finally {
      await one.close(1_000);
      await two.close(1_000);
    }
  });

  it("are begun by a command, and start with no weak key", async () => {
    await redis.start(redis.folder);
    await redis.say("redis.call('FLUSHALL') return {1}");
    const folder = mkdtempSync(join(tmpdir(), "policycage-shared-"));
    const path = join(folder, "gateway.json");
    writeFileSync(path, JSON.stringify(configFor(upstream.url, { shared, data: join(folder, "data") })), {
      mode: 0o600,
    });
    try {
      const main = join(import.meta.dirname, "../../../../sdk/cli/main.ts");
      const { stdout } = spawnSync(process.execPath, [main, "gateway", "--config", path, "--begin-shared"], {
        env: { ...process.env, ...SECRETS, SHARED_REDIS: redis.url },
      });
      expect(stdout.toString()).to.include("Begun");
      const config = configFor(upstream.url, { shared });
      expect(await beginShared(config, secrets)).to.equal(false);
      const weak = (name: string) => (name === "VAULT_KEY" ? "short" : secrets(name));
      expect(await startGateway(config, { secrets: weak }).catch(({ code }) => code)).to.equal("KEY_WEAK");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
