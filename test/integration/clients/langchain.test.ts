import { ChatAnthropic } from "@langchain/anthropic";
import { type AIMessage, type AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { expect } from "chai";
import { z } from "zod";
import { agentProvider } from "../../sdk/gateway/support/agent.ts";
import { configFor, KEY, startGateway, type TestGateway } from "../../sdk/gateway/support/gateway.ts";
import { openUpstream, type TestUpstream } from "../../sdk/gateway/support/upstream.ts";
import { ADDRESS, PHRASE } from "../../sdk/safety/pipeline/support.ts";

const IMAGE = Buffer.from(Array.from({ length: 600 }, (_, at) => (at * 89) % 256)).toString("base64");
const PAY = z.object({ to: z.string(), amount: z.number() });

describe("the gateway, for LangChain", () => {
  let upstream: TestUpstream;
  let gateway: TestGateway;
  let models: Record<string, ChatOpenAI | ChatAnthropic>;

  before(async () => {
    upstream = await openUpstream(agentProvider);
    gateway = await startGateway(configFor(upstream.url));
    const configuration = { baseURL: `${gateway.url}/v1` };
    const openai = { model: "gpt-5-mini", apiKey: KEY, maxRetries: 0, configuration };
    models = {
      chat: new ChatOpenAI(openai),
      responses: new ChatOpenAI({ ...openai, useResponsesApi: true }),
      messages: new ChatAnthropic({
        ...{ model: "claude-haiku", apiKey: KEY, maxRetries: 0, maxTokens: 100, anthropicApiUrl: gateway.url },
      }),
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

  function modelOf(name: string) {
    const model = models[name];
    if (model === undefined) throw new Error("no model");

    return model;
  }

  for (const name of ["chat", "responses", "messages"]) {
    it(`uses tools with the real address, streamed and not: ${name}`, async () => {
      const pay = tool(async ({ to }) => `Paid ${to}`, { name: "pay", description: `Such as ${ADDRESS}`, schema: PAY });
      const model = modelOf(name).bindTools([pay]);
      const question = new HumanMessage(`Pay 1 USDC to ${ADDRESS}`);
      const called = (await model.invoke([question])) as AIMessage;
      expect(called.tool_calls?.map(({ args }) => args)).to.deep.equal([{ to: ADDRESS, amount: 1 }]);
      const result = new ToolMessage({ content: `Paid ${ADDRESS}`, tool_call_id: called.tool_calls?.[0]?.id ?? "" });
      const answer = (await model.invoke([question, called, result])) as AIMessage;
      expect(answer.text).to.equal(`Paid ${ADDRESS}, [1].`);

      let whole: AIMessageChunk | undefined;
      for await (const chunk of await model.stream([question])) {
        whole = whole === undefined ? (chunk as AIMessageChunk) : whole.concat(chunk as AIMessageChunk);
      }
      expect(whole?.tool_calls?.map(({ args }) => args)).to.deep.equal([{ to: ADDRESS, amount: 1 }]);
    });

    it(`reads JSON and shows images: ${name}`, async () => {
      const model = modelOf(name).withStructuredOutput(PAY, { name: "pay" });
      const image = { type: "image_url", image_url: { url: `data:image/png;base64,${IMAGE}` } };
      const text = { type: "text", text: `Whom does this picture of ${ADDRESS} show?` };
      const found = await model.invoke([new HumanMessage({ content: [text, image] })]);

      expect(found).to.deep.equal({ to: ADDRESS, amount: 1 });
      expect(upstream.received[0]?.bytes).to.contain(IMAGE);
    });

    it(`says why a request is refused: ${name}`, async () => {
      const error = await modelOf(name)
        .invoke([new HumanMessage(PHRASE)])
        .catch((thrown: unknown) => thrown);

      expect(error).to.be.instanceOf(Error).and.to.have.property("status", 400);
      expect(String(error)).to.contain("SEED_PHRASE").and.not.to.contain("winner");
      expect(upstream.received).to.have.length(0);
    });

    it(`gives errors of the provider as they are, and their codes: ${name}`, async () => {
      for (const status of [429, 500]) {
        const failure = { message: `It says ${status}`, type: "a_kind", code: "a_code" };
        upstream.play(() => ({
          ...{ status, headers: { "retry-after": "7" } },
          body: JSON.stringify({ type: "error", error: failure }),
        }));
        const error = await modelOf(name)
          .invoke([new HumanMessage(`Pay ${ADDRESS}`)])
          .catch((thrown: unknown) => thrown);

        expect(error).to.be.instanceOf(Error).and.to.have.property("status", status);
        expect(String(error)).to.contain(`It says ${status}`);
        expect(upstream.received).to.have.length(1);
      }
    });
  }
});
