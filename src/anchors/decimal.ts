/** Layer 5: whole numbers as notes write them. */

const DECIMAL = /^(?:0|[1-9][0-9]{0,15})$/;

/** The number of plain digits without leading zero, up to 2^53-1; null otherwise. */
export function parseDecimal(text: string): number | null {
  if (!DECIMAL.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}
