/** The rows of the table "Hostile sizes" of docs/SPEC.md, with the cases of `inputs.js` that each stands for. */
export interface Row {
  readonly what: string;
  readonly cases: readonly string[];
  /** ACCEPTED, or the code of the first failure. */
  readonly answer: string;
  /** Heap that suffices, and memory above the input that is never exceeded. */
  readonly megabytes: number;
  /** A generous bound on one slow core: to tell slow from hanging. */
  readonly seconds: number;
}

export const ROWS: readonly Row[] = [
  {
    what: "arrays or objects nested 100,000 deep, in a bundle of either encoding",
    cases: ["json arrays", "json objects", "cbor arrays", "cbor maps"],
    answer: "FORMAT_TOO_LARGE",
    megabytes: 64,
    seconds: 30,
  },
  {
    what: "the same in a trust policy",
    cases: ["deep trust policy"],
    answer: "TRUST_POLICY_INVALID",
    megabytes: 64,
    seconds: 30,
  },
  {
    what: "the same in expectations, supplement or known heads",
    cases: ["deep expectations", "deep supplement", "deep heads"],
    answer: "TRUST_INPUT_INVALID",
    megabytes: 64,
    seconds: 30,
  },
  {
    what: "200 MB of one JSON text or member name where none belongs",
    cases: ["json text", "json text of wide characters", "json text of escapes", "json name"],
    answer: "FORMAT_UNKNOWN_MEMBER",
    megabytes: 1_000,
    seconds: 120,
  },
  {
    what: "200 MB of one number",
    cases: ["json number"],
    answer: "FORMAT_NUMBER_INVALID",
    megabytes: 1_000,
    seconds: 120,
  },
  {
    what: "200 MB of one CBOR text or byte string where none belongs",
    cases: ["cbor text", "cbor bytes"],
    answer: "FORMAT_VERSION_UNSUPPORTED",
    megabytes: 2_400,
    seconds: 120,
  },
  {
    what: "200 MB of one disclosed text that was not committed to",
    cases: ["disclosed text"],
    answer: "EVIDENCE_DISCLOSURE_MISMATCH",
    megabytes: 2_400,
    seconds: 120,
  },
  {
    what: "300 MB of member names, each longer than a pointer shows",
    cases: ["name to escape", "names to escape"],
    answer: "FORMAT_UNKNOWN_MEMBER",
    megabytes: 1_000,
    seconds: 120,
  },
  {
    what: "100 MB of control characters, or 300 MB of bytes, in CBOR: too long in JSON",
    cases: ["cbor control characters", "cbor bytes beyond a text"],
    answer: "FORMAT_TOO_LARGE",
    megabytes: 1_200,
    seconds: 120,
  },
  {
    what: "1,000,000 elements in an array bounded lower",
    cases: ["million delegations"],
    answer: "FORMAT_TOO_LARGE",
    megabytes: 200,
    seconds: 60,
  },
  {
    what: "1,000,000 elements that are no receipts, or free numbers, beside absent members",
    cases: ["million receipts", "million free numbers"],
    answer: "FORMAT_MISSING_MEMBER",
    megabytes: 200,
    seconds: 120,
  },
  {
    what: "1,000,000 receipts in CBOR without a version",
    cases: ["million receipts in cbor"],
    answer: "FORMAT_VERSION_UNSUPPORTED",
    megabytes: 200,
    seconds: 60,
  },
  {
    what: "1,000,000 parents of one receipt",
    cases: ["million parents"],
    answer: "FORMAT_TOO_LARGE",
    megabytes: 500,
    seconds: 60,
  },
  {
    what: "2,000,000 faults in 6 to 20 MB of JSON",
    cases: ["faults of empty objects", "faults of long objects", "faults of names"],
    answer: "FORMAT_VERSION_UNSUPPORTED or FORMAT_UNKNOWN_MEMBER",
    megabytes: 1_500,
    seconds: 180,
  },
  {
    what: "20 MB of JSON of the smallest objects or arrays",
    cases: ["json of empty objects", "json of short arrays"],
    answer: "FORMAT_MISSING_MEMBER",
    megabytes: 2_000,
    seconds: 180,
  },
  {
    what: "60 MB of JSON of more than 8,000,000 values",
    cases: ["json of zeros", "json of empty arrays", "json of nested objects"],
    answer: "FORMAT_TOO_LARGE",
    megabytes: 1_500,
    seconds: 180,
  },
  {
    what: "10 to 20 MB of CBOR of more than 8,000,000 values, which are counted before one is made",
    cases: ["cbor of integers", "cbor of empty maps", "cbor of nested maps"],
    answer: "FORMAT_TOO_LARGE",
    megabytes: 64,
    seconds: 60,
  },
  {
    what: "8,000,000 values in CBOR without a version",
    cases: ["most cbor integers", "most cbor empty maps"],
    answer: "FORMAT_VERSION_UNSUPPORTED",
    megabytes: 3_000,
    seconds: 300,
  },
  {
    what: "8,000,000 values in a policy of a bundle that is good otherwise",
    cases: ["most zeros", "most empty objects", "most empty arrays", "most texts", "most different names"],
    answer: "FORMAT_UNREFERENCED",
    megabytes: 4_400,
    seconds: 600,
  },
  {
    what: "20,000 receipts, each the child of the one before",
    cases: ["a chain of receipts", "a chain of receipts in cbor"],
    answer: "ACCEPTED",
    megabytes: 600,
    seconds: 180,
  },
  {
    what: "10,000 delegations, each under the one before",
    cases: ["a chain of delegations"],
    answer: "DELEGATION_TOO_DEEP",
    megabytes: 400,
    seconds: 120,
  },
];
