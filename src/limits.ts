/**
 * Layer 0: every bound in one place, with its unit in the name. Each is checked before the work it bounds.
 * A trust policy may lower the ones marked (policy); nothing raises them.
 */

/** (policy) Longest bundle read, and the longest text V8 can hold with room to spare. */
export const maxBundleBytes = 512_000_000;
/** (policy) Longest bundle in the streaming form, its bytes counted before any compression. */
export const maxStreamBytes = 16_000_000_000;
/** One line of a bundle in the streaming form: room for one disclosed value with its escapes. */
export const maxLineBytes = 200_000_000;
/** Digests in one line of targets or leaves. */
export const maxDigestsPerLine = 1_000;
/** Trust policy, expectations, known heads. */
export const maxSideInputBytes = 4_000_000;
export const maxSupplementBytes = 64_000_000;
/** Nesting of arrays and objects in any JSON or CBOR, the outermost counted as 1. */
export const maxDepth = 64;
/** Values in one JSON or CBOR input, arrays and objects included: what memory follows, whatever the bytes. */
export const maxValues = 8_000_000;
/** Nesting of one committed JSON value or policy: a bundle wraps a disclosed value in four levels of its own. */
export const maxFreeJsonDepth = 60;
/** (policy) Receipts in one bundle. */
export const maxReceipts = 2_000_000;
/** (policy) Entries of every other top-level array of a bundle. */
export const maxStatementsPerKind = 100_000;
export const maxParentsPerReceipt = 64;
export const maxToolsPerDelegation = 1_024;
export const maxDelegationDepth = 8;
export const maxIdentifierCharacters = 128;
export const maxAgentIdCharacters = 512;
export const maxRevocationEntries = 100_000;
export const maxReasonCharacters = 256;
export const maxCertificatesPerRecord = 1_024;
export const maxCertificatesPerClose = 10_000;
export const maxClosesPerSeal = 100_000;
export const maxMediaTypeCharacters = 127;
export const maxAnchorsPerTree = 64;
export const maxAuditPathHashes = 63;
/** The proof text of one anchor, whatever its ledger. */
export const maxAnchorProofCharacters = 1_048_576;
/** First line of a checkpoint. */
export const maxOriginCharacters = 255;
/** Entries of each array of a trust policy. */
export const maxPolicyEntries = 1_024;
/** Namespaces, and logs, of known heads. */
export const maxKnownHeads = 10_000;
/** One tlog-proof text with its checkpoint. */
export const maxTlogProofBytes = 65_536;
export const maxNoteSignatures = 64;
/** Canonical JSON of one value that a maker commits to; larger ones go by blob. */
export const maxDisclosedValueBytes = 64_000_000;
/** A longer member name does not stand in a pointer, which then ends before it. */
export const maxPointerTokenCharacters = 1_024;
/** Failures listed for one check of a report; the count beside them is exact. */
export const maxReportedFailures = 100;
/** Identity records of one agent in one bundle. */
export const maxRecordsPerAgent = 1_000;
export const maxRootRotations = 1_000;
export const maxClockSkewSeconds = 300;
export const maxDurationSeconds = 3_155_760_000;
