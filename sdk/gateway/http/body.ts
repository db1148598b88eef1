import type { IncomingMessage } from "node:http";
import { RequestRefused } from "../errors.ts";
import { isObject, type JsonObject, parseExactly } from "../wire/json.ts";
import type { Share } from "./capacity.ts";

/** What a request says, with its bytes. */
export type Body = { bytes: Buffer; value: JsonObject };

/** @throws RequestRefused BODY_TOO_LARGE, OVER_CAPACITY, BODY_MALFORMED */
export async function readBody(request: IncomingMessage, most: number, share: Share): Promise<Body> {
  const tooLarge = () => new RequestRefused("BODY_TOO_LARGE", `The request has more than ${most} bytes.`);
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > most) throw tooLarge();
  share.take(announced);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw tooLarge();
    if (size > announced) share.take(Math.min(chunk.length, size - announced));
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const value = parseExactly(text);
    if (isObject(value)) return { bytes, value };
  } catch {
    // What a parser says quotes the request.
  }
  throw new RequestRefused("BODY_MALFORMED", "The request is not a JSON object in UTF-8 in which every name is new.");
}
