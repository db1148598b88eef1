import { expect } from "chai";
import { compareSnapshots } from "../../scripts/adversarial/snapshot.ts";

describe("snapshot of the adversarial suite", () => {
  const before = { known: { MINJA: { rows: 300, passed: 30, honest: 300, stopped: 60 } } };
  const now = (passed: number, rows = 300, stopped = 60) =>
    compareSnapshots(before, { known: { MINJA: { rows, passed, honest: 300, stopped } } });

  it("lets a share fall, stay, and rise by a point", () => {
    for (const passed of [0, 30, 33]) expect(now(passed)).to.deep.equal([]);
  });

  it("names a class of which more passes, by more than a point", () => {
    expect(now(34)).to.deep.equal(["MINJA (known): 30 of 300 passed before, 34 of 300 now."]);
    expect(now(20, 150)).to.have.lengthOf(1);
  });

  it("names a class of which more that is honest is stopped, by more than a point", () => {
    for (const stopped of [0, 60, 63]) expect(now(30, 300, stopped)).to.deep.equal([]);
    expect(now(30, 300, 64)).to.deep.equal([
      "MINJA (known): 60 of 300 honest ones were stopped before, 64 of 300 now.",
    ]);
  });

  it("lets neither one that holds everything pass, nor one that passes everything", () => {
    expect(now(0, 300, 300)).to.have.lengthOf(1);
    expect(now(300, 300, 0)).to.have.lengthOf(1);
  });

  it("asks for a record of honest ones where there is none", () => {
    const old = { known: { MINJA: { rows: 300, passed: 30 } } } as unknown as typeof before;

    expect(compareSnapshots(old, before)).to.have.lengthOf(1);
  });

  it("takes a class that is gone for a rise", () => {
    expect(compareSnapshots(before, { known: {} })).to.have.lengthOf(1);
    expect(compareSnapshots(before, {})).to.have.lengthOf(1);
    expect(now(0, 0)).to.have.lengthOf(1);
  });
});
