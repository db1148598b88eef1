import { chatStream, chunk, messageStream, placeholderIn, responseOf, said, streamOf } from "./streams.ts";
import { completion, message, type Recorded } from "./upstream.ts";

/** What a provider says: a call of the tool `pay`, or a text. */
type Reply = { call: string } | { text: string };

/** In pieces of three characters, so that placeholders are cut everywhere. */
const pieces = (text: string) => text.match(/.{1,3}/gs) ?? [];

/**
 * A provider of all three protocols: it calls the tool that it is given, then says whom it paid; where it is asked for JSON it writes this. It
 * knows the address that it is told as whatever stands there.
 */
export function agentProvider({ path, bytes, body }: Recorded) {
  const reply = replyTo(bytes, body);
  if (path.endsWith("/messages"))
    return body.stream === true ? { body: streamedMessage(reply) } : { body: whole(reply) };
  if (path.endsWith("/responses")) {
    return body.stream === true
      ? { body: streamedResponse(reply) }
      : { body: JSON.stringify(responseOf([itemOf(reply)])) };
  }

  return body.stream === true ? { body: streamedChat(reply) } : { body: completion(chatMessage(reply)) };
}

function replyTo(bytes: string, body: Record<string, unknown>): Reply {
  const wallet = placeholderIn(bytes, "WALLET");
  const pay = JSON.stringify({ to: wallet, amount: 1 });
  const isJson = /"(json_object|json_schema)"/.test(bytes);
  const hasResult = /"role":"tool"|"tool_result"|"function_call_output"/.test(bytes);
  const isForced = /"tool_choice":\{"type":"(tool|function|any)"/.test(bytes);
  if (Array.isArray(body.tools) && body.tools.length > 0 && (isForced || !hasResult)) return { call: pay };

  return { text: isJson ? pay : `Paid ${wallet}, [1].` };
}

function chatMessage(reply: Reply): Record<string, unknown> {
  if ("text" in reply) return { content: reply.text };
  const call = { id: "c1", type: "function", function: { name: "pay", arguments: reply.call } };

  return { content: null, tool_calls: [call] };
}

function streamedChat(reply: Reply): string[] {
  if ("text" in reply) return chatStream(pieces(reply.text));
  const call = (more: Record<string, unknown>, part: string) =>
    chunk({ tool_calls: [{ index: 0, ...more, function: { ...("id" in more && { name: "pay" }), arguments: part } }] });

  return [
    chunk({ role: "assistant", content: null }),
    call({ id: "c1", type: "function" }, ""),
    ...pieces(reply.call).map((part) => call({}, part)),
    chunk({}, "tool_calls"),
    "data: [DONE]\n\n",
  ];
}

function whole(reply: Reply): string {
  if ("text" in reply) return message([{ type: "text", text: reply.text }]);

  return message([{ type: "tool_use", id: "c1", name: "pay", input: JSON.parse(reply.call) }], "tool_use");
}

function streamedMessage(reply: Reply): string[] {
  if ("text" in reply) {
    return messageStream(
      pieces(reply.text).map((text) => ({ type: "text_delta", text })),
      { type: "text", text: "" },
    );
  }

  return messageStream(
    pieces(reply.call).map((partial_json) => ({ type: "input_json_delta", partial_json })),
    { type: "tool_use", id: "c1", name: "pay", input: {} },
    "tool_use",
  );
}

function itemOf(reply: Reply): Record<string, unknown> {
  if ("text" in reply) return said(reply.text);

  return {
    ...{ id: "fc_1", type: "function_call", status: "completed", call_id: "c1", name: "pay" },
    arguments: reply.call,
  };
}

function streamedResponse(reply: Reply): string[] {
  if ("text" in reply) return streamOf(pieces(reply.text));
  const call = itemOf(reply);
  const at = { item_id: "fc_1", output_index: 1 };

  return streamOf(
    ["."],
    [
      { type: "response.output_item.added", output_index: 1, item: { ...call, status: "in_progress", arguments: "" } },
      ...pieces(reply.call).map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta })),
      { type: "response.function_call_arguments.done", ...at, name: "pay", arguments: reply.call },
      { type: "response.output_item.done", output_index: 1, item: call },
    ],
  );
}
