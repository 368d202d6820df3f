/** Layer 8: the closed schema of openings, as journals and workspaces keep them. */
import * as LIMITS from "../limits.js";
import { committedValue } from "../statements/commitment.js";
import * as fields from "../statements/fields.js";
import { array, object, type Schema } from "../statements/schema.js";
import type { Opening, Openings } from "./action.js";

const opening: Schema<Opening> = object<Opening>({ salt: fields.salt, value: committedValue });

/** All openings of one receipt. */
export const openings: Schema<Openings> = object<Openings>({
  receipt_id: fields.identifier,
  input: opening,
  output: opening,
  evidence: array(opening, { maximum: LIMITS.maxReceipts }),
});
