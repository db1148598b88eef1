import { validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";

const SECRET_FIELD =
  /private.?key|secret|mnemonic|seed.?phrase|passw(?:or)?d|passphrase|api.?key|access.?key|session.?(?:key|signer)|(?:id|access|refresh|auth|oidc|bearer).?token|authorization|credential|keystore/i;

const SECRET_SHAPES = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/,
  // JSON Web Tokens, as OIDC and session signers use them
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/,
  // Extended private keys
  /\b[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,}/,
  /\b(?:sk|rk|pk)[-_](?:live|test|ant|proj|or)?[-_]?[\w-]{20,}/,
  /\bgh[pousr]_\w{30,}/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bxox[abeprs]-[\w-]{10,}/,
  /\bbearer\s{1,3}[\w.~+/-]{20,}/i,
  // 32 bytes of hex are often a hash; with such a word before them they are a key
  /\b(?:private|priv|secret|signing|signer|session|wallet)[\s_-]{0,3}key\b.{0,40}?\b(?:0x)?[0-9a-f]{64}\b/is,
];

const WORDS = new Set(wordlist);
const MNEMONIC_LENGTHS = [24, 21, 18, 15, 12];

/** Whether a field of this name holds what must not travel: keys, passwords, tokens. */
export function isSecretField(name: string): boolean {
  return SECRET_FIELD.test(name);
}

/** Whether a text contains a private key, a wallet's seed phrase (BIP-39, checksum and all) or an access token. */
export function containsSecret(text: string): boolean {
  return SECRET_SHAPES.some((shape) => shape.test(text)) || containsMnemonic(text);
}

function containsMnemonic(text: string): boolean {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  let run: string[] = [];
  for (const word of [...words, ""]) {
    if (WORDS.has(word)) {
      run.push(word);
      continue;
    }
    if (isMnemonicInside(run)) return true;
    run = [];
  }

  return false;
}

function isMnemonicInside(run: readonly string[]): boolean {
  return MNEMONIC_LENGTHS.some((length) =>
    run.some(
      (_, from) => from + length <= run.length && validateMnemonic(run.slice(from, from + length).join(" "), wordlist),
    ),
  );
}
