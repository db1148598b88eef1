import { crc32, deflateRawSync, gzipSync } from "node:zlib";

/** One thing in an archive. `type` is tar's type flag, `mode` the Unix mode of a zip. */
export type Item = {
  name: string | Buffer;
  content?: Buffer | string;
  type?: string;
  mode?: number;
  linkTo?: string;
  /** A size to declare in place of the true one. */
  declaredSize?: number;
  isEncrypted?: boolean;
};

const BLOCK = 512;
/** Thousands of files in one archive are empty. */
const NOTHING = deflateRawSync("");

function bytesOf(content: Buffer | string | undefined): Buffer {
  return typeof content === "string" ? Buffer.from(content) : (content ?? Buffer.alloc(0));
}

/** A tar of exactly these items, however wrong they are. */
export function tar(items: readonly Item[], { hasEnd = true } = {}): Buffer {
  const parts: Buffer[] = [];
  for (const { name, content, type = "0", linkTo = "", declaredSize } of items) {
    const body = bytesOf(content);
    const header = Buffer.alloc(BLOCK);
    Buffer.from(name).copy(header, 0, 0, 100);
    header.write("0000644\0", 100);
    header.write("0000000\0", 108);
    header.write("0000000\0", 116);
    header.write(`${(declaredSize ?? body.length).toString(8).padStart(11, "0")}\0`, 124);
    header.write("00000000000\0", 136);
    header.write("        ", 148);
    header.write(type, 156);
    header.write(linkTo, 157);
    header.write("ustar\x0000", 257, "latin1");
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    parts.push(header, body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK));
  }
  if (hasEnd) parts.push(Buffer.alloc(2 * BLOCK));

  return Buffer.concat(parts);
}

export function tarGz(items: readonly Item[]): Buffer {
  return gzipSync(tar(items));
}

/** A zip of exactly these items, however wrong they are. */
export function zip(items: readonly Item[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, mode = 0o100644, declaredSize, isEncrypted } of items) {
    const nameBytes = Buffer.from(name);
    const body = bytesOf(content);
    const packed = body.length === 0 ? NOTHING : deflateRawSync(body);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(isEncrypted ? 1 : 0, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(body), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(declaredSize ?? body.length, 18);
    common.writeUInt16LE(nameBytes.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, nameBytes, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x03"), common, rest, nameBytes]));
    files.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(items.length, 4);
  end.writeUInt16LE(items.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);

  return Buffer.concat([...files, central, Buffer.from("PK\x05\x06"), end]);
}
