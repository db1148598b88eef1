import { breathing } from "../breath.ts";
import type { Bearing, StatementReader } from "../ports.ts";
import { relateTo, statementsOf } from "./claims/claims.ts";
import { claimReader } from "./claims/remembered.ts";
import { probesOf } from "./probes.ts";

/** Reads statements out of texts by their structure alone. Deterministic; of what it cannot read it says `unrelated`. */
export function statementReader(): StatementReader {
  const read = claimReader();

  return {
    sentencesOf: statementsOf,
    statementsOf: (text) => read(text).map(({ sentence }) => sentence),
    async compare(text, known) {
      const breathe = breathing();
      const claims = read(text);
      const bearings: Bearing[][] = [];
      for (const other of known) {
        await breathe();
        const said = read(other);
        bearings.push(claims.map((claim) => relateTo([claim], said).stance));
      }

      return bearings;
    },
    probesOf: (text, known) => probesOf(read(text), known.map(read)),
  };
}
