import { createServer, type Server } from "node:http";
import { expect } from "chai";
import { createPublicClient, http } from "viem";
import { NodeError, nodeErrorOf } from "../../../sdk/core/node-error.ts";
import { readCage } from "../../../sdk/index.ts";

const CAGE = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

describe("a node that gives no answer", () => {
  const servers: Server[] = [];

  after(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function listen(answer: NonNullable<Parameters<typeof createServer>[1]>): Promise<string> {
    const server = createServer(answer as never);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();

    return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/v2/SECRETKEY`;
  }

  /** What the SDK says of an error that one of its own reads threw. */
  async function askAt(url: string): Promise<NodeError | undefined> {
    const transport = http(url, { retryCount: 0, timeout: 300 });
    const error = await readCage(createPublicClient({ transport }), CAGE).catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(Error);

    return nodeErrorOf(error);
  }

  const answers = (status: number, body: string) => (_: unknown, response: import("node:http").ServerResponse) =>
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  const limit = '{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"daily limit"}}';

  for (const [what, code, answer] of [
    ["HTTP 401", "NODE_KEY_REFUSED", answers(401, "{}")],
    ["HTTP 403", "NODE_KEY_REFUSED", answers(403, "{}")],
    ["HTTP 429", "NODE_LIMIT_REACHED", answers(429, "{}")],
    ["a limit in the answer", "NODE_LIMIT_REACHED", answers(200, limit)],
    ["HTTP 503", "NODE_UNAVAILABLE", answers(503, "{}")],
    ["HTTP 404", "NODE_REFUSED", answers(404, "{}")],
    ["a web page", "NODE_NOT_ETHEREUM", answers(200, "<html>hello</html>")],
    ["silence", "NODE_SILENT", () => undefined],
  ] as const) {
    it(`has the code ${code} for ${what}`, async () => {
      const error = await askAt(await listen(answer as never));

      expect(error).to.be.instanceOf(NodeError).and.to.have.property("code", code);
      expect(error?.message).to.not.contain("SECRETKEY");
      expect(error?.cause).to.be.instanceOf(Error);
    });
  }

  it("has the code NODE_UNREACHABLE where nobody listens", async () => {
    expect(await askAt("http://127.0.0.1:1/v2/SECRETKEY")).to.include({
      code: "NODE_UNREACHABLE",
      message: "No Ethereum node answers at 127.0.0.1:1.",
    });
  });
  it("is not mistaken for one that refuses, nor for somebody else's silence", () => {
    const silence = Object.assign(new Error("The operation timed out."), { name: "TimeoutError" });

    expect(nodeErrorOf(new Error("reverted"))).to.equal(undefined);
    expect(nodeErrorOf(silence)).to.equal(undefined);
    expect(nodeErrorOf("a string")).to.equal(undefined);
  });
});
