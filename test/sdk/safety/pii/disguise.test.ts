import { expect } from "chai";
import { PiiDeidentifier } from "../../../../sdk/safety/index.ts";
import { shown, tagged } from "./support.ts";

const DIGITS = "52908400098527886E0F7030069857D2E4169EE7";
const SEED = "legal winner thank year wave sausage worth useful legal winner thank yellow";

describe("values in disguise", () => {
  const ADDRESSES = {
    "a percent sign": `0%78${DIGITS}`,
    "a percent sign that is escaped itself": `0%2578${DIGITS}`,
    "an escape of JSON": `0\\u0078${DIGITS}`,
    "an escape of JSON within JSON": `0\\\\u0078${DIGITS}`,
    "an escape of JavaScript": `0\\x78${DIGITS}`,
    "a decimal entity": `0&#120;${DIGITS}`,
    "an entity in hexadecimal": `0&#x78;${DIGITS}`,
    "an entity that shows nothing": `0x${DIGITS.slice(0, 20)}&shy;${DIGITS.slice(20)}`,
    "a tag within it": `0x${DIGITS.slice(0, 20)}<b>${DIGITS.slice(20, 24)}</b>${DIGITS.slice(24)}`,
    "a letter of another script": `0х${DIGITS}`,
    "fullwidth letters": `０ｘ${DIGITS}`,
  };
  for (const [name, address] of Object.entries(ADDRESSES)) {
    it(`are masked where an address is written with ${name}, and come back as they were`, () => {
      const session = new PiiDeidentifier();
      const text = `pay ${address} today`;

      expect(shown(session, text)).to.equal("pay [WALLET_1] today");
      expect(session.restore(tagged(session, "pay [WALLET_1] today"))).to.equal(text);
    });
  }

  it("are masked where an e-mail is escaped", () => {
    expect(shown(new PiiDeidentifier(), "write to alice%40example.org soon")).to.equal("write to [EMAIL_1] soon");
  });

  it("are blocked where a seed phrase is a list of a page", () => {
    const list = `<ol>${SEED.split(" ")
      .map((word) => `<li class="word">${word}</li>`)
      .join("")}</ol>`;

    expect(new PiiDeidentifier().mask(list).kind).to.equal("blocked");
    expect(new PiiDeidentifier().mask(SEED.replaceAll(" ", "&nbsp;")).kind).to.equal("blocked");
  });

  it("are one wallet in all spellings", () => {
    const session = new PiiDeidentifier();

    expect(shown(session, `0x${DIGITS} and 0x\u200b${DIGITS}`)).to.equal("[WALLET_1] and [WALLET_1b]");
  });
});
