/** A whole bundle out of its streaming form, for those who want to look at it; nothing in it is verified. */
import { OsaProofError } from "../errors.js";
import * as LIMITS from "../limits.js";
import { statementDigest } from "../statements/canonical.js";
import { PROTOCOL } from "../statements/fields.js";
import type { ActionReceiptV3 } from "../statements/receipt.js";
import type { Fault } from "../statements/schema.js";
import type { Disclosure, EvidenceTreeHead, ProofBundleV3, TreeProof } from "./format.js";
import type { ReceiptBlock } from "./stream-block.js";
import type { LineName, StreamHeader } from "./stream-format.js";
import { LineDecoder } from "./stream-line.js";
import { type Part, StreamReader } from "./stream-reader.js";

/** A tree while its leaves or proofs are still coming. */
type Tree = EvidenceTreeHead & { leaves?: string[]; proofs?: TreeProof[] };

const NEWLINE = 0x0a;

/**
 * Opens a bundle in its streaming form, given as a whole.
 * @throws OsaProofError with the first FORMAT code and its pointer
 */
export function decodeStream(bytes: Uint8Array): ProofBundleV3 {
  const refuse = ({ code, pointer, detail }: Fault): never => {
    throw new OsaProofError(code, `bundle${pointer === "" ? "" : ` at ${pointer}`}: ${detail}`, { pointer });
  };
  const reader = new StreamReader(LIMITS.maxStreamBytes, { end: refuse, schema: refuse });
  const collected = new Collected(new LineDecoder(refuse), refuse);
  for (const part of reader.read(bytes)) collected.take(part);
  for (const part of reader.end()) collected.take(part);
  return collected.bundle();
}

class Collected {
  readonly #decoder: LineDecoder;
  readonly #refuse: (fault: Fault) => never;
  #header: StreamHeader | null = null;
  readonly #targets: string[] = [];
  readonly #entries = new Map<LineName, unknown[]>();
  readonly #trees: Tree[] = [];
  /** The last receipt, with its digest once it has been asked for. */
  #last: { readonly receipt: ActionReceiptV3; digest: string | null } | null = null;

  constructor(decoder: LineDecoder, refuse: (fault: Fault) => never) {
    this.#decoder = decoder;
    this.#refuse = refuse;
  }

  take(part: Part): void {
    if (part.kind === "header") this.#header = part.value;
    else if (part.kind === "receipts") this.#takeBlock(part);
    else this.#takeEntry(part.name, part.value);
  }

  #takeBlock({ bytes, firstReceipt, firstDisclosure }: ReceiptBlock): void {
    const next = { receipts: firstReceipt, disclosures: firstDisclosure };
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(NEWLINE, start);
      const name = bytes[start + 2] === "r".charCodeAt(0) ? "receipts" : "disclosures";
      const place = { at: `/${name}/${next[name]}`, offset: 0 };
      next[name] += 1;
      const { value, ended } = this.#decoder.decode(name, place, bytes.subarray(start, end));
      if (ended !== null) this.#refuse(ended);
      // Each value has been decoded by the schema of its line's name.
      if (name === "receipts") this.#last = { receipt: value as ActionReceiptV3, digest: null };
      else this.#checkDisclosure(value as Disclosure, place.at);
      this.#takeEntry(name, value);
      start = end + 1;
    }
  }

  #checkDisclosure({ receipt_digest: digest }: Disclosure, pointer: string): void {
    const last = this.#last;
    if (last !== null) last.digest ??= statementDigest(last.receipt);
    if (last?.digest === digest) return;
    const detail = "a disclosure stands behind the receipt that it opens";
    this.#refuse({ code: "FORMAT_SYNTAX_INVALID", pointer, detail });
  }

  #takeEntry(name: LineName, value: unknown): void {
    const tree = this.#trees.at(-1);
    // Each value has been decoded by the schema of its line's name.
    if (name === "targets") this.#targets.push(...(value as readonly string[]));
    else if (name === "evidence_trees") this.#trees.push({ ...(value as EvidenceTreeHead) });
    else if (name === "leaves" && tree !== undefined) {
      tree.leaves ??= [];
      tree.leaves.push(...(value as readonly string[]));
    } else if (name === "proofs" && tree !== undefined) {
      tree.proofs ??= [];
      tree.proofs.push(value as TreeProof);
    } else {
      const entries = this.#entries.get(name) ?? [];
      this.#entries.set(name, entries);
      entries.push(value);
    }
  }

  bundle(): ProofBundleV3 {
    const header =
      this.#header ?? this.#refuse({ code: "FORMAT_TRUNCATED", pointer: "", detail: "no header" });
    const all = <T>(name: LineName): readonly T[] => (this.#entries.get(name) ?? []) as readonly T[];
    return {
      protocol: PROTOCOL,
      type: "ProofBundleV3",
      namespace_id: header.namespace_id,
      mission_id: header.mission_id,
      claim: { scope: header.scope, targets: this.#targets },
      identity_records: all("identity_records"),
      root_rotations: all("root_rotations"),
      agent_key_certificates: all("agent_key_certificates"),
      runtime_key_certificates: all("runtime_key_certificates"),
      delegations: all("delegations"),
      policies: all("policies"),
      receipts: all("receipts"),
      session_closes: all("session_closes"),
      session_seals: all("session_seals"),
      evidence_trees: this.#trees,
      revocation_lists: all("revocation_lists"),
      attestations: all("attestations"),
      disclosures: all("disclosures"),
    };
  }
}
