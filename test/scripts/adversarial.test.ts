import { expect } from "chai";
import { compareSnapshots } from "../../scripts/adversarial/snapshot.ts";

describe("snapshot of the adversarial suite", () => {
  const before = { known: { MINJA: { rows: 300, passed: 30 } } };
  const now = (passed: number, rows = 300) => compareSnapshots(before, { known: { MINJA: { rows, passed } } });

  it("lets a share fall, stay, and rise by a point", () => {
    for (const passed of [0, 30, 33]) expect(now(passed)).to.deep.equal([]);
  });

  it("names a class of which more passes, by more than a point", () => {
    expect(now(34)).to.deep.equal(["MINJA (known): 30 of 300 passed before, 34 of 300 now."]);
    expect(now(20, 150)).to.have.lengthOf(1);
  });

  it("takes a class that is gone for a rise", () => {
    expect(compareSnapshots(before, { known: {} })).to.have.lengthOf(1);
    expect(compareSnapshots(before, {})).to.have.lengthOf(1);
    expect(now(0, 0)).to.have.lengthOf(1);
  });
});
