/**
 * Answers of signature and key checks, remembered by everything they depend on. The sweep asks about the same few
 * hundred signatures some hundred thousand times; each is still checked by the shipped code the first time.
 */
import type { Backend } from "../../src/crypto/backend.js";

const decoder = new TextDecoder("latin1");

export function remembering(backend: Backend): Backend {
  const remember = (check: Backend["verifyP256"]): Backend["verifyP256"] => {
    const known = new Map<string, boolean>();
    return (key, message, signature) => {
      const parts = [decoder.decode(key.spki), decoder.decode(signature), backend.sha256Hex(message)];
      const question = parts.join("|");
      const answer = known.get(question) ?? check(key, message, signature);
      known.set(question, answer);
      return answer;
    };
  };
  return {
    ...backend,
    verifyP256: remember(backend.verifyP256),
    verifyEd25519: remember(backend.verifyEd25519),
  };
}

export function rememberingBytes(check: (bytes: Uint8Array) => boolean): (bytes: Uint8Array) => boolean {
  const known = new Map<string, boolean>();
  return (bytes) => {
    const question = decoder.decode(bytes);
    const answer = known.get(question) ?? check(bytes);
    known.set(question, answer);
    return answer;
  };
}
