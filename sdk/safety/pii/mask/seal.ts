import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { z } from "zod";
import { PolicyCageError } from "../../../core/errors.ts";
import type { VaultContents } from "./vault.ts";

/** A vault that cannot be filled, saved or loaded. Never carries what is in it. */
export class VaultError extends PolicyCageError {
  override readonly name = "VaultError";

  constructor(code: keyof typeof SAID, options?: ErrorOptions) {
    super(SAID[code].message, { ...options, code, advice: SAID[code].advice });
  }
}

const SAID = {
  VAULT_FULL: {
    message: "The session's vault has no room for the values of this text.",
    advice: "Split the text, begin a new session, or make its limit larger; what the vault holds stays.",
  },
  VAULT_KEY: {
    message: "The key of a vault is 32 bytes or more.",
    advice: "Pass random bytes from a key store, as a Uint8Array; derive them from a passphrase with scrypt.",
  },
  VAULT_FORKED: {
    message: "Two copies of a session gave one placeholder to two values.",
    advice: "Begin a new session.",
  },
  VAULT_UNREADABLE: {
    message: "These bytes are no vault that this key opens.",
    advice: "Use the key it was saved with, and a copy that nobody changed; without one, begin a new session.",
  },
} as const;

export type SealedContents = { vault: VaultContents; ownAddresses: readonly string[]; knownHashes: readonly string[] };

const CONTENTS = z.object({
  vault: z.object({
    tags: z.array(z.string()),
    counts: z.array(z.tuple([z.string(), z.number()])),
    entries: z.array(z.tuple([z.string(), z.string()])),
    spellings: z.array(z.tuple([z.string(), z.string(), z.number(), z.number()])),
  }),
  ownAddresses: z.array(z.string()),
  knownHashes: z.array(z.string()),
});

const FORMAT = Buffer.from("policycage vault 1\n");
const CIPHER = "aes-256-gcm";
const KEY_LENGTH = 32;
const SALT_LENGTH = 16;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const HEAD_LENGTH = FORMAT.length + SALT_LENGTH + NONCE_LENGTH;

/** Format, salt, nonce, contents under AES-256-GCM, its tag. Each time another key is derived: HKDF-SHA256 over a salt of its own. */
export function seal(contents: SealedContents, key: Uint8Array): Uint8Array {
  const salt = randomBytes(SALT_LENGTH);
  const nonce = randomBytes(NONCE_LENGTH);
  const head = Buffer.concat([FORMAT, salt, nonce]);
  const cipher = createCipheriv(CIPHER, derived(key, salt), nonce).setAAD(head);

  return Buffer.concat([head, cipher.update(JSON.stringify(contents), "utf8"), cipher.final(), cipher.getAuthTag()]);
}

/** @throws VaultError with the same code for another key, a changed vault and bytes that are none: nothing of it is used. */
export function unseal(sealed: Uint8Array, key: Uint8Array): SealedContents {
  const bytes = sealed instanceof Uint8Array ? Buffer.from(sealed) : Buffer.alloc(0);
  const head = bytes.subarray(0, HEAD_LENGTH);
  const derivedKey = derived(key, head.subarray(FORMAT.length, FORMAT.length + SALT_LENGTH));
  try {
    if (bytes.length < HEAD_LENGTH + TAG_LENGTH || !head.subarray(0, FORMAT.length).equals(FORMAT)) {
      throw new RangeError("no vault");
    }
    const decipher = createDecipheriv(CIPHER, derivedKey, head.subarray(-NONCE_LENGTH), { authTagLength: TAG_LENGTH })
      .setAAD(head)
      .setAuthTag(bytes.subarray(-TAG_LENGTH));
    const text = Buffer.concat([decipher.update(bytes.subarray(HEAD_LENGTH, -TAG_LENGTH)), decipher.final()]);

    return CONTENTS.parse(JSON.parse(text.toString("utf8")));
  } catch {
    // What the cause says may quote the contents.
    throw new VaultError("VAULT_UNREADABLE");
  }
}

function derived(key: Uint8Array, salt: Uint8Array): Uint8Array {
  if (!(key instanceof Uint8Array) || key.length < KEY_LENGTH) throw new VaultError("VAULT_KEY");

  return new Uint8Array(hkdfSync("sha256", key, salt, FORMAT, KEY_LENGTH));
}
