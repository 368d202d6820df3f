/** Figures of what does not exist yet: the line-oriented form of a bundle, and worker threads. */

const STREAMING = "waits for the streaming form";

export const twoThreads = {
  name: "two-threads",
  title: "verify 100,000 receipts on two threads: times faster than on one, wall",
  unit: "x",
  better: "higher",
  target: 1.8,
  waits: "waits for worker threads",
};

export const streamingGrowth = {
  name: "streaming-growth",
  title: "streaming form: time per receipt at 1,000,000 over 10,000",
  unit: "x",
  target: 1.1,
  waits: STREAMING,
};

export const streamingMemory = {
  name: "streaming-memory",
  title: "streaming form: peak memory at 1,000,000 receipts, one thread",
  unit: "MB",
  target: 256,
  waits: STREAMING,
};

export const streamingMemoryOfTwo = {
  name: "streaming-memory-two",
  title: "streaming form: peak memory at 1,000,000 receipts, two threads",
  unit: "MB",
  target: 400,
  waits: STREAMING,
};
