/** What the receipts of a stream rest on: the parts of it before them, and the checks of these parts. */
import {
  type AnchoredList,
  attestationDigest,
  type ContentsBesideReceipts,
  identify,
} from "../bundle/contents.js";
import type { AnchoredRevocationList, Attestation } from "../bundle/format.js";
import type { StreamHeader } from "../bundle/stream-format.js";
import type { EntryName } from "../bundle/stream-reader.js";
import { sha256Hex } from "../crypto/digest.js";
import { canonicalBytes } from "../encoding/jcs.js";
import type { JsonObject } from "../encoding/json-value.js";
import type { TrustInputs } from "./check-trust.js";
import { type Begun, beginChecks } from "./checks.js";
import { type BundleHead, FormatRules } from "./format-rules.js";
import { Guard } from "./guard.js";
import { prepareRun } from "./prepare.js";
import type { ReceiptTable } from "./receipt-table.js";
import type { Findings } from "./report.js";
import type { Run } from "./run.js";

/** Lines that stand before the receipts, but for targets. */
export type ChainName = Exclude<
  EntryName,
  "targets" | "session_closes" | "session_seals" | "evidence_trees" | "leaves" | "proofs"
>;

/** Arrays of {@link ContentsBesideReceipts} while they are filled. */
type Filling = { -readonly [K in keyof ContentsBesideReceipts]: ContentsBesideReceipts[K][number][] };

/** Where what is found goes. */
export interface ChainFindings {
  /** What check FORMAT asks of parts that their schemas accept. */
  readonly format: Findings;
  /** What is found when the bundle is brought together with the auditor's inputs: it counts once FORMAT has passed. */
  readonly joined: Findings;
  /** Of the checks behind FORMAT. */
  readonly late: Findings;
}

/** The checks of receipts, ready to begin. */
export interface Started {
  readonly head: BundleHead;
  readonly rules: FormatRules;
  /** Null when bundle and inputs do not go together. */
  readonly run: Run | null;
  /** Null when a check could not be run. */
  readonly begun: Begun | null;
}

export class StreamChain {
  readonly contents: Filling = {
    identityRecords: [],
    rotations: [],
    agentCertificates: [],
    runtimeCertificates: [],
    delegations: [],
    policies: [],
    closes: [],
    seals: [],
    trees: [],
    lists: [],
    attestations: [],
    disclosures: [],
  };
  readonly targets: string[] = [];
  header: StreamHeader | null = null;

  /** Takes a part; its value has been decoded by the schema of its line's name. */
  take(name: ChainName | "targets", index: number, value: unknown): void {
    const { contents } = this;
    const pointer = `/${name}/${index}`;
    const identified = <T>(): T => identify(value as object, pointer) as T;
    switch (name) {
      case "targets":
        for (const digest of value as readonly string[]) this.targets.push(digest);
        break;
      case "identity_records":
        contents.identityRecords.push(identified());
        break;
      case "root_rotations":
        contents.rotations.push(identified());
        break;
      case "agent_key_certificates":
        contents.agentCertificates.push(identified());
        break;
      case "runtime_key_certificates":
        contents.runtimeCertificates.push(identified());
        break;
      case "delegations":
        contents.delegations.push(identified());
        break;
      case "policies": {
        const policy = value as JsonObject;
        contents.policies.push({ value: policy, pointer, digest: sha256Hex(canonicalBytes(policy)) });
        break;
      }
      case "attestations": {
        const attestation = value as Attestation;
        contents.attestations.push({ value: attestation, pointer, digest: attestationDigest(attestation) });
        break;
      }
      case "revocation_lists": {
        const { list, anchors } = value as AnchoredRevocationList;
        const item: AnchoredList = { ...identify(list, `${pointer}/list`), anchors };
        contents.lists.push(item);
        break;
      }
      default:
        name satisfies never;
    }
  }

  /** Judges what has been taken; `receipts` is the table into which they will come. Null without a header. */
  start(inputs: TrustInputs, receipts: ReceiptTable, findings: ChainFindings): Started | null {
    const { header, contents, targets } = this;
    if (header === null) return null;
    const { namespace_id, mission_id, scope } = header;
    const head = { namespace_id, mission_id, claim: { scope, targets } };
    const rules = new FormatRules(head, inputs.trust, findings.format);
    rules.judgeChain(contents);
    const joining = new Guard(findings.joined);
    const run =
      joining.run("TRUST", () =>
        prepareRun({ head, contents, receipts }, inputs, findings.joined, findings.late),
      ) ?? null;
    // The policy decides which algorithms are looked at before any cryptography runs.
    const isRefused = findings.format.hasAnyFailure();
    const begun = run === null || isRefused ? null : beginChecks(run, new Guard(findings.late));
    return { head, rules, run, begun };
  }
}
