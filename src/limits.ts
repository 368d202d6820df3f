/**
 * Layer 0: every bound in one place, with its unit in the name. Each is checked before the work it bounds.
 * A trust policy may lower the ones marked (policy); nothing raises them.
 */
export const LIMITS = {
  /** (policy) Longest bundle read, and the longest text V8 can hold with room to spare. */
  maxBundleBytes: 512_000_000,
  /** (policy) Longest bundle in the streaming form, its bytes counted before any compression. */
  maxStreamBytes: 16_000_000_000,
  /** One line of a bundle in the streaming form: room for one disclosed value with its escapes. */
  maxLineBytes: 200_000_000,
  /** Digests in one line of targets or leaves. */
  maxDigestsPerLine: 1_000,
  /** Trust policy, expectations, known heads. */
  maxSideInputBytes: 4_000_000,
  maxSupplementBytes: 64_000_000,
  /** Nesting of arrays and objects in any JSON or CBOR, the outermost counted as 1. */
  maxDepth: 64,
  /** Values in one JSON or CBOR input, arrays and objects included: what memory follows, whatever the bytes. */
  maxValues: 8_000_000,
  /** Nesting of one committed JSON value or policy: a bundle wraps a disclosed value in four levels of its own. */
  maxFreeJsonDepth: 60,
  /** (policy) Receipts in one bundle. */
  maxReceipts: 2_000_000,
  /** (policy) Entries of every other top-level array of a bundle. */
  maxStatementsPerKind: 100_000,
  maxParentsPerReceipt: 64,
  maxToolsPerDelegation: 1_024,
  maxDelegationDepth: 8,
  maxIdentifierCharacters: 128,
  maxAgentIdCharacters: 512,
  maxRevocationEntries: 100_000,
  maxReasonCharacters: 256,
  maxCertificatesPerRecord: 1_024,
  maxCertificatesPerClose: 10_000,
  maxClosesPerSeal: 100_000,
  maxMediaTypeCharacters: 127,
  maxAnchorsPerTree: 64,
  maxAuditPathHashes: 63,
  /** The proof text of one anchor, whatever its ledger. */
  maxAnchorProofCharacters: 1_048_576,
  /** First line of a checkpoint. */
  maxOriginCharacters: 255,
  /** Entries of each array of a trust policy. */
  maxPolicyEntries: 1_024,
  /** Namespaces, and logs, of known heads. */
  maxKnownHeads: 10_000,
  /** One tlog-proof text with its checkpoint. */
  maxTlogProofBytes: 65_536,
  maxNoteSignatures: 64,
  /** Canonical JSON of one value that a maker commits to; larger ones go by blob. */
  maxDisclosedValueBytes: 64_000_000,
  /** A longer member name does not stand in a pointer, which then ends before it. */
  maxPointerTokenCharacters: 1_024,
  /** Failures listed for one check of a report; the count beside them is exact. */
  maxReportedFailures: 100,
  /** Identity records of one agent in one bundle. */
  maxRecordsPerAgent: 1_000,
  maxRootRotations: 1_000,
  maxClockSkewSeconds: 300,
  maxDurationSeconds: 3_155_760_000,
} as const;
