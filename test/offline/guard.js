/**
 * What offline means, as code: after `arm()`, every way out of the process that JavaScript has throws and is written
 * down, and so does every read of a clock or of randomness. Throwing alone would not do: the verifier turns an
 * unexpected exception into a rejection, so what counts is the list.
 */
import { createRequire, syncBuiltinESMExports } from "node:module";

const require = createRequire(import.meta.url);

/** Modules of which everything is forbidden. */
const CLOSED = [
  "net",
  "dns",
  "dns/promises",
  "http",
  "http2",
  "https",
  "tls",
  "dgram",
  "child_process",
  "cluster",
  "inspector",
  "fs",
  "fs/promises",
  "worker_threads",
  "timers",
  "timers/promises",
];

/** Functions of other modules that give randomness. */
const RANDOM = [
  "randomBytes",
  "randomFillSync",
  "randomFill",
  "randomInt",
  "randomUUID",
  "getRandomValues",
  "generateKeyPairSync",
  "sign",
  "createSign",
];

/** Everything that was touched after `arm()`. */
export const touched = [];

function trap(holder, name, label) {
  if (typeof holder[name] !== "function") return;
  const refuse = function refuse() {
    touched.push(label);
    throw new Error(`${label} is not to be used`);
  };
  try {
    Object.defineProperty(holder, name, { value: refuse, configurable: true, writable: true });
  } catch {
    // A member that cannot be changed cannot be guarded; unshare and the permission model still hold.
  }
}

/** Closes everything, and gives the one function that a caller still needs: `fs.writeSync`, to say what came of it. */
export function arm() {
  const { writeSync } = require("node:fs");
  // Node.js makes its error stream, a socket, when it first needs it: for itself, and not behind our back.
  void process.stderr;
  require("node:assert");
  for (const name of CLOSED) {
    const module = require(`node:${name}`);
    for (const member of Object.keys(module)) trap(module, member, `${name}.${member}`);
  }
  const crypto = require("node:crypto");
  for (const member of RANDOM) trap(crypto, member, `crypto.${member}`);
  trap(crypto.webcrypto, "getRandomValues", "webcrypto.getRandomValues");
  trap(process, "hrtime", "process.hrtime");
  trap(process, "uptime", "process.uptime");
  trap(process, "binding", "process.binding");
  for (const name of [
    "fetch",
    "WebSocket",
    "EventSource",
    "setTimeout",
    "setInterval",
    "setImmediate",
    "queueMicrotask",
  ]) {
    trap(globalThis, name, name);
  }
  trap(performance, "now", "performance.now");
  trap(Math, "random", "Math.random");
  guardDate();
  guardEnvironment();
  syncBuiltinESMExports();
  return writeSync;
}

/** A Date that only turns given numbers into dates. */
function guardDate() {
  const RealDate = Date;
  globalThis.Date = new Proxy(RealDate, {
    construct(target, given) {
      if (given.length === 0) {
        touched.push("new Date()");
        throw new Error("the clock is not to be used");
      }
      return Reflect.construct(target, given);
    },
    apply() {
      touched.push("Date()");
      throw new Error("the clock is not to be used");
    },
  });
  trap(RealDate, "now", "Date.now");
}

function guardEnvironment() {
  const env = new Proxy(
    {},
    {
      get(_, name) {
        touched.push(`process.env.${String(name)}`);
        return undefined;
      },
    },
  );
  Object.defineProperty(process, "env", { value: env });
}
