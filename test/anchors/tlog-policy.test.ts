import { describe, expect, it } from "vitest";
import {
  checkTlogTrust,
  parseTlogPolicy,
  parseTlogTrust,
  trustFromPolicy,
} from "../../src/anchors/tlog-policy.js";
import { quorumMet } from "../../src/anchors/tlog-trust.js";
import {
  haveVectors,
  LOG_SEED,
  logKey,
  present,
  SAMPLE_LOG_VKEY,
  SAMPLE_W1_VKEY,
  SAMPLE_W2_VKEY,
  sampleTrust,
  seed,
  vectorText,
  W1_SEED,
  witnessKey,
} from "./support.js";

/** What a test changes in the JSON form; the types are loose on purpose. */
type Loose = Record<string, unknown>;

function json(change: Loose = {}): Loose {
  return {
    logs: [{ origin: "example.com/log", key: SAMPLE_LOG_VKEY, operator: "own" }],
    witnesses: [
      { name: "w1", key: SAMPLE_W1_VKEY, operator: "independent" },
      { name: "w2", key: SAMPLE_W2_VKEY, operator: "independent" },
    ],
    groups: [{ name: "both", threshold: 2, members: ["w1", "w2"] }],
    quorum: "both",
    ...change,
  };
}

const [w1, w2] = [
  { name: "w1", key: SAMPLE_W1_VKEY, operator: "independent" },
  { name: "w2", key: SAMPLE_W2_VKEY, operator: "independent" },
];
const log = { origin: "example.com/log", key: SAMPLE_LOG_VKEY, operator: "own" };
const group = { name: "both", threshold: 2, members: ["w1", "w2"] };

