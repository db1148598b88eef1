import { expect } from "chai";
import { relate } from "../../../../sdk/ingestion/structured/claims/claims.ts";
import { isEpisode } from "../../../../sdk/ingestion/structured/claims/relating/episode.ts";

describe("What happened once", () => {
  for (const sentence of [
    "Daily volume rose from 6 to 42 million dollars.",
    "Realised volatility of ETH was 30% that month.",
    "The pool is 60% USDT today.",
    "The position earned 2% in fees.",
  ]) {
    it(`is told by "${sentence}"`, () => expect(isEpisode(sentence)).to.equal(true));
  }

  for (const sentence of [
    "The base fee is burned and is not paid to the block proposer.",
    "Borrow rates rise with utilisation.",
    "A flash loan must be repaid in the same transaction.",
    "Fees have been paid out to holders.",
  ]) {
    it(`is not told by "${sentence}"`, () => expect(isEpisode(sentence)).to.equal(false));
  }

  it("contradicts neither another day nor a rule by its figures or direction", () => {
    expect(relate("Utilisation of the pool was 80%.", "Utilisation of the pool was 89%.").stance).to.not.equal(
      "contradicts",
    );
    expect(
      relate("Higher utilisation lowered the borrow rate last week.", "Higher utilisation raises the borrow rate.")
        .stance,
    ).to.not.equal("contradicts");
    expect(
      relate("Higher utilisation lowers the borrow rate.", "Higher utilisation raises the borrow rate.").stance,
    ).to.equal("contradicts");
  });
});
