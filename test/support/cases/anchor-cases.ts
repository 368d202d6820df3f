/** Check 8, ANCHOR: a pinned ledger dates every statement, in time. */
import { anchorEntryBytes } from "../../../src/anchors/anchor-entry.js";
import { encodeUtf8 } from "../../../src/encoding/utf8.js";
import type { FailureCode } from "../../../src/errors.js";
import { at, DAY, MINUTE, testDigest } from "../keys.js";
import type { AnchorMaking } from "../log.js";
import { NAMESPACE } from "../trust.js";
import type { InvalidCase } from "./invalid.js";

const TREE_ANCHOR = "/evidence_trees/0/anchors/0";

function entry(
  code: FailureCode,
  name: string,
  why: string,
  how: string,
  made: Partial<InvalidCase>,
): InvalidCase {
  return { code, name, parent: "one-receipt", pointer: TREE_ANCHOR, why, how, ...made };
}

/** The anchor of the tree is made otherwise. */
function anchored(change: (making: AnchorMaking) => void, label = "tree"): Partial<InvalidCase> {
  return { world: { anchors: { [label]: change } } };
}

/** All three witnesses date the tree's anchor from this second on. */
function dated(seconds: number): Partial<InvalidCase> {
  return anchored((making) => {
    making.cosigners = [1, 2, 3].map((witness, step) => ({ witness, time: seconds + step }));
  });
}

