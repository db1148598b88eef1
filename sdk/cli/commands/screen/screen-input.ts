import { createReadStream } from "node:fs";
import process from "node:process";
import { BadInput } from "../../terminal/failure.ts";

/**
 * The text of a file, or of standard input for "-".
 * @throws {BadInput} in one sentence why there is none.
 */
export async function read(file: string, largestBytes: number): Promise<string> {
  const name = file === "-" ? "standard input" : file;
  const bytes = await bytesOf(file, largestBytes).catch((cause: unknown) => {
    throw new BadInput(whyUnreadable(name, cause), { cause });
  });
  if (bytes === undefined) {
    throw new BadInput(`${name} is larger than ${largestBytes / 1_000_000} MB: split it and screen the parts.`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new BadInput(`${name} is not text in UTF-8.`, { cause });
  }
}

/** Read to the limit and no further: what a file says of its size need not be so, and a device says nothing. */
function bytesOf(file: string, largestBytes: number): Promise<Uint8Array | undefined> {
  return readStream(file === "-" ? process.stdin : createReadStream(file), largestBytes);
}

async function readStream(stream: AsyncIterable<unknown>, largestBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > largestBytes) return undefined;
    chunks.push(bytes);
  }

  return Buffer.concat(chunks);
}

function whyUnreadable(name: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return `${name} does not exist.`;
  if (code === "EISDIR") return `${name} is a directory: name a file.`;
  if (code === "EACCES" || code === "EPERM") return `${name} may not be read by this user.`;

  return `${name} could not be read${code === undefined ? "" : ` (${String(code)})`}.`;
}
