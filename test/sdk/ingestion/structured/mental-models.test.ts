import { expect } from "chai";
import { z } from "zod";
import models from "../../../../sdk/ingestion/judge/mental-models.json" with { type: "json" };

const AREAS = [
  "amm",
  "bridge",
  "flash_loan",
  "gas",
  "governance",
  "lending",
  "mev",
  "operation",
  "option",
  "oracle",
  "perp",
  "risk",
  "security",
  "stablecoin",
  "staking",
  "token",
  "yield",
] as const;

const RELATIONS = [
  "increases",
  "decreases",
  "ambiguous",
  "requires",
  "excludes",
  "causes",
  "does_not_cause",
  "pays",
  "equals",
  "bounded_by",
  "can",
  "can_not",
  "is",
] as const;

const sentence = z
  .string()
  .max(400)
  .regex(/^\S.*\S[.!?]$/, "a sentence without spaces around it, with its full stop")
  .refine((text) => text === text.normalize("NFC") && !/ {2}/.test(text), "normalised, single spaces");
const phrases = z.array(z.string().min(1).max(80)).min(1);

const relation = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "kebab-case"),
  area: z.enum(AREAS),
  statement: sentence,
  subject: phrases,
  object: phrases,
  relation: z.enum(RELATIONS),
  source: z.strictObject({ title: z.string().min(3), url: z.url({ protocol: /^https$/ }) }),
  consistent: z.array(sentence).min(3),
  conflicting: z.array(sentence).min(4),
});

/** The text as a careless copy would still match it. */
function folded(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function repeated(texts: readonly string[]): string[] {
  const seen = new Set<string>();

  return texts.filter((text) => seen.size === seen.add(folded(text)).size);
}

describe("The relations of DeFi mechanics that knowledge is checked against", () => {
  it("have the shape that is promised", () => {
    const parsed = z.array(relation).min(40).safeParse(models);

    expect(parsed.error?.issues ?? []).to.deep.equal([]);
  });

  it("have an identity each and are grouped by area", () => {
    const areas = models.map((model) => model.area);

    expect(repeated(models.map((model) => model.id))).to.deep.equal([]);
    expect(areas).to.deep.equal(areas.toSorted());
  });

  it("cover every area", () => {
    expect([...new Set(models.map((model) => model.area))]).to.deep.equal([...AREAS]);
  });

  it("never call one sentence both true and false, nor say one twice", () => {
    const sentences = models.flatMap((model) => [model.statement, ...model.consistent, ...model.conflicting]);

    expect(repeated(sentences)).to.deep.equal([]);
  });

  it("name no phrase twice for one side of a relation", () => {
    const twice = models.filter((model) => repeated(model.subject).length + repeated(model.object).length > 0);

    expect(twice.map((model) => model.id)).to.deep.equal([]);
  });
});
