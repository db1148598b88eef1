export const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

/** A chunk of a chat completion, as OpenAI writes one. */
export function chunk(
  delta: Record<string, unknown>,
  finish: string | null = null,
  extra: Record<string, unknown> = {},
) {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];

  return event({ id: "c1", object: "chat.completion.chunk", created: 1_800_000_000, model: "m", choices, ...extra });
}

/** A chat stream that says these pieces. */
export function chatStream(pieces: readonly string[], extra: Record<string, unknown> = {}): string[] {
  return [
    chunk({ role: "assistant", content: "" }, null, extra),
    ...pieces.map((content) => chunk({ content }, null, extra)),
    chunk({}, "stop", extra),
    "data: [DONE]\n\n",
  ];
}

/** A stream of Anthropic's. */
export function messageStream(
  deltas: readonly Record<string, unknown>[],
  block: Record<string, unknown>,
  stopReason = "end_turn",
): string[] {
  const named = (type: string, value: Record<string, unknown>) => `event: ${type}\n${event({ type, ...value })}`;
  const start = { id: "msg_1", type: "message", role: "assistant", model: "claude-haiku", content: [] };

  return [
    named("message_start", { message: { ...start, stop_reason: null, usage: { input_tokens: 9, output_tokens: 1 } } }),
    named("content_block_start", { index: 0, content_block: block }),
    named("ping", {}),
    ...deltas.map((delta) => named("content_block_delta", { index: 0, delta })),
    named("content_block_stop", { index: 0 }),
    named("message_delta", { delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 7 } }),
    named("message_stop", {}),
  ];
}

let answers = 0;

/** A response as OpenAI writes one. */
export function responseOf(output: readonly Record<string, unknown>[], extra: Record<string, unknown> = {}) {
  answers += 1;

  return {
    id: `resp_${answers}`,
    object: "response",
    created_at: 1_800_000_000,
    status: "completed",
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: "gpt-5-mini",
    output,
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    usage: {
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens: 8,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 28,
    },
    ...extra,
  };
}

export const said = (text: string, id = "msg_1") => ({
  ...{ id, type: "message", status: "completed", role: "assistant" },
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

/** The events of a stream that says a text in these pieces. */
export function streamOf(pieces: readonly string[], more: readonly Record<string, unknown>[] = []): string[] {
  const text = pieces.join("");
  const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
  const calls = more.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item as never] : []));
  const whole = responseOf([said(text), ...calls]);
  const begun = { ...whole, status: "in_progress", output: [], usage: null };
  const events = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    { type: "response.output_item.added", output_index: 0, item: { ...said(""), status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...at, part: said("").content[0] },
    ...pieces.map((delta) => ({ type: "response.output_text.delta", ...at, delta, logprobs: [] })),
    { type: "response.output_text.done", ...at, text, logprobs: [] },
    { type: "response.content_part.done", ...at, part: said(text).content[0] },
    { type: "response.output_item.done", output_index: 0, item: said(text) },
    ...more,
    { type: "response.completed", response: whole },
  ];

  return events.map(
    (event, sequence_number) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
  );
}

export const placeholderIn = (bytes: string, kind: string) =>
  new RegExp(`\\[${kind}_1_\\w{4}\\]`).exec(bytes)?.[0] ?? "none";