describe("checkTlogTrust", () => {
  it.each([
    ["the sample", {}],
    ["a single witness as quorum", { quorum: "w1" }],
    ["no quorum at all", { quorum: "none", witnesses: [], groups: [] }],
    [
      "groups of groups",
      { groups: [group, { name: "any", threshold: 1, members: ["both"] }], quorum: "any" },
    ],
    ["a second key of one origin", { logs: [log, { ...log, key: logKey("new", seed(9)).vkey }] }],
  ])("accepts %s", (_, change) => {
    expect(checkTlogTrust(json(change))).toBeNull();
  });

  it("gives the same description from JSON and from parsed keys", () => {
    expect(parseTlogTrust(json())).toEqual(sampleTrust());
    expect(checkTlogTrust(sampleTrust())).toBeNull();
    expect(parseTlogTrust(JSON.parse(JSON.stringify(json())))).toEqual(sampleTrust());
  });

  it.each([
    ["null", null],
    ["nothing", undefined],
    ["an array", []],
    ["a string", "x"],
    ["an unknown member", json({ extra: 1 })],
    ["a missing member", { logs: [log], witnesses: [], groups: [] }],
    ["no logs", json({ logs: [] })],
    ["logs that is no array", json({ logs: log })],
    ["an unknown member of a log", json({ logs: [{ ...log, url: "x" }] })],
    ["a log without operator", json({ logs: [{ origin: "a", key: SAMPLE_LOG_VKEY }] })],
    ["an unknown operator", json({ logs: [{ ...log, operator: "other" }] })],
    ["a key that is no vkey", json({ logs: [{ ...log, key: "x" }] })],
    ["a key that is null", json({ logs: [{ ...log, key: null }] })],
    ["a key that is an object without a vkey", json({ logs: [{ ...log, key: {} }] })],
    ["a key that is an object whose vkey is no text", json({ logs: [{ ...log, key: { vkey: 5 } }] })],
    ["a log that is null", json({ logs: [null] })],
    ["a log that is an array", json({ logs: [["example.com/log", SAMPLE_LOG_VKEY, "own"]] })],
    ["an origin that is a number", json({ logs: [{ ...log, origin: 5 }] })],
    ["witnesses that is no array", json({ witnesses: w1 })],
    ["a witness that is null", json({ witnesses: [w1, w2, null] })],
    ["an unknown member of a witness", json({ witnesses: [w1, { ...w2, url: "x" }] })],
    ["a witness without operator", json({ witnesses: [w1, { name: "w2", key: SAMPLE_W2_VKEY }] })],
    ["an unknown operator of a witness", json({ witnesses: [w1, { ...w2, operator: "other" }] })],
    ["a witness key that is no vkey", json({ witnesses: [w1, { ...w2, key: "x" }] })],
    [
      "a witness name that is a number",
      json({ witnesses: [w1, { ...w2, name: 5 }], groups: [], quorum: "w1" }),
    ],
    ["groups that is no array", json({ groups: group })],
    ["a group that is null", json({ groups: [group, null] })],
    ["an unknown member of a group", json({ groups: [{ ...group, extra: 1 }] })],
    [
      "a group name that is a number",
      json({ groups: [group, { ...group, name: 5, members: ["both"], threshold: 1 }] }),
    ],
    ["members that is no array", json({ groups: [{ ...group, members: "w1" }] })],
    ["a member that is a number", json({ groups: [{ ...group, members: ["w1", "w2", 5] }] })],
    ["an empty origin", json({ logs: [{ ...log, origin: "" }] })],
    ["an origin of two lines", json({ logs: [{ ...log, origin: "a\nb" }] })],
    [
      "a log with a witness key",
      json({ logs: [{ ...log, key: SAMPLE_W1_VKEY }], witnesses: [w2], groups: [], quorum: "w2" }),
    ],
    ["a witness with a log key", json({ witnesses: [w1, { ...w2, key: logKey("l", seed(9)).vkey }] })],
    ["one log key under two origins", json({ logs: [log, { ...log, origin: "other" }] })],
    ["one log key under two names", json({ logs: [log, { ...log, key: logKey("other", LOG_SEED).vkey }] })],
    ["one witness key under two labels", json({ witnesses: [w1, { ...w1, name: "w2" }] })],
    [
      "one witness key under two names",
      json({ witnesses: [w1, { ...w2, key: witnessKey("other", W1_SEED).vkey }] }),
    ],
    [
      "a log key that is also a witness key",
      json({ witnesses: [w1, { ...w2, key: witnessKey("w2", LOG_SEED).vkey }] }),
    ],
    ["a witness label twice", json({ witnesses: [w1, { ...w2, name: "w1" }] })],
    ["a witness named like a group", json({ groups: [{ ...group, name: "w1" }], quorum: "w1" })],
    ["a reserved name", json({ witnesses: [w1, { ...w2, name: "none" }], groups: [], quorum: "w1" })],
    ["a name with a space", json({ groups: [{ ...group, name: "b b" }], quorum: "b b" })],
    ["an empty name", json({ groups: [{ ...group, name: "" }], quorum: "" })],
    ["a threshold of 0", json({ groups: [{ ...group, threshold: 0 }] })],
    ["a threshold above the members", json({ groups: [{ ...group, threshold: 3 }] })],
    ["a threshold of 1.5", json({ groups: [{ ...group, threshold: 1.5 }] })],
    ["a threshold that is text", json({ groups: [{ ...group, threshold: "2" }] })],
    ["a group of nobody", json({ groups: [{ ...group, members: [] }] })],
    ["an unknown member name", json({ groups: [{ ...group, members: ["w1", "w3"] }] })],
    ["a member that is none", json({ groups: [{ ...group, members: ["w1", "none"] }] })],
    ["a member twice in one group", json({ groups: [{ ...group, members: ["w1", "w1"] }] })],
    ["a member of two groups", json({ groups: [group, { name: "more", threshold: 1, members: ["w1"] }] })],
    ["a group that names itself", json({ groups: [{ ...group, members: ["w1", "both"] }] })],
    [
      "a group that names a later one",
      json({ groups: [{ name: "any", threshold: 1, members: ["both"] }, group] }),
    ],
    ["a quorum that nothing defines", json({ quorum: "w3" })],
    ["an empty quorum", json({ quorum: "" })],
    ["a quorum that is null", json({ quorum: null })],
  ])("refuses %s with a reason", (_, trust) => {
    expect(checkTlogTrust(trust)).toMatch(/^.{10,}$/);
    expect(parseTlogTrust(trust)).toBeNull();
    expect(checkTlogTrust(json())).toBeNull();
  });
});

