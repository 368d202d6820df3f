/** Results as lines for a terminal. Pure. */

/** A number as it is read: ratios with two digits, sizes with as many as matter. */
export function format(value, unit) {
  if (unit === "x") return value.toFixed(2);
  if (unit === "") return String(value);
  return `${value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0)} ${unit}`;
}

export const thousands = (value) => Math.round(value).toLocaleString("en-US");

/** "1.52 [1.48-1.60]"; one sample alone has no spread. */
export function spread({ median, min, max, rounds }, unit) {
  if (rounds === 1) return format(median, unit);
  return `${format(median, unit)} [${format(min, unit)}-${format(max, unit)}]`.replaceAll(
    / (kB|MB)(?=[-\]])/g,
    "",
  );
}

export function bound({ better, unit }, value) {
  return `${better === "higher" ? "≥" : "≤"} ${format(value, unit)}`;
}

/** "met", "not yet", or what the figure waits for. */
export function state(figure) {
  return figure.waits ?? (figure.met ? "met" : "not yet");
}

export function machineLine({ machine, rounds }) {
  const { version, date, cpu, cores, node, nodeOpenssl } = machine;
  return `osa-proof ${version}, ${date}: ${cpu}, ${cores} cores, Node.js ${node.slice(1)} with OpenSSL ${nodeOpenssl}; medians of ${rounds} interleaved rounds [least-most]`;
}

/** OpenSSL's own figures, for the size of things. */
export function opensslLine({ machine, openssl }) {
  if (openssl === null) return "openssl speed: there is no openssl command here";
  const rate = (name, { sign, verify }) => `${name} ${thousands(verify)} verify/s, ${thousands(sign)} sign/s`;
  return `openssl ${machine.openssl} speed, one core: ${rate("P-256", openssl.ecdsap256)}; ${rate("Ed25519", openssl.ed25519)}`;
}

/** Columns as wide as their widest cell. */
export function columns(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join("  ")
      .trimEnd(),
  );
}

export function figuresText({ figures }) {
  const rows = figures.map((figure) => [
    figure.title.replaceAll("`", ""),
    figure.waits === undefined ? spread(figure, figure.unit) : "-",
    bound(figure, figure.target),
    figure.waits === undefined && !figure.met
      ? `not yet; held to ${bound(figure, figure.limit)}`
      : state(figure),
  ]);
  return columns([["figure", "measured", "must reach", ""], ...rows]);
}

export function peerText({ peers }) {
  const rows = peers.map(({ name, version, bytes, microseconds, overRaw }) => [
    `${name} ${version}`,
    `${bytes}`,
    microseconds.median.toFixed(0),
    spread(overRaw, "x"),
  ]);
  const table = columns([["one receipt", "bytes", "us CPU", "over its bare signature check"], ...rows]);
  const notes = peers.flatMap(({ name, checks, leaves }) => [
    `${name}`,
    `  checks: ${checks}`,
    `  leaves out: ${leaves}`,
  ]);
  return [...table, ...notes];
}
