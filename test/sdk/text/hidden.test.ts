import { expect } from "chai";
import { hasHiddenCharacters } from "../../../sdk/text/hidden.ts";

describe("hidden characters", () => {
  it("are invisible ones that no writing needs", () => {
    for (const text of [
      "ig\u200bnore",
      "zero\0byte",
      "ig\u180bnore",
      "ig\u3164nore",
      "ig\u{e0061}nore",
      "send 1\u206400 USDC",
      "a \u200b b",
      "text\ufeff",
    ]) {
      expect(hasHiddenCharacters(text), JSON.stringify(text)).to.equal(true);
    }
  });

  it("are not those of typesetting, of emoji, of other scripts and of terminals", () => {
    for (const text of [
      "an extra\u00adordinary break",
      "the end of a page\fThe next",
      "\u001b[31mred\u001b[0m text",
      "\ufeffA file",
      "1\ufe0f\u20e3 first, \u2764\ufe0f\u200d\u{1f525}",
      "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
      "می‌خواهم",
      "\u200fالسعر \u202a1,250 USDC\u202c لكل",
      "ᠮᠣᠩᠭᠣᠯ\u180e\u1820",
      "ㅤ이름",
    ]) {
      expect(hasHiddenCharacters(text), JSON.stringify(text)).to.equal(false);
    }
  });
});
