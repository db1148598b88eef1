import { createPiiScanner, type PiiScanner } from "../safety/pii/scan.ts";

const SECRET_FIELD =
  /private.?key|secret|mnemonic|seed.?phrase|passw(?:or)?d|passphrase|api.?key|access.?key|session.?(?:key|signer)|(?:id|access|refresh|auth|oidc|bearer).?token|authorization|credential|keystore/i;

let scanner: PiiScanner | undefined;

/** Whether a field of this name holds what must not travel: keys, passwords, tokens. */
export function isSecretField(name: string): boolean {
  return SECRET_FIELD.test(name);
}

/** Whether a text contains a private key, a wallet's seed phrase or an access token: what prompts are blocked for. */
export function containsSecret(text: string): boolean {
  scanner ??= createPiiScanner();

  return scanner.scan(text).some(({ action }) => action === "block");
}
