/** Puts remembering signature and key checks in the place of the shipped ones, which they call; see remember.ts. */
import { vi } from "vitest";

vi.mock("../../src/crypto/backend-node.js", async (original) => {
  const { remembering } = await import("./remember.js");
  const { backend } = await original<typeof import("../../src/crypto/backend-node.js")>();
  return { backend: remembering(backend) };
});

vi.mock("../../src/crypto/ed25519.js", async (original) => {
  const { rememberingBytes } = await import("./remember.js");
  const actual = await original<typeof import("../../src/crypto/ed25519.js")>();
  return { ...actual, isEd25519Key: rememberingBytes(actual.isEd25519Key) };
});
