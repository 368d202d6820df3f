/** Batches of threads that are lost: each signature is judged once, whatever is heard of them, and in what order. */
import { EventEmitter } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { type PublicKey, parsePublicKey } from "../../src/crypto/keys.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { invalidPlaces } from "../../src/parallel/signature-batch.js";
import { SignaturePool } from "../../src/parallel/signature-pool.js";
import type { BatchAnswer, BatchMessage } from "../../src/parallel/signature-worker.js";
import { testKey } from "../support/keys.js";

/** A thread whose work and whose words are drawn from here. */
class FakeWorker extends EventEmitter {
  readonly keys: (PublicKey | null)[] = [];
  readonly inbox: BatchMessage[] = [];
  readonly answers: BatchAnswer[] = [];
  done = 0;
  state: "works" | "fails" | "gone" = "works";

  constructor() {
    super();
    workers.push(this);
  }

  postMessage(message: BatchMessage): void {
    this.inbox.push(message);
  }

  terminate(): Promise<number> {
    this.state = "gone";
    return Promise.resolve(0);
  }

  work(): void {
    const message = this.state === "works" ? this.inbox.shift() : undefined;
    if (message === undefined) return;
    for (const spki of message.newKeys) this.keys.push(parsePublicKey(spki));
    this.answers.push(invalidPlaces(message, this.keys));
    this.done += 1;
    if (this === workers[0] && this.done === failsAfter) this.state = "fails";
  }

  /** Its error may be heard before its last answer, as in Node.js. */
  speak(): void {
    if (this.state === "fails" && (draw() < 0.5 || this.answers.length === 0)) {
      this.state = "gone";
      this.emit("error", new Error("lost"));
      return;
    }
    const answer = this.answers.shift();
    if (answer !== undefined) this.emit("message", answer);
  }
}

const workers: FakeWorker[] = [];
let failsAfter = 1;
let seed = 1;
/** From 0 to 1, by a generator that a seed repeats. */
function draw(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
}

vi.mock("node:worker_threads", () => ({ Worker: FakeWorker }));

const { signer } = testKey("pool", "ED25519");
const message = encodeUtf8("m".repeat(20_000));
const forged = encodeUtf8(`n${"m".repeat(19_999)}`);
const [TOTAL, GOOD] = [256, 100];

async function run(number: number): Promise<readonly number[]> {
  [seed, failsAfter] = [number * 7_919, 1 + (number % 4)];
  workers.length = 0;
  const key = parsePublicKey(signer.publicKey);
  if (key === null) throw new Error("expected a key");
  const signature = await signer.sign(message);
  let isOn = true;
  const loop = (): void => {
    for (const worker of workers) {
      if (draw() < 0.5) worker.work();
      if (draw() < 0.6) worker.speak();
    }
    if (isOn) setImmediate(loop);
  };
  setImmediate(loop);
  const pool = new SignaturePool(2 + (number % 2), () => undefined);
  for (let position = 0; position < TOTAL; position += 1) {
    pool.add(position, key, position < GOOD ? message : forged, signature);
    if (draw() < 0.1) for (const worker of workers) worker.work();
    if (position % 32 === 31) await pool.room(undefined);
  }
  await pool.finish(undefined);
  await pool.end();
  isOn = false;
  return pool.invalid.toSorted((a, b) => a - b);
}

describe("a pool of threads", () => {
  it("loses no signature and judges none twice when a thread is lost, whatever is heard first", async () => {
    const expected = Array.from({ length: TOTAL - GOOD }, (_, index) => GOOD + index);
    for (let number = 1; number <= 40; number += 1) expect(await run(number)).toEqual(expected);
  });
});
