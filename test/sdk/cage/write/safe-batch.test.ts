import { expect } from "chai";
import { safeBatch, safeChecksum } from "../../../../sdk/cage/write/safe-batch.ts";

const ADDRESS = "0x49d4450977E2c95362C13D3a31a09311E0Ea26A6";

/** The file and the checksum of the app's own test: apps/tx-builder/src/lib/checksum.test.ts */
const published = {
  version: "1.0",
  chainId: "4",
  createdAt: 1646321521061,
  meta: {
    name: "test batch file",
    txBuilderVersion: "1.4.0",
    checksum: "",
    createdFromSafeAddress: "0xDF8a1Ce35c9a6ACE153B4e0767942f1E2291a1Aa",
    createdFromOwnerAddress: ADDRESS,
  },
  transactions: [
    {
      to: ADDRESS,
      value: "0",
      contractMethod: {
        inputs: [{ internalType: "address", name: "paramAddress", type: "address" }],
        name: "testAddress",
        payable: false,
      },
      contractInputsValues: { paramAddress: ADDRESS },
    },
    {
      to: ADDRESS,
      value: "0",
      contractMethod: {
        inputs: [{ internalType: "bool", name: "paramBool", type: "bool" }],
        name: "testBool",
        payable: false,
      },
      contractInputsValues: { paramAddress: "", paramBool: "false" },
    },
    {
      to: ADDRESS,
      value: "2000000000000000000",
      data: "0x42f4579000000000000000000000000049d4450977e2c95362c13d3a31a09311e0ea26a6",
    },
  ],
};

describe("a file for Safe's Transaction Builder", () => {
  it("has the checksum of the app's own vector", () => {
    expect(safeChecksum(published)).to.equal("0x86c81826dbf7e8a37612153294cc85fdf5c81998dd0a44b86d945502a7eace7c");
  });

  it("does not depend on the order of what it holds, and changes with every call", () => {
    const { meta, ...rest } = published;
    const reversed = Object.fromEntries(Object.entries({ ...rest, meta }).reverse());

    expect(safeChecksum({ ...reversed, meta })).to.equal(safeChecksum(published));
    const [first, ...others] = published.transactions;
    const edited = { ...published, transactions: [{ ...first, value: "1" }, ...others] };
    expect(safeChecksum(edited)).not.to.equal(safeChecksum(published));
  });

  it("holds calls as the app wants them: values as text, no method where there is calldata", () => {
    const calls = [{ to: ADDRESS, data: "0x42f45790", value: 2n ** 70n }] as const;

    const file = safeBatch({ chainId: 8_453, createdAt: 1_700_000_000_000, name: "a name", description: "", calls });

    expect(file).to.deep.include({ version: "1.0", chainId: "8453", createdAt: 1_700_000_000_000 });
    expect(file.transactions).to.deep.equal([
      {
        to: ADDRESS,
        value: "1180591620717411303424",
        data: "0x42f45790",
        contractMethod: null,
        contractInputsValues: null,
      },
    ]);
    expect(file.meta.checksum).to.equal(safeChecksum(file));
  });
});
