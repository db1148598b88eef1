import { PolicyCageError } from "../core/errors.ts";
import type { GuardVerdict } from "../safety/guards/verdict.ts";
import type { PiiDeidentifier, RestoreOptions } from "../safety/pii/mask/deidentifier.ts";
import type { SafetyPipeline } from "../safety/pipeline/pipeline.ts";
import { type ScreenedText, screenToolResult, type ToolScreening } from "../safety/pipeline/tool-result.ts";
import type { Critique } from "./critique.ts";
import type { DrawdownWatch } from "./drawdown/watch.ts";
import type { Proposal } from "./evaluate/proposal.ts";
import type { Capability } from "./gate/capability.ts";
import type { TradeGate } from "./gate/gate.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** What a tool does with its arguments: whatever is no tool of the table is refused. */
export type ToolUse = {
  /** Which arguments are hashes, by their path: their placeholders of 32 bytes are put back. None where it is left out. */
  restores?: RestoreOptions["restores"];
  /** Where results come from: "document" for what is read rather than answered. Default "tool". */
  channel?: "tool" | "document";
} & (
  | /** Looks, and changes nothing. */ { kind: "read"; judge?: (args: Arguments) => GuardVerdict }
  /** Changes something besides the account: its guard says what of it is allowed. Refused in degraded mode. */
  | { kind: "write"; judge: (args: Arguments) => GuardVerdict }
  /** Proposes to the account: carried out by `gate.perform` with the capability, and by nothing else. */
  | { kind: "trade"; propose: (args: Arguments) => Proposal | Promise<Proposal> }
);

/** What a loop does with a tool call: run it with these arguments, or show the model this text in place of a result. */
export type ToolCallVerdict =
  | { kind: "allowed"; args: Arguments; trade?: { capability: Capability<Proposal>; proposal: Proposal } }
  | {
      kind: "refused";
      code: string;
      message: string;
      advice: string;
      critique: readonly Critique[];
      /** For the model: why, and the bounds, so that it can do better on its next turn. */
      text: ScreenedText;
    };

export type ToolHooks = {
  /** Before a tool runs: puts values back into its arguments, has them judged, and mints the capability of a trade. Never throws. */
  toolCall(call: { tool: string; args: unknown }): Promise<ToolCallVerdict>;
  /** After it ran, and before a model sees anything of it. Never throws. */
  toolResult(result: { tool: string; result: unknown; signal?: AbortSignal }): Promise<ToolScreening>;
};

export type ToolHooksOptions = {
  /** Every tool that the agent has. */
  tools: Readonly<Record<string, ToolUse>>;
  gate: TradeGate;
  drawdown: DrawdownWatch;
  pipeline: SafetyPipeline;
  /** Whose placeholders the model sees. */
  session: PiiDeidentifier;
};

/** The two places of an agent's loop where it meets the world, for any loop: before a tool is run, and behind it. */
export function createToolHooks({ tools, gate, drawdown, pipeline, session }: ToolHooksOptions): ToolHooks {
  const uses = new Map(Object.entries(tools));

  async function judge(tool: string, asked: unknown): Promise<ToolCallVerdict> {
    const use = uses.get(tool);
    if (use === undefined) {
      return refused("UNKNOWN_TOOL", "There is no such tool.", "Call a tool of the list, by its name.");
    }
    if (typeof asked !== "object" || asked === null || Array.isArray(asked)) {
      return refused("BAD_ARGUMENTS", "The arguments are no object.", "Call the tool with named arguments.");
    }
    const { restores = [] } = use;
    const { value: args, unknown } = session.restoreValue(asked as Arguments, { restores });
    if (unknown.length > 0 && use.kind !== "read") {
      const advice = "Use values as they stand in this conversation, letter by letter.";

      return refused("UNKNOWN_PLACEHOLDER", `These stand for nothing here: ${unknown.join(", ")}.`, advice);
    }
    if (use.kind !== "read") drawdown.requireWritable();
    if (use.kind !== "trade") {
      const verdict = use.judge?.(args) ?? { kind: "allowed" };
      if (verdict.kind !== "allowed") return refused(verdict.code, verdict.reason, verdict.advice);

      return { kind: "allowed", args };
    }

    const proposal = await use.propose(args);
    const validation = await gate.validate(proposal);
    if (validation.kind === "refused") {
      const { code, message, advice, critique } = validation;

      return refused(code, message, advice, critique);
    }

    return { kind: "allowed", args, trade: { capability: validation.capability, proposal } };
  }

  /** What is said of a refusal may quote what the agent asked for: it goes to the model as everything else does, masked. */
  function refused(
    code: string,
    message: string,
    advice: string,
    critique: readonly Critique[] = [],
  ): Extract<ToolCallVerdict, { kind: "refused" }> {
    const said = `${message} ${advice}${critique.map(boundOf).join("")}`;
    const masked = maskedOr(session, said, advice);

    return { kind: "refused", code, message, advice, critique, text: `[Refused: ${code}] ${masked}` as ScreenedText };
  }

  return {
    async toolCall({ tool, args }) {
      try {
        return await judge(tool, args);
      } catch (error) {
        const own = error instanceof PolicyCageError ? error : undefined;

        return refused(
          own?.code ?? "TOOL_CALL_FAILED",
          own?.message ?? "The call could not be judged.",
          own?.advice ?? "Call the tool with arguments as its schema names them.",
        );
      }
    },
    toolResult({ tool, result, signal }) {
      const channel = uses.get(tool)?.channel ?? "tool";

      return screenToolResult({ pipeline, tool, result, session, channel, ...(signal !== undefined && { signal }) });
    },
  };
}

function boundOf({ code, bound }: Critique): string {
  if (bound === undefined) return "";
  const { value, atMost, atLeast, unit } = bound;

  return ` ${code}: ${value} ${unit}, ${atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`}.`;
}

function maskedOr(session: PiiDeidentifier, text: string, instead: string): string {
  try {
    const masked = session.mask(text, "tool");

    return masked.kind === "masked" ? masked.text : instead;
  } catch {
    return instead;
  }
}
