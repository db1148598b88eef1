import { availableParallelism } from "node:os";
import { requireText } from "../../text/text.ts";
import type { Units } from "../cut/units.ts";
import type { Channel } from "../injection/classifier/classifier.ts";
import type { TextReading } from "../injection/read.ts";
import type { HexKnowledge } from "../pii/rules/chain/hex.ts";
import type { PiiFinding } from "../pii/rules/rules.ts";
import type { PiiScannerOptions } from "../pii/scan.ts";
import { fileBeside, ThreadError, WorkerPool } from "./pool.ts";

/** What is asked of a text by itself. Nothing of it stays in the thread. */
export type TextTasks = {
  /** Patterns of injection, and what a classifier is to be asked about. */
  read: { input: string; output: TextReading };
  /** The parts that can be withheld. */
  units: { input: string; output: Units };
  isJson: { input: string; output: boolean };
  /** What the rules for keys and personal data find, and which hex digits they wanted to know more of. */
  scan: { input: ScanInput; output: { findings: PiiFinding[]; asked: readonly string[] } };
};

type ScanInput = Pick<HexKnowledge, "ownAddresses"> & {
  readonly [What in "knownHashes" | "heldWords" | "heldAddresses"]: readonly string[];
} & {
  readonly text: string;
  readonly channel: Channel;
  /** What makes the scanner anew. */
  readonly scanner: PiiScannerOptions;
};

const CREW = {
  // Half of the cores for each lane: the caller's own thread needs one, too.
  size: Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2))),
  mayBeKilled: true,
  subject: "The scan",
  code: "SCAN_FAILED",
};

/** Threads belong to the machine: all detectors and pipelines of a process share these, which end with the last of them. */
let shared: WorkerPool<TextTasks> | undefined;
let users = 0;

/** What looks at texts in threads of their own, so that a long text holds up nobody, and a deadline ends it. */
export class TextThreads {
  #pool: WorkerPool<TextTasks> | undefined;
  #isClosed = false;

  /**
   * Reads or scans a text. Rejects with ThreadError, with the signal's reason, and with NotTextError.
   */
  async run<Name extends keyof TextTasks>(
    name: Name,
    input: TextTasks[Name]["input"],
    signal?: AbortSignal,
  ): Promise<TextTasks[Name]["output"]> {
    if (this.#isClosed) throw new ThreadError("The scan is closed.", { code: CREW.code });
    const { length } = requireText(typeof input === "string" ? input : input.text);

    return await this.#open().run(name, input, { length, signal });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#pool === undefined) return;
    this.#pool = undefined;
    users -= 1;
    if (users > 0) return;
    const last = shared;
    shared = undefined;
    await last?.close();
  }

  #open(): WorkerPool<TextTasks> {
    if (this.#pool === undefined) {
      shared ??= new WorkerPool({ ...CREW, file: () => fileBeside(import.meta.url, "texts-worker", CREW) });
      users += 1;
      this.#pool = shared;
    }

    return this.#pool;
  }
}
