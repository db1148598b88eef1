import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { APICallError, generateText, isStepCount, type LanguageModel, Output, streamText, tool } from "ai";
import { expect } from "chai";
import { z } from "zod";
import { agentProvider } from "../../sdk/gateway/support/agent.ts";
import { configFor, KEY, startGateway, type TestGateway } from "../../sdk/gateway/support/gateway.ts";
import { openUpstream, type TestUpstream } from "../../sdk/gateway/support/upstream.ts";
import { ADDRESS, PHRASE } from "../../sdk/safety/pipeline/support.ts";

const IMAGE = Buffer.from(Array.from({ length: 600 }, (_, at) => (at * 89) % 256)).toString("base64");

describe("the gateway, for the Vercel AI SDK", () => {
  let upstream: TestUpstream;
  let gateway: TestGateway;
  let models: Record<string, LanguageModel>;

  before(async () => {
    upstream = await openUpstream(agentProvider);
    gateway = await startGateway(configFor(upstream.url));
    const openai = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: KEY });
    const anthropic = createAnthropic({ baseURL: `${gateway.url}/v1`, apiKey: KEY });
    models = {
      chat: openai.chat("gpt-5-mini"),
      responses: openai.responses("gpt-5-mini"),
      messages: anthropic("claude-haiku"),
    };
  });

  after(async () => {
    await gateway?.close();
    await upstream.close();
  });

  beforeEach(() => upstream.play(agentProvider));

  afterEach(() => {
    for (const { bytes, headers } of upstream.received) {
      expect(bytes + JSON.stringify(headers))
        .not.to.contain(ADDRESS)
        .and.not.to.contain(KEY);
      expect(bytes).not.to.contain("winner");
    }
  });

  /** The options of a request, and whom its tool paid. */
  function asking(model: LanguageModel | undefined) {
    if (model === undefined) throw new Error("no model");
    const paid: unknown[] = [];
    const pay = tool({
      description: `Pays an address, such as ${ADDRESS}`,
      inputSchema: z.object({ to: z.string(), amount: z.number() }),
      execute: async (input) => {
        paid.push(input.to);
        return { paid: input.to };
      },
    });

    return { paid, model, tools: { pay }, options: { model, maxRetries: 0, maxOutputTokens: 100 } };
  }

  for (const name of ["chat", "responses", "messages"]) {
    it(`uses tools with the real address, streamed and not: ${name}`, async () => {
      const { paid, tools, options } = asking(models[name]);
      const asked = { ...options, tools, prompt: `Pay 1 USDC to ${ADDRESS}`, stopWhen: isStepCount(3) };
      const { text } = await generateText(asked);
      const stream = streamText(asked);
      let pieces = "";
      for await (const piece of stream.textStream) pieces += piece;

      expect(paid).to.deep.equal([ADDRESS, ADDRESS]);
      expect(text).to.equal(`Paid ${ADDRESS}, [1].`);
      expect(pieces.replace(/^\./, "")).to.equal(text);
      expect(upstream.received).to.have.length(4);
    });

    it(`reads JSON and shows images: ${name}`, async () => {
      const { options } = asking(models[name]);
      const { output } = await generateText({
        ...options,
        output: Output.object({ schema: z.object({ to: z.string(), amount: z.number() }) }),
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: `Whom does this picture of ${ADDRESS} show?` },
              { type: "file", data: IMAGE, mediaType: "image/png" },
            ],
          },
        ],
      });

      expect(output).to.deep.equal({ to: ADDRESS, amount: 1 });
      expect(upstream.received[0]?.bytes).to.contain(IMAGE);
    });

    it(`says why a request is refused, and gives errors of the provider as they are: ${name}`, async () => {
      const { options } = asking(models[name]);
      const failure = async (prompt: string) =>
        await generateText({ ...options, prompt }).catch((error: unknown) => error);
      const refused = await failure(PHRASE);
      expect(refused).to.be.instanceOf(APICallError).and.to.have.property("statusCode", 400);
      expect(String((refused as APICallError).responseBody)).to.contain("pii_blocked");
      expect(upstream.received).to.have.length(0);
      const body = '{"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}';
      upstream.play(() => ({ status: 429, body }));
      const limited = await failure("Hello");
      expect(limited).to.include({ statusCode: 429, responseBody: body });
      upstream.play(() => ({ body: agentAnswering(name, PHRASE) }));
      expect(await failure("What is it?")).to.have.property("statusCode", 502);
    });
  }

  /** An answer of a protocol that says this. */
  function agentAnswering(name: string, text: string): string {
    const path = { chat: "/chat/completions", responses: "/responses", messages: "/messages" }[name] ?? "";
    const { body } = agentProvider({ path, headers: {}, bytes: "", body: {} });

    return String(body).replace("Paid none, [1].", text);
  }
});
