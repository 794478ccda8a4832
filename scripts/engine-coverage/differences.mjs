/** Compares the addresses of a lab with those that netlab computes. */

/** @typedef {{ ipv4?: unknown, ipv6?: unknown }} Addresses */
/** @typedef {{ id: number, loopback?: Addresses | null, interfaces: readonly (Addresses & { ifname: string })[] }} Computed */

/** @param {Addresses | null | undefined} addresses */
const both = (addresses) => {
  const text = (/** @type {unknown} */ value) => (typeof value === 'string' ? value : '-');
  return `${text(addresses?.ipv4)} ${text(addresses?.ipv6)}`;
};

/** @param {Computed | undefined} node */
function linesOf(node) {
  if (node === undefined) return ['no such node'];
  const interfaces = node.interfaces.map((each, index) => `interface ${index + 1} ${both(each)}`);
  return [`id ${node.id}`, `loopback ${both(node.loopback)}`, ...interfaces];
}

/**
 * What differs, a sentence each.
 * @param {{ nodes: readonly (Computed & { name: string })[] }} ours `lab.snapshot.json`
 * @param {{ nodes: Record<string, Computed> }} theirs `netlab create -o json`
 */
export function differences(ours, theirs) {
  const names = new Set([...ours.nodes.map(({ name }) => name), ...Object.keys(theirs.nodes)]);
  return [...names].flatMap((name) => {
    const mine = linesOf(ours.nodes.find((node) => node.name === name));
    const other = linesOf(theirs.nodes[name]);
    return Array.from({ length: Math.max(mine.length, other.length) }, (_, index) => index)
      .filter((index) => mine[index] !== other[index])
      .map((index) => `${name}: ${mine[index] ?? 'nothing'}; netlab: ${other[index] ?? 'nothing'}`);
  });
}
