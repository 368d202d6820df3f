/** Known heads moved forward by what verified in full, whatever the verdict (docs/SPEC.md, "Known heads"). */
import type { AnchoredList, Identified } from "../bundle/contents.js";
import type { RootRotationV1 } from "../statements/rotation.js";
import type { KnownHead, KnownHeadsV1, LogHead, NamespaceHeads } from "./inputs.js";

export interface HeadsSeen {
  readonly given: KnownHeadsV1 | null;
  readonly namespaceId: string;
  /** Sound, anchored lists. */
  readonly lists: readonly AnchoredList[];
  readonly rotations: readonly Identified<RootRotationV1>[];
  readonly checkpoints: readonly LogHead[];
}

/** Heads never move back: a lower number or a smaller checkpoint leaves what was known. */
export function movedHeads(seen: HeadsSeen): KnownHeadsV1 {
  const namespaces = new Map((seen.given?.namespaces ?? []).map((entry) => [entry.namespace_id, entry]));
  const known = namespaces.get(seen.namespaceId);
  const list = highest(
    known?.revocation_list,
    seen.lists.map((item) => ({ number: item.statement.list_number, digest: item.digest })),
  );
  const rotation = highest(
    known?.root_rotation,
    seen.rotations.map((item) => ({ number: item.statement.rotation_number, digest: item.digest })),
  );
  const moved: NamespaceHeads = {
    namespace_id: seen.namespaceId,
    ...(list === undefined ? {} : { revocation_list: list }),
    ...(rotation === undefined ? {} : { root_rotation: rotation }),
  };
  namespaces.set(seen.namespaceId, moved);
  const logs = new Map((seen.given?.logs ?? []).map((head) => [head.origin, head]));
  for (const head of seen.checkpoints) {
    const before = logs.get(head.origin);
    if (before === undefined || head.size > before.size) logs.set(head.origin, head);
  }
  return {
    protocol: "OSA_PROOF_V3",
    type: "KnownHeadsV1",
    namespaces: [...namespaces.values()],
    logs: [...logs.values()],
  };
}

function highest(known: KnownHead | undefined, seen: readonly KnownHead[]): KnownHead | undefined {
  return seen.reduce<KnownHead | undefined>(
    (best, head) => (best === undefined || head.number > best.number ? head : best),
    known,
  );
}
