/** The demo's plot: a good session first, then what must not pass. Each step says what came out and whether it had to. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withholdDisclosures } from "../../bundle/assemble.js";
import { encodeBundle } from "../../bundle/codec.js";
import { decodeBundle } from "../../bundle/decode.js";
import { encodeUtf8 } from "../../encoding/utf8.js";
import type { FailureCode } from "../../errors.js";
import type { SignedAction } from "../../runtime/action.js";
import { newId } from "../../runtime/entropy.js";
import type { SupplementV1 } from "../../verifier/inputs.js";
import type { VerificationReportV1 } from "../../verifier/report.js";
import { verifyBundle } from "../../verifier/verify.js";
import { jsonText } from "../print.js";
import { thumbprintOf } from "../workspace-authority.js";
import { changeOneDigit, dropReceipt, packSession } from "./attempts.js";
import { DemoRuntime, runScript } from "./runtime.js";
import { type Agent, NAMESPACE, Scene } from "./scene.js";
import { prepareWork } from "./work.js";

/** How a verification was to end. */
export interface Outcome {
  readonly title: string;
  readonly explanation: string;
  /** What a person would type, the verification last. */
  readonly commands: readonly string[];
  /** Null where the bundle had to be accepted. */
  readonly expected: FailureCode | null;
  readonly report: VerificationReportV1;
}

/** What is known of an outcome before it is there; `before` is typed ahead of the verification. */
type Told = Omit<Outcome, "report" | "commands"> & { readonly before?: readonly string[] };

/** Where the story tells itself. */
export interface Teller {
  readonly step: (title: string, explanation: string, commands: readonly string[]) => void;
  readonly outcome: (outcome: Outcome) => void;
}

/** True when the verdict, and in a rejection its first reason, is the one that was to come. */
export function cameOutRight({ expected, report }: Outcome): boolean {
  if (expected === null) return report.verdict === "ACCEPTED" && report.first_failure === null;
  return report.verdict === "REJECTED" && report.first_failure?.code === expected;
}

export const FILES = {
  bundle: "session.osaproof.json",
  trust: "trust.json",
  supplement: "revocations.json",
  changed: "one-byte.osaproof.json",
  forged: "forged-result.osaproof.json",
  dropped: "dropped-parent.osaproof.json",
  outside: "outside.osaproof.json",
  report: "work/report.txt",
} as const;

const PLANNER_TOOLS = ["invoices.list", "invoices.count", "invoices.check"] as const;

interface Session {
  readonly planner: Agent;
  readonly clerk: Agent;
  readonly clerkRuntime: DemoRuntime;
  readonly summed: SignedAction;
  readonly merged: SignedAction;
}

/** Plays the whole story in an empty folder; true when every step came out as it must. */
export async function playStory(folder: string, now: () => number, teller: Teller): Promise<boolean> {
  const scene = await Scene.create(folder, now);
  const planner = await scene.agent("planner");
  const clerk = await scene.agent("clerk");
  await scene.revocationList([]);
  const trust = encodeUtf8(`${jsonText(scene.trustPolicy(planner))}\n`);
  await writeFile(join(folder, FILES.trust), trust);
  teller.step(
    "Keys",
    "A root key, two agents, a log with three witnesses, an empty revocation list. trust.json pins the root and the log.",
    [
      `osa-proof init --agent ${planner.agentId} --require-session-seal`,
      `osa-proof agent add ${clerk.agentId}`,
    ],
  );

  const work = await prepareWork(folder);
  const session = await playSession(scene, work, planner, clerk, teller);
  const bundle = packSession(scene.material(), [session.merged.digest]);
  const withheld = encodeBundle(withholdDisclosures(decodeBundle(bundle)));
  const rightly: boolean[] = [];
  const verify = async (
    file: string,
    bytes: Uint8Array,
    { before = [], ...told }: Told,
    supplement?: Uint8Array,
  ): Promise<void> => {
    await writeFile(join(folder, file), bytes);
    const report = verifyBundle(bytes, trust, { at: scene.time(), supplement });
    const newer = supplement === undefined ? "" : ` --revocations ${FILES.supplement}`;
    const commands = [...before, `osa-proof verify ${file} --trust ${FILES.trust}${newer}`];
    const outcome = { ...told, report, commands };
    rightly.push(cameOutRight(outcome));
    teller.outcome(outcome);
  };

  await verify(FILES.bundle, bundle, {
    title: "The auditor verifies",
    explanation: "Offline, with the bundle and trust.json alone.",
    expected: null,
  });
  await verify(FILES.changed, changeOneDigit(withheld, session.summed.receipt.output_commitment.slice(2)), {
    title: "One byte of a receipt is changed",
    explanation: "A single digit of the clerk's receipt becomes another, in a copy that shows no values.",
    expected: "RECEIPT_SIGNATURE_INVALID",
  });
  await verify(FILES.forged, changeOneDigit(bundle, "237.30 EUR"), {
    title: "One byte of the shown result is changed",
    explanation: "The report that was disclosed now names another sum.",
    expected: "EVIDENCE_DISCLOSURE_MISMATCH",
  });
  await verify(FILES.dropped, dropReceipt(bundle, session.summed.digest), {
    title: "One parent is dropped",
    explanation: "The clerk's receipt is taken out, with everything that only it needed.",
    expected: "DAG_PARENT_MISSING",
  });
  await verify(FILES.outside, await playOutside(scene, work, session), {
    title: "The clerk steps outside its delegation",
    explanation: "It runs invoices.pay, which nobody allowed. The receipt is genuine, sealed and anchored.",
    expected: "DELEGATION_TOOL_OUT_OF_SCOPE",
  });
  const supplement = encodeUtf8(`${jsonText(await revokeRuntime(scene, session.clerkRuntime))}\n`);
  await writeFile(join(folder, FILES.supplement), supplement);
  await verify(
    FILES.bundle,
    bundle,
    {
      title: "The clerk's runtime key is revoked",
      explanation: "The very bundle that was accepted, beside the newer revocation list.",
      before: [`osa-proof revoke ${session.clerkRuntime.runtimeId} --reason "sandbox broken into"`],
      expected: "REVOCATION_KEY_REVOKED",
    },
    supplement,
  );
  return rightly.every((right) => right);
}

