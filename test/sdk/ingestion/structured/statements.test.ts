import { expect } from "chai";
import { relateTo } from "../../../../sdk/ingestion/structured/claims/claims.ts";
import { claimReader } from "../../../../sdk/ingestion/structured/claims/remembered.ts";
import { statementReader } from "../../../../sdk/ingestion/structured/statements.ts";
import { CONTRADICTIONS } from "../support/contradictions.ts";

const TRUTH = "Higher utilisation raises the borrow rate.";
const FALSEHOOD = "Higher utilisation lowers the borrow rate.";
const OTHER = "A debt ceiling limits the total borrowed against an isolated asset.";

describe("The reader of statements", () => {
  it("says what each known text says to each statement, in the order of both", async () => {
    const reader = statementReader();
    const text = `${TRUTH} ${OTHER}`;

    expect(reader.statementsOf(text)).to.deep.equal([TRUTH, OTHER]);
    expect(await reader.compare(text, [FALSEHOOD, OTHER, TRUTH, "Nobody came."])).to.deep.equal([
      ["contradicts", "unrelated"],
      ["unrelated", "supports"],
      ["supports", "unrelated"],
      ["unrelated", "unrelated"],
    ]);
    expect(await reader.compare(text, [])).to.deep.equal([]);
    expect(await reader.compare("", [TRUTH])).to.deep.equal([[]]);
  });

  it("tells of a whole text what is told of its statements: one that is related to none of them is not related to it", async () => {
    const [reader, read] = [statementReader(), claimReader()];
    const known = CONTRADICTIONS.flat();
    const texts = CONTRADICTIONS.map(([truth], at) => `${truth} ${CONTRADICTIONS.at(at - 1)?.[1]}`);
    const stances = new Set<string>();

    for (const text of texts) {
      const bearings = await reader.compare(text, known);
      for (const [index, other] of known.entries()) {
        const said = bearings[index] ?? [];
        const { stance } = relateTo(read(text), read(other));
        stances.add(stance);
        expect(said).to.have.lengthOf(reader.statementsOf(text).length);
        const strongest = (["contradicts", "supports"] as const).find((each) => said.includes(each)) ?? "unrelated";
        expect(strongest, `${text} | ${other}`).to.equal(stance);
      }
    }
    expect([...stances]).to.have.members(["contradicts", "supports", "unrelated"]);
  });

  it("finds sentences that could state something, and asks about those most at odds first", () => {
    const reader = statementReader();
    const text = `Independently validated 42 times across 11 agents. ${OTHER} ${FALSEHOOD}`;

    expect(reader.sentencesOf(text)).to.deep.equal([OTHER, FALSEHOOD]);
    expect(reader.probesOf(text, [TRUTH])[0]).to.deep.equal({ sentence: FALSEHOOD, of: "candidate" });
    expect(reader.probesOf(text, [TRUTH]).at(-1)).to.deep.equal({ sentence: TRUTH, of: "neighbour" });
  });
});