export const ANCHOR_CASES: readonly InvalidCase[] = [
  entry(
    "ANCHOR_PROOF_INVALID",
    "log-signature",
    "The checkpoint claims the pinned log and its signature does not verify.",
    "One bit of the log's signature was changed.",
    anchored((making) => {
      making.lines = (lines) =>
        lines.map((line, index) => (index === 0 ? { ...line, signature: flipLast(line.signature) } : line));
    }),
  ),
  entry(
    "ANCHOR_PROOF_INVALID",
    "one-witness-wrong",
    "A line of a pinned witness that does not verify is a failure even where the other two are enough.",
    "One bit of the third witness's signature was changed.",
    anchored((making) => {
      making.lines = (lines) =>
        lines.map((line, index) => (index === 3 ? { ...line, signature: flipLast(line.signature) } : line));
    }),
  ),
  entry(
    "ANCHOR_PROOF_INVALID",
    "text-after-the-magic",
    "A proof has one form, and what is not in it is not read around.",
    "A line was put behind the first line of the proof.",
    anchored((making) => {
      making.text = (text) => text.replace("\n", "\nversion 1\n");
    }),
  ),
  entry(
    "ANCHOR_PROOF_INVALID",
    "path-too-long",
    "The length of a path follows from place and size.",
    "A hash was added to the path.",
    anchored((making) => {
      making.proof = (proof) => ({ ...proof, path: [...proof.path, new Uint8Array(32)] });
    }),
  ),
  entry(
    "ANCHOR_PROOF_INVALID",
    "beside-a-good-one",
    "On a pinned ledger a wrong anchor is a reason for alarm, even beside a good one.",
    "The second anchor of the tree on the pinned log has a wrong log signature.",
    {
      parent: "anchored-twice",
      pointer: "/evidence_trees/0/anchors/1",
      ...anchored((making) => {
        making.lines = (lines) =>
          lines.map((line, index) => (index === 0 ? { ...line, signature: flipLast(line.signature) } : line));
      }, "again"),
    },
  ),
  entry(
    "ANCHOR_PROOF_INVALID",
    "old-lists-anchor",
    "A wrong anchor on a pinned ledger is a reason for alarm wherever it stands, on an old revocation list too.",
    "One bit of the log's signature on the anchor of the first list was changed.",
    {
      parent: "several-lists",
      pointer: "/revocation_lists/0/anchors/0",
      ...anchored((making) => {
        making.lines = (lines) =>
          lines.map((line, index) => (index === 0 ? { ...line, signature: flipLast(line.signature) } : line));
      }, "list:1"),
    },
  ),
  entry(
    "ANCHOR_ENTRY_MISMATCH",
    "another-size-logged",
    "The entry binds the size of the tree, which an inclusion path alone does not.",
    "The log holds the entry of the same root with another size.",
    anchored((making) => {
      making.logged = encodeUtf8(
        new TextDecoder().decode(making.entry).replace('"tree_size":1', '"tree_size":2'),
      );
    }),
  ),
  entry(
    "ANCHOR_ENTRY_MISMATCH",
    "another-root-logged",
    "The verifier builds the entry itself: a proof of another root is no proof of this one.",
    "The log holds the entry of another root in this place.",
    anchored((making) => {
      making.logged = anchorEntryBytes({
        namespaceId: NAMESPACE,
        subject: "evidence_root",
        digest: testDigest("another root"),
        treeSize: 1,
      });
    }),
  ),
  entry(
    "ANCHOR_ENTRY_MISMATCH",
    "something-else-logged",
    "The proof is genuine, and for another entry of the log.",
    "The log holds other bytes in this place.",
    anchored((making) => {
      making.logged = encodeUtf8("an entry of somebody else");
    }),
  ),
  entry(
    "ANCHOR_ENTRY_MISMATCH",
    "anchor-of-the-list",
    "The entry names its subject: the anchor of a revocation list dates no evidence.",
    "The tree's anchor was replaced by that of the list.",
    {
      bundle: (bundle) => {
        bundle["evidence_trees"][0].anchors = bundle["revocation_lists"][0].anchors;
      },
    },
  ),
  entry(
    "ANCHOR_LOG_FORK",
    "another-root-known",
    "The log has shown this verifier another root for the same size: it told two stories.",
    "The root in the known heads was changed.",
    {
      parent: "known-heads",
      side: [
        "heads",
        (heads) => {
          heads["logs"][0].root = testDigest("another root");
        },
      ],
    },
  ),
  entry(
    "ANCHOR_LOG_NOT_CONTINUED",
    "not-shown-to-continue",
    "Proofs that the log continues were asked for, and its checkpoint has none.",
    "The proof of consistency was taken out.",
    {
      parent: "log-continued",
      side: [
        "supplement",
        (supplement) => {
          supplement["log_consistency"].pop();
        },
      ],
    },
  ),
  entry(
    "ANCHOR_LOG_NOT_CONTINUED",
    "another-beginning-known",
    "The log that the verifier knows is not the beginning of this one: no proof can show that it is.",
    "The root in the known heads was changed.",
    {
      parent: "log-continued",
      side: [
        "heads",
        (heads) => {
          heads["logs"][0].root = testDigest("another root");
        },
      ],
    },
  ),
  entry(
    "ANCHOR_LOG_NOT_CONTINUED",
    "continuation-with-another-hash",
    "A proof of consistency leads to both roots or proves nothing.",
    "One hash of the proof was changed.",
    {
      parent: "log-continued",
      side: [
        "supplement",
        (supplement) => {
          supplement["log_consistency"][0].hashes[0] = testDigest("another hash");
        },
      ],
    },
  ),
  entry(
    "ANCHOR_LOG_NOT_CONTINUED",
    "continuation-with-a-hash-too-many",
    "All hashes of a proof of consistency are used.",
    "A hash was put behind the others.",
    {
      parent: "log-continued",
      side: [
        "supplement",
        (supplement) => {
          supplement["log_consistency"][0].hashes.push(testDigest("one more"));
        },
      ],
    },
  ),
  entry(
    "ANCHOR_LOG_NOT_CONTINUED",
    "continuation-of-another-log",
    "A proof counts for the log that it names.",
    "The proof names another log.",
    {
      parent: "log-continued",
      side: [
        "supplement",
        (supplement) => {
          supplement["log_consistency"][0].origin = "log.example.net/elsewhere";
        },
      ],
    },
  ),
  entry(
    "ANCHOR_MISSING",
    "no-anchor",
    "Without an anchor nobody but the maker says when this existed.",
    "The tree's anchor was taken out.",
    {
      pointer: "/evidence_trees/0/anchors",
      bundle: (bundle) => {
        bundle["evidence_trees"][0].anchors = [];
      },
    },
  ),
  entry(
    "ANCHOR_MISSING",
    "unpinned-ledgers-only",
    "Ledgers that the auditor does not pin prove nothing: anybody can run one.",
    "The good anchor was taken out; the one on another log and the one of another type are left.",
    {
      parent: "unpinned-extra-anchor",
      pointer: "/evidence_trees/0/anchors",
      bundle: (bundle) => {
        bundle["evidence_trees"][0].anchors.shift();
      },
    },
  ),
  entry(
    "ANCHOR_OPERATOR_ONLY",
    "no-cosignature",
    "A checkpoint that only its own operator signed is the operator's word.",
    "No witness cosigned the checkpoint.",
    anchored((making) => {
      making.cosigners = [];
    }),
  ),
  entry(
    "ANCHOR_QUORUM_NOT_MET",
    "one-of-three",
    "The policy asks for two witnesses.",
    "Only one witness cosigned the checkpoint.",
    anchored((making) => {
      making.cosigners = making.cosigners.slice(0, 1);
    }),
  ),
  entry(
    "ANCHOR_QUORUM_NOT_MET",
    "second-witness-not-pinned",
    "Only pinned witnesses are counted; anybody can add lines.",
    "One pinned witness and one that nobody pins cosigned the checkpoint.",
    anchored((making) => {
      making.cosigners = [
        { witness: 1, time: 40 * MINUTE },
        { witness: 4, time: 40 * MINUTE + 1 },
      ];
    }),
  ),
  entry(
    "ANCHOR_TIME_MISSING",
    "undated-cosignatures",
    "A cosignature of time 0 shows that the witness saw the tree, and not when.",
    "All witnesses cosigned with time 0.",
    anchored((making) => {
      making.cosigners = [1, 2, 3].map((witness) => ({ witness, time: undefined }));
    }),
  ),
  entry(
    "ANCHOR_FROM_FUTURE",
    "before-it-was-anchored",
    "At the verification time this anchor did not exist.",
    "The verification time was set to ten minutes before the anchor.",
    { at: at(30 * MINUTE) },
  ),
  entry(
    "ANCHOR_BEFORE_ISSUE",
    "dated-before-the-receipt",
    "What was anchored before it says it was made is dated wrongly.",
    "The witnesses date the anchor two minutes before the receipt.",
    { ...dated(3 * MINUTE), pointer: "/receipts/0" },
  ),
  entry(
    "ANCHOR_TOO_LATE",
    "a-day-after-the-key",
    "Only an anchor made soon after the key expired shows that it was not stolen first.",
    "The witnesses date the anchor a day and a second after the end of the runtime's key.",
    { ...dated(30 * MINUTE + DAY), parent: "verified-a-day-later", pointer: "/receipts/0" },
  ),
  entry(
    "ANCHOR_TOO_LATE",
    "one-second-past-the-boundary",
    "The last moment is the last: a second later is too late.",
    "The witnesses date the anchor one second later.",
    { ...dated(30 * MINUTE + DAY), parent: "at-the-boundaries", pointer: "/receipts/0" },
  ),
  entry(
    "ANCHOR_TOO_LATE",
    "policy-allows-less",
    "The auditor decides how long after its end a key may still be believed.",
    "The policy allows one minute; the anchor is ten minutes after the end of the runtime's key.",
    {
      pointer: "/receipts/0",
      side: [
        "trust",
        (trust) => {
          trust["max_anchor_delay_seconds"] = 60;
        },
      ],
    },
  ),
  entry(
    "ANCHOR_AFTER_ROTATION",
    "anchored-after-the-change",
    "Under an old root only what was anchored before the rotation took effect is believed: a retired root may be stolen.",
    "The witnesses date the tree's anchor at the very instant that the rotation took effect.",
    { ...dated(90 * MINUTE - 1), parent: "rotation-backward", pointer: "/receipts/0" },
  ),
];

function flipLast(bytes: Uint8Array): Uint8Array {
  const changed = bytes.slice();
  // The third byte from the end: Ed25519 forbids high values of the last one, and this one stays in range.
  const place = changed.length - 3;
  changed[place] = (changed[place] ?? 0) ^ 1;
  return changed;
}
