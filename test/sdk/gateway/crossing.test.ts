import { expect } from "chai";
import { chainRows } from "../../../sdk/gateway/audit/read.ts";
import type { InferenceLog } from "../../../sdk/gateway/audit/record.ts";
import { wordedClassifier } from "../safety/pipeline/support.ts";
import { configFor, KEY, OTHER_KEY, startGateway } from "./support/gateway.ts";
import { chatStream, event } from "./support/streams.ts";
import { completion, lastMessage, openUpstream } from "./support/upstream.ts";

/** Requests of one conversation that its budget allows. */
const ALLOWED = 4;

type Conversation = { key: string; name: string; address: string };
type Asked = Conversation & { id: string | null; status: number; text: string; tokens: number };

describe("conversations of the gateway", () => {
  for (const [what, keys] of [
    ["two agents behind one key", [KEY, KEY]],
    ["an agent of each key, under one name", [KEY, OTHER_KEY]],
  ] as const) {
    it(`share no placeholder, no budget and no row: ${what}`, async () => {
      const upstream = await openUpstream((request) => {
        const said = lastMessage(request);
        const [number = ""] = /^\d+/.exec(said) ?? [];
        const usage = { prompt_tokens: 1_000 + Number(number), completion_tokens: 8 };
        // Whatever placeholder was ever told, it says.
        const all = upstream.received.flatMap(({ bytes }) => bytes.match(/\[WALLET_\w+\]/g) ?? []);
        const content = `For ${[...new Set(all)].join(" ")}.`;
        return request.body.stream === true
          ? { body: [...chatStream([...content]).slice(0, -1), event({ choices: [], usage }), "data: [DONE]\n\n"] }
          : { body: completion({ content }, { usage }), pauseMs: Number(number) % 7 };
      });
      const budgets = { default: { day: { usdc: "100" }, session: { requests: ALLOWED } } };
      const config = configFor(upstream.url, { budgets });
      const gateway = await startGateway(config, { classifier: wordedClassifier });
      const conversations: Conversation[] = keys.map((key, at) => ({
        ...{ key, name: keys[0] === keys[1] ? `agent-${at}` : "one" },
        address: `0x${String(at + 1).repeat(40)}`,
      }));
      let number = 0;
      const ask = async (conversation: Conversation): Promise<Asked> => {
        number += 1;
        const tokens = 1_000 + number;
        const response = await fetch(`${gateway.url}/v1/chat/completions`, {
          method: "POST",
          headers: {
            ...{ authorization: `Bearer ${conversation.key}`, "content-type": "application/json" },
            "x-bardo-session": conversation.name,
          },
          body: JSON.stringify({
            ...{ model: "gpt-5-mini", stream: number % 2 === 0, max_tokens: 100 },
            messages: [{ role: "user", content: `${number}: pay ${conversation.address}` }],
          }),
        });
        const id = response.headers.get("x-bardo-request-id");

        return { ...conversation, id, status: response.status, text: await response.text(), tokens };
      };
      const asked: Asked[] = [];
      try {
        // At once, and by turns.
        for (let turn = 0; turn < ALLOWED / 2; turn += 1) {
          asked.push(...(await Promise.all([...conversations, ...conversations].map(ask))));
        }
        const [first, second] = conversations;
        if (first === undefined || second === undefined) throw new Error("no conversations");
        const over = await ask(first);
        expect([over.status, JSON.parse(over.text).error.code]).to.deep.equal([429, "budget_exhausted"]);
        asked.push(over);
        const elsewhere = await ask({ ...second, name: "another" });
        expect(elsewhere.status).to.equal(200);
        asked.push(elsewhere);
      } finally {
        await gateway.close();
        await upstream.close();
      }

      const placeholders = conversations.map(({ address, name }) => {
        const own = asked.filter((one) => one.address === address && one.name === name);
        const numbers = own.map(({ tokens }) => `${tokens - 1_000}:`);
        const sent = upstream.received.filter((request) =>
          numbers.some((at) => lastMessage(request).startsWith(`${at} `)),
        );
        expect(sent).to.have.length(ALLOWED);

        return new Set(sent.flatMap(({ bytes }) => bytes.match(/\[WALLET_\w+\]/g) ?? []));
      });
      expect(placeholders.map(({ size }) => size)).to.deep.equal([1, 1]);
      expect([...(placeholders[0] ?? [])]).not.to.deep.equal([...(placeholders[1] ?? [])]);
      for (const { text, status, address } of asked.filter((one) => one.status === 200)) {
        const said = text.startsWith("data:")
          ? [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join("")
          : text;
        expect(status).to.equal(200);
        expect(new Set(said.match(/0x\d{40}/g))).to.deep.equal(new Set([address]));
      }
      const rows = [...chainRows(config.data ?? "")].map(({ record }): InferenceLog => JSON.parse(record));
      expect(rows).to.have.length(asked.length);
      for (const { id, key, status, tokens } of asked) {
        const row = rows.find(({ request_id }) => request_id === id);
        expect(row?.agent_id).to.equal(key === KEY ? "7" : "8");
        expect(row?.input_tokens).to.equal(status === 200 ? tokens : 0);
      }
    });
  }
});
