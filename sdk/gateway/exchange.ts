import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { EventSink } from "../core/events.ts";
import { usdc } from "../core/units.ts";
import type { Account } from "./audit/account.ts";
import { type GatewayConfig, limitsOf } from "./config.ts";
import { RequestRefused, refusalOf } from "./errors.ts";
import { readBody } from "./http/body.ts";
import type { Share } from "./http/capacity.ts";
import type { Caller } from "./http/keys.ts";
import { readWhole, type Upstream } from "./http/upstream.ts";
import { screenAnswer } from "./screen/answer.ts";
import { InjectionRefused, screenRequest, type Warnings } from "./screen/request.ts";
import type { Screens } from "./screen/screens.ts";
import type { Session, Sessions } from "./sessions.ts";
import { passStream } from "./stream/stream.ts";
import { read, type Usage, type Wire } from "./wire/wire.ts";

/** What every request is answered with. */
export type Parts = {
  config: GatewayConfig;
  upstreams: ReadonlyMap<string, Upstream>;
  sessions: Sessions;
  screens: Screens;
  emit: EventSink;
};

export type Exchange = {
  requestId: string;
  caller: Caller;
  wire: Wire;
  request: IncomingMessage;
  response: ServerResponse;
  account: Account;
  /** Of the bytes that are held at once. */
  share: Share;
  /** Fires when the client is gone or the gateway stops. */
  signal: AbortSignal;
};

/** Screens a request, sends it on, screens the answer and gives it back. @throws RequestRefused before a byte of the answer is sent */
export async function exchange(
  parts: Parts,
  { requestId, caller, wire, request, response, account, share, signal }: Exchange,
) {
  const { config, screens, sessions, emit } = parts;
  const body = await readBody(request, limitsOf(config.limits).bodyBytes, share);
  checkNames(Object.keys(body.value), [...wire.names, ...(config.fields ?? [])]);
  const { upstream, model, price } = routeOf(parts, wire, body.value.model);
  account.model = model;
  account.provider = upstream.name;
  account.price(price);
  const session = sessionOf(sessions, caller, requestId, request.headers["x-bardo-session"]);
  const tell = (action: "block" | "warn", place: "request" | "answer" | "stream", confidence: number) =>
    emit({ type: "InjectionDetected", requestId, agentId: BigInt(caller.agentId), action, place, confidence });

  account.systemPrompt = wire
    .requestTexts(body.value)
    .flatMap((slot) => (slot.speaker === "system" ? [read(slot)] : []))
    .join("\n");
  const screened = await screenRequest({
    screens,
    wire,
    body: body.value,
    session,
    userMessages: config.userMessages ?? "user",
    signal,
  }).catch((error: unknown) => {
    if (error instanceof InjectionRefused) tell("block", "request", error.confidence);
    throw error;
  });
  if (screened.warnings.injection !== undefined) tell("warn", "request", screened.warnings.injection);

  const isStreamed = screened.body.stream === true;
  const hidesUsage = isStreamed && wire.askForUsage(screened.body);
  const sent = screened.isChanged || hidesUsage ? JSON.stringify(screened.body) : body.bytes;
  const answer = await upstream.ask({
    wire,
    headers: request.headers,
    body: sent,
    idempotencyKey: idempotencyKeyOf(caller, request.headers["idempotency-key"], sent),
    signal,
  });
  if (answer.isStream) {
    if (!isStreamed) throw new RequestRefused("UPSTREAM_MALFORMED", "The upstream streams what was asked for whole.");
    response.writeHead(answer.status, { ...answer.headers, ...warningHeaders(screened.warnings) });
    const onInjection = (confidence: number) => tell("warn", "stream", confidence);
    const pieces = timed(answer.pieces, account);
    const onUsage = (usage: Partial<Usage>) => account.use(usage);
    try {
      await passStream({
        wire,
        session,
        screens,
        pieces,
        response,
        hidesUsage,
        signal,
        onInjection,
        onUsage,
      });
    } catch (error) {
      // The client is gone: nobody is to be told.
      if (signal.aborted) throw error;
      const refusal = refusalOf(error);
      account.finish(refusal.code === "UPSTREAM_TIMEOUT" ? "timeout" : "error");
      const { status, code, message, advice, place } = refusal;
      const failure = wire.failure({ status, code: code.toLowerCase(), message: `${message} ${advice}`, place });
      response.write(wire.streamFailure(failure));
    }
    account.finish("success");
    response.end();
    return;
  }
  const bytes = await readWhole({ ...answer, pieces: timed(answer.pieces, account) }, share);
  const given = await screenAnswer({
    wire,
    status: answer.status,
    bytes,
    session,
    screens,
    signal,
    onUsage: (usage) => account.use(usage),
  });
  if (given.warnings.injection !== undefined) tell("warn", "answer", given.warnings.injection);
  // Before a byte of the answer: what was answered is always written down.
  account.finish(answer.status < 400 ? "success" : "error");
  response.writeHead(answer.status, {
    ...answer.headers,
    "content-length": given.body.length,
    ...warningHeaders({
      injection: screened.warnings.injection ?? given.warnings.injection,
      pii: new Set([...screened.warnings.pii, ...given.warnings.pii]),
    }),
  });
  response.end(given.body);
}