/** The planner lists the work and delegates; both work in parallel; the planner merges what came of it. */
async function playSession(
  scene: Scene,
  work: string,
  planner: Agent,
  clerk: Agent,
  teller: Teller,
): Promise<Session> {
  const sessionId = newId("session");
  const plannerRuntime = await DemoRuntime.start(scene, planner, "planner-runtime", sessionId);
  await plannerRuntime.delegate({ tools: PLANNER_TOOLS, maxActions: 10 });
  const planned = await plannerRuntime.sign(
    "invoices.list",
    await runScript(work, "list.mjs", "plan.txt"),
    [],
  );
  const toClerk = await plannerRuntime.delegate({ tools: ["invoices.sum"], maxActions: 2, to: clerk });
  const clerkRuntime = await DemoRuntime.start(scene, clerk, "clerk-runtime", sessionId);
  await clerkRuntime.delegate({
    tools: ["invoices.sum"],
    maxActions: 2,
    parent: toClerk,
    notAfter: plannerRuntime.certificate.not_after,
  });
  teller.step(
    "Delegations",
    "The planner may list, count and check. It hands the summing on to the clerk, who may do nothing else.",
    [
      "osa-proof delegate --tool invoices.list invoices.count invoices.check",
      `osa-proof delegate --tool invoices.sum --to ${clerk.agentId}`,
      `osa-proof delegate --tool invoices.sum --agent ${clerk.agentId} --parent DIGEST`,
    ],
  );

  const [summing, counting] = await Promise.all([
    runScript(work, "sum.mjs", "sum.txt"),
    runScript(work, "count.mjs", "count.txt"),
  ]);
  const summed = await clerkRuntime.sign("invoices.sum", summing, [planned]);
  const counted = await plannerRuntime.sign("invoices.count", counting, [planned]);
  const checking = await runScript(work, "check.mjs", "report.txt");
  const merged = await plannerRuntime.sign("invoices.check", checking, [summed, counted]);
  teller.step(
    "Work",
    "Four real commands, four signed receipts: list, then sum and count side by side, then a check that merges both.",
    ["osa-proof exec --tool invoices.list -- node list.mjs"],
  );

  await plannerRuntime.close();
  await clerkRuntime.close();
  const { leaves } = await scene.seal();
  teller.step(
    "Close and seal",
    `Both runtimes sign their last word and the agents seal the session; one evidence tree of ${leaves.length} leaves goes into the log.`,
    [
      "osa-proof close",
      "osa-proof seal",
      `osa-proof bundle -o ${FILES.bundle} --scope session --disclose all`,
    ],
  );
  return { planner, clerk, clerkRuntime, summed, merged };
}

/** Another session of the clerk, in which it does more than it may. */
async function playOutside(scene: Scene, work: string, { planner, clerk }: Session): Promise<Uint8Array> {
  const sessionId = newId("session");
  const asking = await DemoRuntime.start(scene, planner, "planner-runtime", sessionId);
  await asking.delegate({ tools: ["invoices.list"], maxActions: 1 });
  const toClerk = await asking.delegate({ tools: ["invoices.sum"], maxActions: 2, to: clerk });
  const planned = await asking.sign("invoices.list", await runScript(work, "list.mjs", "plan.txt"), []);
  const runtime = await DemoRuntime.start(scene, clerk, "clerk-runtime", sessionId);
  await runtime.delegate({
    tools: ["invoices.sum"],
    maxActions: 2,
    parent: toClerk,
    notAfter: asking.certificate.not_after,
  });
  const paid = await runtime.sign("invoices.pay", await runScript(work, "pay.mjs", "payment.txt"), [planned]);
  await asking.close();
  await runtime.close();
  await scene.seal();
  return packSession(scene.material(), [paid.digest]);
}

async function revokeRuntime(scene: Scene, runtime: DemoRuntime): Promise<SupplementV1> {
  const list = await scene.revocationList([
    {
      key_id: runtime.signer.keyId,
      key_thumbprint: thumbprintOf(runtime.certificate.public_key),
      revoked_at: scene.time(),
      reason: "sandbox broken into",
    },
  ]);
  return {
    protocol: "OSA_PROOF_V3",
    type: "SupplementV1",
    namespace_id: NAMESPACE,
    root_rotations: [],
    revocation_lists: [list],
  };
}
