import { open } from "node:fs/promises";
import process from "node:process";

/** The text of a file, or of standard input for "-"; or one sentence that says why there is none. */
export async function read(file: string, largestBytes: number): Promise<string | { problem: string }> {
  const name = file === "-" ? "standard input" : file;
  try {
    const bytes = file === "-" ? await readStream(process.stdin, largestBytes) : await readFile(file, largestBytes);
    if (bytes === undefined) {
      return { problem: `${name} is larger than ${largestBytes / 1_000_000} MB: split it and screen the parts.` };
    }

    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return { problem: `${name} is not text in UTF-8.` };

    return { problem: whyUnreadable(name, error) };
  }
}

async function readFile(file: string, largestBytes: number): Promise<Uint8Array | undefined> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();

    return size > largestBytes ? undefined : await handle.readFile();
  } finally {
    await handle.close();
  }
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