const X = [1, 2, 3].map((i) => `witness X${i} ${witnessKey(`x${i}.example`, seed(i)).vkey}`).join("\n");
const Y = [1, 2, 3].map((i) => `witness Y${i} ${witnessKey(`y${i}.example`, seed(10 * i)).vkey}`).join("\n");
const LOG = `log ${logKey("example.com/log", seed(200)).vkey}`;
const POLICY = `${LOG}\n${X}\ngroup X 2 X1 X2 X3\n${Y}\ngroup Y any Y1 Y2 Y3\ngroup XY all X Y\nquorum XY\n`;

describe("parseTlogPolicy", () => {
  it("reads logs, witnesses, nested groups and the quorum", () => {
    const policy = present(parseTlogPolicy(POLICY));
    expect(policy.logs.map((one) => one.origin)).toEqual(["example.com/log"]);
    expect(policy.witnesses.map((witness) => witness.name)).toEqual(["X1", "X2", "X3", "Y1", "Y2", "Y3"]);
    expect(policy.groups.map(({ name, threshold }) => [name, threshold])).toEqual([
      ["X", 2],
      ["Y", 1],
      ["XY", 2],
    ]);
    expect(policy.quorum).toBe("XY");
  });

  it.each([
    [
      "comments, blank lines, tabs and URLs",
      `# c\n\n \t# d\n#e f\n\t${LOG}\thttps://a \n${X.replace("\n", " https://w\n")}\nquorum\tX2\n`,
    ],
    ["a quorum line in the middle", `${X}\nquorum X1\n${LOG}\n`],
    ["no quorum needed", `${LOG}\nquorum none\n`],
    ["no log", "quorum none\n"],
    ["a name beyond ASCII", `${LOG}\n${X.replace("X1", "Größe")}\nquorum Größe\n`],
    [
      "33 witnesses",
      `${Array.from({ length: 33 }, (_, i) => `witness w${i} ${witnessKey("w", seed(i)).vkey}`).join("\n")}\nquorum w3\n`,
    ],
  ])("reads %s", (_, text) => {
    expect(parseTlogPolicy(text)).not.toBeNull();
  });

  it.each([
    ["nothing", ""],
    ["no quorum line", POLICY.replace("quorum XY\n", "")],
    ["two quorum lines", `${POLICY}quorum XY\n`],
    ["a quorum of two names", POLICY.replace("quorum XY", "quorum X Y")],
    ["a quorum that is defined later", `quorum X1\n${X}\n`],
    ["no final line end", POLICY.slice(0, -1)],
    ["a carriage return", POLICY.replace("\n", "\r\n")],
    ["a delete character", POLICY.replace("X1", "X\u007f1")],
    ["an unknown keyword", `${POLICY}loq x\n`],
    ["a keyword alone", `${POLICY}log\n`],
    ["a keyword that ends with #", `${POLICY}log# x\n`],
    ["an unknown keyword with the fields of a group", POLICY.replace("group Y any", "gruop Y any")],
    ["a witness without key", `${POLICY}witness Z\n`],
    ["a group without threshold", `${POLICY}group Z\n`],
    ["a witness with two URLs", POLICY.replace("\ngroup X", " https://a https://b\ngroup X")],
    ["an unknown keyword with two fields", `${POLICY}foo bar baz\n`],
    ["a witness with a bad key that nothing names", `${POLICY}witness Z z.example+00000000+AAAA\n`],
    ["a group of an earlier and a later witness", `${LOG}\n${X}\ngroup A any X1 Y1\n${Y}\nquorum A\n`],
    ["a group of a later witness", `${LOG}\ngroup A any X1\n${X}\nquorum A\n`],
    ["a threshold of 0", POLICY.replace("X 2 X1", "X 0 X1")],
    ["a threshold above the members", POLICY.replace("X 2 X1", "X 4 X1")],
    ["a threshold with a leading zero", POLICY.replace("X 2 X1", "X 02 X1")],
    ["a threshold with a sign", POLICY.replace("X 2 X1", "X +2 X1")],
    ["a group of nobody", POLICY.replace("Y any Y1 Y2 Y3", "Y any")],
    ["all of nobody", POLICY.replace("Y any Y1 Y2 Y3", "Y all")],
    ["an unknown member", POLICY.replace("Y any Y1", "Y any Z1")],
    ["a member twice", POLICY.replace("Y any Y1", "Y any Y2")],
    ["a member of two groups", POLICY.replace("XY all X Y", "XY all X Y1")],
    ["the member none", POLICY.replace("Y any Y1", "Y any none")],
    ["an unknown member of a group that nothing names", `${LOG}\n${X}\ngroup A any Z1\nquorum X1\n`],
    ["a threshold that is none, of a group that nothing names", `${LOG}\n${X}\ngroup A x X1\nquorum X1\n`],
    ["a group of a later group", `${X}\ngroup A any B\ngroup B any X1\nquorum A\n`],
    ["a witness named none", POLICY.replace("witness X1", "witness none").replace("2 X1", "1")],
    ["a name used twice", POLICY.replace("group Y ", "group X ")],
    ["a log twice", POLICY.replace(LOG, `${LOG}\n${LOG}`)],
    ["a log key under another name", POLICY.replace(LOG, `${LOG}\nlog ${logKey("other", seed(200)).vkey}`)],
    ["a witness key under another name", `${POLICY}witness Z ${witnessKey("other", seed(1)).vkey}\n`],
    ["a log key as witness", `${POLICY}witness Z ${witnessKey("example.com/log", seed(200)).vkey}\n`],
    ["a witness with a log key", `${POLICY}witness Z ${logKey("z", seed(99)).vkey}\n`],
    ["a log with a witness key", `${POLICY}log ${witnessKey("z", seed(99)).vkey}\n`],
    ["a log with two URLs", POLICY.replace(LOG, `${LOG} https://a https://b`)],
    ["a key in hex", `${LOG}\nwitness A ${"ab".repeat(32)}\nquorum A\n`],
  ])("refuses %s", (_, text) => {
    expect(parseTlogPolicy(text)).toBeNull();
    expect(parseTlogPolicy(POLICY)).not.toBeNull();
  });

  it("becomes a trust description with everybody not named the operator's own", () => {
    const trust = trustFromPolicy(present(parseTlogPolicy(POLICY)), ["X1", "Y2"]);
    expect(checkTlogTrust(trust)).toBeNull();
    expect(trust.logs[0]?.operator).toBe("own");
    expect(
      trust.witnesses.filter((witness) => witness.operator === "independent").map((witness) => witness.name),
    ).toEqual(["X1", "Y2"]);
  });
});

