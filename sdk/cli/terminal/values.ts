import * as OxAddress from "ox/Address";
import type { Address, Hex } from "viem";
import { usdc } from "../../core/units.ts";
import { BadInput } from "./failure.ts";

/** At most so much of what was typed is said back. */
function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** @param what What the address is of: "--owner". */
export function parseAddress(text: string, what: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) {
    throw new BadInput(`${what} is "${shown(text)}", which is not an address: 0x and 40 hex digits.`);
  }
  const checksummed = OxAddress.checksum(text);
  if (checksummed === text) return checksummed;
  if (/^0x([0-9a-f]{40}|[0-9A-F]{40})$/.test(text)) {
    throw new BadInput(`${what} is ${text}, without a checksum: if it is right, write ${checksummed}.`);
  }
  throw new BadInput(
    `${what} is ${text}, whose checksum is wrong: copy it again. Only if it is right, it is ${checksummed}.`,
  );
}

export function parseDollars(text: string, what: string): bigint {
  try {
    return usdc(text.replaceAll(/[$,_]/g, ""));
  } catch (cause) {
    throw new BadInput(`${what} is "${shown(text)}", which is not an amount of USDC, such as 1500 or 0.25.`, { cause });
  }
}

/** Base units of an amount as people write it: "1,500.25". More digits than the asset has are refused, never cut. */
export function parseAmount(text: string, decimals: number, what: string): bigint {
  const match = /^(\d{1,60})(?:\.(\d+))?$/.exec(text.replaceAll(/[,_]/g, ""));
  const [, whole = "", fraction = ""] = match ?? [];
  if (match === null) throw new BadInput(`${what} is "${shown(text)}", which is not an amount, such as 1500 or 0.25.`);
  if (fraction.length > decimals) throw new BadInput(`${what} has more than the ${decimals} decimals of the asset.`);

  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

const UNITS: Record<string, number> = { s: 1, min: 60, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Seconds of "90s", "30min", "12h", "7d" or "2w". */
export function parseDuration(text: string, what: string): bigint {
  const match = /^(\d{1,6})\s*(s|min|m|h|d|w)$/.exec(text);
  const unit = UNITS[match?.[2] ?? ""];
  if (match === null || unit === undefined || Number(match[1]) === 0) {
    throw new BadInput(
      `${what} is "${shown(text)}", which is not a time: a number with s, min, h, d or w, such as 12h.`,
    );
  }

  return BigInt(match[1] ?? 0) * BigInt(unit);
}

/** 32 bytes. */
export function parseHash(text: string, what: string): Hex {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) {
    throw new BadInput(`${what} is "${shown(text)}", which is not a hash: 0x and 64 hex digits.`);
  }

  return text as Hex;
}

export function parseHex(text: string, what: string): Hex {
  if (!/^0x([0-9a-fA-F]{2})*$/.test(text)) {
    throw new BadInput(`${what} is "${shown(text)}", which is not hex data: 0x and an even number of hex digits.`);
  }

  return text as Hex;
}

export function parseSalt(text: string): Hex {
  const digits = parseHex(text, "--salt").slice(2);
  if (digits.length > 64) throw new BadInput("--salt has more than 32 bytes.");

  return `0x${digits.padStart(64, "0")}`;
}

export function parseWhole(text: string, what: string, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    throw new BadInput(`${what} is "${shown(text)}", which is not a whole number from ${min} to ${max}.`);
  }

  return value;
}
