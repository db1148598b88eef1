import { sha256 } from "@noble/hashes/sha2.js";
import { base58, bech32, bech32m, createBase58check } from "@scure/base";

const base58check = createBase58check(sha256);

/** The payload of a base58 string with checksum, or undefined. */
export function decodeBase58Check(text: string): Uint8Array | undefined {
  try {
    return base58check.decode(text);
  } catch {
    return undefined;
  }
}

/** Whether a base58 string holds exactly `length` bytes. */
export function isBase58Of(text: string, length: number): boolean {
  try {
    return base58.decode(text).length === length;
  } catch {
    return false;
  }
}

/** BIP-173 and BIP-350: version 0 takes the checksum of the first, later versions that of the second. */
export function isSegwitAddress(text: string): boolean {
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) return false;
  const address = text.toLowerCase();
  for (const coder of [bech32, bech32m]) {
    try {
      const { words } = coder.decode(address as `${string}1${string}`, 90);
      const [version, ...data] = words;
      if (version === undefined || version > 16 || (version === 0) !== (coder === bech32)) continue;
      const program = coder.fromWords(data);
      if (version === 0) return program.length === 20 || program.length === 32;
      return program.length >= 2 && program.length <= 40;
    } catch {
      // Not this coder's checksum.
    }
  }

  return false;
}

/** ISO/IEC 7812-1, over a string of digits. */
export function hasLuhnDigit(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    const doubled = digit * 2;
    sum += index % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }

  return sum % 10 === 0;
}

/** ISO 7064 MOD 97-10, over an IBAN without spaces. */
export function hasIbanCheckDigits(iban: string): boolean {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    if (Number.isNaN(value)) return false;
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }

  return remainder === 1;
}