describe("quorumMet", () => {
  const policy = present(parseTlogPolicy(POLICY));
  it.each([
    ["", false],
    ["X1 X2", false],
    ["Y1", false],
    ["X1 Y1", false],
    ["X1 X2 Y1", true],
    ["X2 X3 Y3", true],
    ["X1 X2 X3 Y1 Y2 Y3", true],
    ["Y1 Y2 Y3 X1", false],
  ])("two of X and one of Y: %s", (names, met) => {
    expect(quorumMet(policy, new Set(names.split(" ")))).toBe(met);
  });

  it("needs nobody when the quorum is none", () => {
    expect(quorumMet({ groups: [], quorum: "none" }, new Set())).toBe(true);
    expect(quorumMet({ groups: [], quorum: "X1" }, new Set())).toBe(false);
  });
});

describe.skipIf(!haveVectors)("public Sigsum policies", () => {
  it.each(["sigsum-generic-2025-1", "sigsum-test1-2025", "sigsum-test2-2025"])(
    "refuses %s, whose keys are no vkeys",
    (name) => {
      const text = vectorText(`policies/${name}.builtin-policy.txt`);
      expect(text).toMatch(/^quorum /m);
      expect(parseTlogPolicy(text)).toBeNull();
      // With its keys written as vkeys the same file is read, so nothing else was at fault.
      let first = 0;
      const translated = text
        .replace(/^log +[0-9a-f]{64}/gm, () => `log ${logKey("l", seed(first++)).vkey}`)
        .replace(
          /^(witness +\S+) +[0-9a-f]{64}/gm,
          (_, start) => `${start} ${witnessKey("w", seed(first++)).vkey}`,
        );
      expect(parseTlogPolicy(translated)).not.toBeNull();
    },
  );
});