/** @throws RequestRefused FIELD_REFUSED for a name that an upstream may read, and may follow elsewhere, and the gateway does not know */
function checkNames(names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new RequestRefused("FIELD_REFUSED", "The request has a field that the gateway does not know.", {
    ...(/^[a-z_]{1,40}$/.test(unknown) && { place: unknown }),
  });
}

/** Who answers for a model, and for how much. @throws RequestRefused MODEL_UNKNOWN */
function routeOf({ config, upstreams }: Parts, wire: Wire, model: unknown) {
  const entry = typeof model === "string" && Object.hasOwn(config.models, model) ? config.models[model] : undefined;
  const upstream = entry === undefined ? undefined : upstreams.get(entry.upstream);
  if (typeof model !== "string" || entry === undefined || upstream?.kind !== wire.upstream) {
    throw new RequestRefused("MODEL_UNKNOWN", "The model is none of the gateway's.", { place: "model" });
  }
  const { input, output, cachedInput = input } = entry.price;

  return { upstream, model, price: { input: usdc(input), output: usdc(output), cachedInput: usdc(cachedInput) } };
}

/**
 * The client's key for requests that are sent once more, bound to who it is and to what is sent: under a plain one, a provider that knows
 * the gateway as one customer would give an agent what it has answered another.
 */
function idempotencyKeyOf({ key, agentId }: Caller, own: unknown, body: Buffer | string): string | undefined {
  if (typeof own !== "string") return undefined;

  return createHash("sha256").update(`${key}\n${agentId}\n${own}\n`).update(body).digest("hex");
}

/** The pieces of an answer; the account is told of the first. */
async function* timed(pieces: AsyncIterable<Uint8Array>, account: Account): AsyncIterable<Uint8Array> {
  for await (const piece of pieces) {
    account.firstByte();
    yield piece;
  }
}

function sessionOf(sessions: Sessions, caller: Caller, requestId: string, name: unknown): Session {
  if (name === undefined) return sessions.once(requestId);
  if (typeof name !== "string" || !/^[\w.:-]{1,200}$/.test(name)) {
    throw new RequestRefused("HEADER_MALFORMED", "X-Bardo-Session is malformed.");
  }

  return sessions.named(caller.key, name);
}

function warningHeaders({ injection, pii }: Warnings): Record<string, string> {
  return {
    ...(injection === undefined ? {} : { "X-Bardo-Injection-Warning": "possible" }),
    ...(pii.size === 0 ? {} : { "X-Bardo-PII-Warning": [...pii].join(", ") }),
  };
}
