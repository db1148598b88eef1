import { BPS } from "../../core/units.ts";
import type { Usage } from "../wire/wire.ts";

export type CompletionStatus = "success" | "error" | "timeout" | "cancelled";

/** One request, in the source's fields. No word of a prompt or an answer is in it. Source: Inference safety, "Audit logging". */
export type InferenceLog = {
  /** ERC-8004 number, in decimals: it has up to 128 bits. */
  agent_id: string;
  request_id: string;
  /** Milliseconds since 1970. */
  timestamp: number;
  input_tokens: number;
  output_tokens: number;
  /** SHA-256 in hex; of nothing where there is none. */
  system_prompt_hash: string;
  routed_model: string;
  routed_provider: string;
  routing_reason: string;
  cache_status: "hash_hit" | "semantic_hit" | "prefix_hit" | "miss";
  optimizations_applied: readonly string[];
  tokens_saved_by_optimization: number;
  /** Micro-USDC, as the two below. */
  provider_cost_usdc: number;
  gateway_margin_usdc: number;
  total_charged_usdc: number;
  latency_ms: number;
  ttft_ms: number;
  completion_status: CompletionStatus;
  compaction_count: number;
  /** From 0 to 1. */
  prompt_cache_hit_rate: number;
};

/** What tokens of a model cost, in micro-USDC a million. */
export type Price = { input: bigint; output: bigint; cachedInput: bigint };

const MILLION = 1_000_000n;

/** Micro-USDC, rounded up. */
export function costOf(
  { inputTokens, outputTokens, cachedTokens }: Usage,
  { input, output, cachedInput }: Price,
): bigint {
  const cached = Math.min(cachedTokens, inputTokens);
  const total = BigInt(inputTokens - cached) * input + BigInt(cached) * cachedInput + BigInt(outputTokens) * output;

  return (total + MILLION - 1n) / MILLION;
}

/** The gateway's own part of a cost, rounded up. */
export function marginOf(cost: bigint, marginBps: number): bigint {
  return (cost * BigInt(marginBps) + BPS - 1n) / BPS;
}

/** What is paid for a request: the provider's part, the gateway's, and both. Micro-USDC. */
export function chargeOf(usage: Usage, price: Price, marginBps: number) {
  const cost = costOf(usage, price);
  const margin = marginOf(cost, marginBps);

  return { cost, margin, total: cost + margin };
}
