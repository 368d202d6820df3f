/** How the streaming form is told from the others, for readers that do not read it. */

/** What every stream begins with: the name of its first line. */
export const STREAM_BEGINNING = '{"header":{';

/** True for the first bytes of a bundle in the streaming form. */
export function isStream(bytes: Uint8Array): boolean {
  for (let i = 0; i < STREAM_BEGINNING.length; i += 1)
    if (bytes[i] !== STREAM_BEGINNING.charCodeAt(i)) return false;
  return true;
}
