/** Layer 1: checks on the bytes of a CBOR text string, made before anything turns them into a string. */

/**
 * What is wrong with `bytes[start, end)` as a text: bad UTF-8 (RFC 3629 section 4: no overlong form, no
 * surrogate, nothing above U+10FFFF) or a Unicode noncharacter (RFC 7493 section 2.1). Null when it is clean.
 */
export function textFault(bytes: Uint8Array, start: number, end: number): string | null {
  let at = start;
  while (at < end) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) {
      at += 1;
      continue;
    }
    const size = sequenceSize(lead);
    if (size === 0 || at + size > end) return "bad UTF-8";
    const second = bytes[at + 1] ?? 0;
    if (second < lowestSecond(lead) || second > highestSecond(lead)) return "bad UTF-8";
    let point = ((lead & (0xff >> (size + 1))) << 6) | (second & 0x3f);
    for (let next = at + 2; next < at + size; next++) {
      const byte = bytes[next] ?? 0;
      if (byte >> 6 !== 0b10) return "bad UTF-8";
      point = (point << 6) | (byte & 0x3f);
    }
    if ((point & 0xfffe) === 0xfffe || (point >= 0xfdd0 && point <= 0xfdef)) return "a Unicode noncharacter";
    at += size;
  }
  return null;
}

/** Bytes in the sequence that `lead` begins; 0 when no sequence may begin with it. */
function sequenceSize(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 0;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** E0 and F0 would be overlong below these. */
function lowestSecond(lead: number): number {
  if (lead === 0xe0) return 0xa0;
  return lead === 0xf0 ? 0x90 : 0x80;
}

/** ED would be a surrogate above 9F, F4 beyond U+10FFFF above 8F. */
function highestSecond(lead: number): number {
  if (lead === 0xed) return 0x9f;
  return lead === 0xf4 ? 0x8f : 0xbf;
}

/** Whether the text is `0x` and then whole bytes in lower-case hex: the spelling that belongs to byte strings. */
export function looksLikeHex(bytes: Uint8Array, start: number, end: number): boolean {
  if ((end - start) % 2 !== 0 || bytes[start] !== 0x30 || bytes[start + 1] !== 0x78) return false;
  for (let at = start + 2; at < end; at++) {
    const byte = bytes[at] ?? 0;
    const digit = byte >= 0x30 && byte <= 0x39;
    const letter = byte >= 0x61 && byte <= 0x66;
    if (!digit && !letter) return false;
  }
  return true;
}
