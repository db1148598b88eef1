import { expect } from "chai";
import { DAY_MS } from "../../../sdk/core/units.ts";
import { Sessions } from "../../../sdk/gateway/sessions.ts";

describe("the gateway's conversations", () => {
  it("are the same by their name, for one key, until they have been idle for too long", () => {
    let now = 0;
    const sessions = new Sessions([], { perKey: 10, idleMs: DAY_MS }, () => now);
    const first = sessions.named("a", "x");
    now += DAY_MS - 1;
    expect(sessions.named("a", "x")).to.equal(first);
    expect(sessions.named("b", "x")).not.to.equal(first);
    now += DAY_MS - 1;
    expect(sessions.named("a", "x")).to.equal(first);
    now += DAY_MS;
    expect(sessions.named("a", "x")).not.to.equal(first);
  });

  it("are as many as a key may have, the latest used, and no key ends another's", () => {
    const sessions = new Sessions([], { perKey: 6_000, idleMs: DAY_MS });
    const small = sessions.named("small", "x");
    const first = sessions.named("a", "0");
    const second = sessions.named("a", "1");
    for (let index = 2; index < 6_000; index += 1) sessions.named("a", String(index));
    expect(sessions.named("a", "0")).to.equal(first);
    sessions.named("a", "6000");
    expect(sessions.named("a", "0")).to.equal(first);
    expect(sessions.named("a", "1")).not.to.equal(second);

    // Ten thousand are kept in all: beyond them the key that has most loses its own.
    for (let index = 0; index < 5_000; index += 1) sessions.named("b", String(index));
    expect(sessions.named("small", "x")).to.equal(small);
    expect(sessions.named("a", "0")).to.equal(first);
    expect(sessions.named("b", "4999")).to.equal(sessions.named("b", "4999"));
  });

  it("refuse to hold more than one conversation may", () => {
    const { deidentifier } = new Sessions([], { perKey: 1, idleMs: DAY_MS }).named("a", "x");
    const addresses = (from: number) =>
      Array.from({ length: 8_000 }, (_, index) => `0x${(from + index).toString(16).padStart(8, "0").repeat(5)}`);
    const say = (from: number) => deidentifier.mask(addresses(from).join("\n"));

    expect(say(0x11111111).kind).to.equal("masked");
    expect(() => say(0x22222222))
      .to.throw()
      .with.property("code", "VAULT_FULL");
  });
});
