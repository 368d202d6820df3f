/** Public entry `osa-proof/parallel`: the verifier with its signatures checked in worker threads of Node.js. */
export { type ParallelOptions, verifyBundleParallel } from "./verify-parallel.js";
