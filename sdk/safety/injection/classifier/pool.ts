import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { PolicyCageError } from "../../../core/errors.ts";
import { requireText } from "../../../text/text.ts";
import type { Channel } from "./classifier.ts";

/** What a worker needs to load its model. */
export type WorkerModel = {
  readonly kind: "lite" | "deberta";
  /** The one of `policycage-models` when undefined. */
  readonly manifest: string | undefined;
};

export type WorkerJob = {
  readonly id: number;
  readonly text: string;
  readonly channel: Channel;
  /** One flag; not 0 means that nobody waits for the answer. */
  readonly cancelled: Int32Array;
};

export type WorkerReply =
  | { readonly id: number; readonly score: number }
  | { readonly id: number; readonly failure: string; readonly advice?: string };

type Pending = {
  resolve(score: number): void;
  reject(cause: Error): void;
};

type Member = {
  readonly worker: Worker;
  readonly pending: Map<number, Pending>;
};

/** Failure to load or run a model. */
class ClassifierError extends PolicyCageError {
  override readonly name = "ClassifierError";

  constructor(message: string, { advice, cause }: { advice?: string | undefined; cause?: unknown } = {}) {
    super(message, {
      code: "CLASSIFIER_UNAVAILABLE",
      advice: advice ?? "Check that the model's files are there and unchanged, then create the classifier anew.",
      cause,
    });
  }
}

/** Where the worker's file is: beside this one, as source or compiled. A bundler takes the one and leaves the other behind. */
function workerFile(): URL {
  const here: string | undefined = import.meta.url;
  if (here !== undefined) {
    const file = new URL(`./worker.${here.endsWith(".ts") ? "ts" : "js"}`, here);
    if (file.protocol === "file:" && existsSync(file)) return file;
  }
  throw new ClassifierError("The classifier's worker is not beside the code that starts it: policycage was bundled.", {
    advice: "Leave policycage out of the bundle (esbuild: --external:policycage), and install it beside it.",
  });
}

/** Worker threads that hold a model each, started when first needed. They keep the process alive only while work is pending. */
export class WorkerPool {
  readonly #model: WorkerModel;
  readonly #size: number;
  #members: Member[] = [];
  #nextId = 0;
  #isClosed = false;

  constructor(model: WorkerModel, size: number) {
    this.#model = model;
    this.#size = size;
  }

  /** Scores a text on the least busy worker. Rejects with ClassifierError, NotTextError, or with the signal's reason. */
  async score(text: string, channel: Channel, signal?: AbortSignal): Promise<number> {
    if (this.#isClosed) throw new ClassifierError("The classifier is closed");
    requireText(text);
    signal?.throwIfAborted();
    const member = this.#idlest();
    const id = this.#nextId++;
    const cancelled = new Int32Array(new SharedArrayBuffer(4));

    return await new Promise<number>((resolve, reject) => {
      const abort = () => {
        Atomics.store(cancelled, 0, 1);
        settle();
        reject(signal?.reason);
      };
      const settle = () => {
        signal?.removeEventListener("abort", abort);
        member.pending.delete(id);
        if (member.pending.size === 0) member.worker.unref();
      };
      member.pending.set(id, {
        resolve: (score) => {
          settle();
          resolve(score);
        },
        reject: (cause) => {
          settle();
          reject(cause);
        },
      });
      signal?.addEventListener("abort", abort, { once: true });
      member.worker.ref();
      member.worker.postMessage({ id, text, channel, cancelled } satisfies WorkerJob);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#members.map(({ worker }) => worker.terminate()));
  }

  #idlest(): Member {
    const idlest = [...this.#members].sort((a, b) => a.pending.size - b.pending.size)[0];
    if (idlest !== undefined && (idlest.pending.size === 0 || this.#members.length >= this.#size)) return idlest;

    return this.#start();
  }

  #start(): Member {
    const worker = new Worker(workerFile(), { workerData: this.#model });
    const member: Member = { worker, pending: new Map() };
    worker.on("message", (reply: WorkerReply) => {
      const pending = member.pending.get(reply.id);
      if ("score" in reply) pending?.resolve(reply.score);
      else pending?.reject(new ClassifierError(reply.failure, { advice: reply.advice }));
    });
    const fail = (cause: Error) => {
      this.#members = this.#members.filter((other) => other !== member);
      for (const pending of [...member.pending.values()]) pending.reject(cause);
    };
    worker.on("error", (cause) =>
      fail(new ClassifierError(`The classifier's worker failed: ${String(cause)}`, { cause })),
    );
    worker.on("exit", () => fail(new ClassifierError("The classifier's worker ended")));
    worker.unref();
    this.#members.push(member);

    return member;
  }
}
