import type { Most } from "./audit/account.ts";
import { mostChargeOf, type Price, priceOf } from "./audit/record.ts";
import type { GatewayConfig } from "./config.ts";
import { RequestRefused } from "./errors.ts";
import type { Upstream } from "./http/upstream.ts";
import type { JsonObject } from "./wire/json.ts";
import { read, type Wire } from "./wire/wire.ts";

/** A model that may answer a request. */
export type Route = { model: string; upstream: Upstream; price: Price; mostOutputTokens: number };

/** Tokens of an answer where neither the request nor the configuration bounds them. */
const MOST_OUTPUT = 131_072;

/** Tokens of a picture, of sound or of a file, whose bytes say little about them. */
const OPAQUE_TOKENS = 5_000;

/** Who answers for the model that is asked for, and then for ever cheaper ones. @throws RequestRefused MODEL_UNKNOWN */
export function routesOf(
  { models }: GatewayConfig,
  upstreams: ReadonlyMap<string, Upstream>,
  { wire, model }: { wire: Wire; model: unknown },
): [Route, ...Route[]] {
  const routes: Route[] = [];
  for (let name = model; typeof name === "string" && Object.hasOwn(models, name); name = models[name]?.cheaper) {
    const entry = models[name];
    const upstream = entry && upstreams.get(entry.upstream);
    if (entry === undefined || upstream?.kind !== wire.upstream) break;
    routes.push({
      model: name,
      upstream,
      price: priceOf(entry.price),
      mostOutputTokens: entry.maxOutputTokens ?? MOST_OUTPUT,
    });
  }
  const [first, ...others] = routes;
  if (first === undefined) {
    throw new RequestRefused("MODEL_UNKNOWN", "The model is none of the gateway's.", { place: "model" });
  }

  return [first, ...others];
}

/** The most that a request may cost, with the tokens that it goes on with: no token is shorter than a byte. */
export function mostOf(
  wire: Wire,
  body: JsonObject,
  {
    price,
    mostOutputTokens,
    earlier,
    marginBps,
  }: Pick<Route, "price" | "mostOutputTokens"> & { earlier: number; marginBps: number },
): Most {
  const opaque = wire.requestTexts(body).filter(({ speaker }) => speaker === "opaque");
  const unread = opaque.reduce((sum, slot) => sum + Buffer.byteLength(read(slot)), 0);
  const inputTokens = Buffer.byteLength(JSON.stringify(body)) - unread + opaque.length * OPAQUE_TOKENS + earlier;
  const outputTokens = wire.mostOutput(body) ?? mostOutputTokens;
  const charge = mostChargeOf({ inputTokens, outputTokens }, price, marginBps);

  return {
    usdc: Number(charge.total),
    tokens: inputTokens + outputTokens,
    requests: 1,
    inputTokens,
    outputTokens,
    charge,
  };
}

/** Bytes for which room is made before an answer is asked for: as many as it should have, but no more than a request may. */
export function roomOf(wire: Wire, body: JsonObject, routes: readonly Route[], bodyBytes: number): number {
  const tokens = wire.mostOutput(body) ?? Math.max(...routes.map(({ mostOutputTokens }) => mostOutputTokens));

  return Math.min(bodyBytes, wire.answerBytes(body, tokens));
}
