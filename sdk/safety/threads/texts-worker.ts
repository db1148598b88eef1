import { isJson } from "../cut/quoted.ts";
import { unitsOf } from "../cut/units.ts";
import { readText } from "../injection/read.ts";
import { createPiiScanner, type PiiScanner, type PiiScannerOptions } from "../pii/scan.ts";
import { serve } from "./serve.ts";
import type { TextTasks } from "./texts.ts";

/** Scanners whose rules are compiled already. A caller has one or a few. */
const scanners = new Map<string, PiiScanner>();
const MOST_SCANNERS = 16;

function scannerOf(options: PiiScannerOptions): PiiScanner {
  const key = JSON.stringify(options);
  const known = scanners.get(key);
  if (known !== undefined) return known;

  const scanner = createPiiScanner(options);
  if (scanners.size >= MOST_SCANNERS) scanners.clear();
  scanners.set(key, scanner);

  return scanner;
}

serve<TextTasks>({
  read: readText,
  units: unitsOf,
  isJson,
  scan({ text, channel, scanner, ownAddresses, ...known }) {
    const asked = new Set<string>();
    const noting = (digits: readonly string[]) => {
      const set = new Set(digits);

      return {
        has(wanted: string) {
          asked.add(wanted);

          return set.has(wanted);
        },
      };
    };
    const knowledge = {
      ownAddresses,
      knownHashes: noting(known.knownHashes),
      heldWords: noting(known.heldWords),
      heldAddresses: noting(known.heldAddresses),
    };

    return { findings: scannerOf(scanner).scan(text, knowledge, channel), asked: [...asked] };
  },
});
