import { createHash } from "node:crypto";
import type { EventSink } from "../../core/events.ts";
import { RequestRefused } from "../errors.ts";
import type { Usage } from "../wire/wire.ts";
import type { AuditLog } from "./log.ts";
import { type CompletionStatus, costOf, type InferenceLog, marginOf, type Price } from "./record.ts";

type Accounting = {
  log: AuditLog;
  emit: EventSink;
  marginBps: number;
  clock: () => number;
  requestId: string;
  agentId: string;
};

/** What one request comes to: filled in while it is answered, and written down once, whatever becomes of it. */
export class Account {
  readonly #of: Accounting;
  readonly #begun: number;
  #firstByte: number | undefined;
  #usage: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  #price: Price = { input: 0n, output: 0n, cachedInput: 0n };
  #isOver = false;
  model = "";
  provider = "";
  systemPrompt = "";

  /** @throws RequestRefused AUDIT_UNAVAILABLE where nothing can be written down */
  constructor(of: Accounting) {
    this.#of = of;
    this.#begun = of.clock();
    this.#written(() => of.log.begin(this.#record("error")));
  }

  price(price: Price): void {
    this.#price = price;
  }

  /** The answer begins. */
  firstByte(): void {
    this.#firstByte ??= this.#of.clock();
  }

  use(usage: Partial<Usage>): void {
    this.#usage = { ...this.#usage, ...usage };
  }

  /** Writes the row and tells of it; only the first time counts. @throws RequestRefused AUDIT_UNAVAILABLE */
  finish(status: CompletionStatus): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const record = this.#record(status);
    const { emit, log, requestId, agentId } = this.#of;
    emit({
      type: "InferenceCompleted",
      requestId,
      agentId: BigInt(agentId),
      model: record.routed_model,
      completionStatus: status,
      inputTokens: record.input_tokens,
      outputTokens: record.output_tokens,
      totalChargedUsdc: BigInt(record.total_charged_usdc),
      latencyMs: record.latency_ms,
    });
    this.#written(() => log.finish(record));
  }

  #written(work: () => void): void {
    try {
      work();
    } catch (cause) {
      throw new RequestRefused("AUDIT_UNAVAILABLE", "The audit log cannot be written.", { cause });
    }
  }

  #record(status: CompletionStatus): InferenceLog {
    const { agentId, requestId, clock, marginBps } = this.#of;
    const { inputTokens, outputTokens, cachedTokens } = this.#usage;
    const cost = costOf(this.#usage, this.#price);
    const margin = marginOf(cost, marginBps);
    const latency = Math.max(0, Math.round(clock() - this.#begun));
    const first = this.#firstByte === undefined ? latency : Math.max(0, Math.round(this.#firstByte - this.#begun));

    return {
      agent_id: agentId,
      request_id: requestId,
      timestamp: Math.round(this.#begun),
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      system_prompt_hash: createHash("sha256").update(this.systemPrompt).digest("hex"),
      routed_model: this.model,
      routed_provider: this.provider,
      routing_reason: this.model === "" ? "none" : "requested",
      cache_status: cachedTokens > 0 ? "prefix_hit" : "miss",
      optimizations_applied: [],
      tokens_saved_by_optimization: 0,
      provider_cost_usdc: Number(cost),
      gateway_margin_usdc: Number(margin),
      total_charged_usdc: Number(cost + margin),
      latency_ms: latency,
      ttft_ms: first,
      completion_status: status,
      compaction_count: 0,
      prompt_cache_hit_rate: inputTokens === 0 ? 0 : Math.min(1, cachedTokens / inputTokens),
    };
  }
}
