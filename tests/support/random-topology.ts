/** mulberry32: small, seeded, the same everywhere. */
export function randomSource(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pools = [
  '',
  'addressing: {lan: {ipv6: 2001:db8:1::/48}, p2p: {ipv6: 2001:db8:2::/48}, loopback: {ipv6: 2001:db8:3::/48}}',
  'addressing: {p2p: {ipv4: 10.30.0.0/20, prefix: 31, ipv6: 2001:db8:2::/48, prefix6: 127}}',
  'addressing: {lan: {ipv4: 10.50.0.0/16, prefix: 28}, loopback: {ipv4: 10.60.0.0/20}}',
];

/** A topology with hosts, routers, p2p, LANs, stubs, given prefixes and often more than one part. The same for a seed. */
export function randomTopology(seed: number): string {
  const random = randomSource(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const names = Array.from(
    { length: 3 + below(12) },
    (_, index) => pick(['n', 'N', '_', 'x']) + String(index),
  );
  const isRouter = names.map(() => random() < 0.6);
  const nodes = names.map((name, index) => {
    const id = random() < 0.15 ? `id: ${40 + index * 3}` : '';
    const role = isRouter[index] === true ? 'role: router' : '';
    return `  ${name}: {${[id, role].filter((part) => part !== '').join(', ')}}`;
  });
  const links = Array.from({ length: names.length + below(6) }, (_, index) => {
    const size = pick([1, 2, 2, 2, 2, 3, 4]);
    const ends = new Set(Array.from({ length: size }, () => pick(names)));
    const list = [...ends].join(', ');
    if (random() < 0.15) return `- {interfaces: [${list}], prefix: 192.168.${index * 2}.0/24}`;
    if (random() < 0.1) return `- {interfaces: [${list}], prefix: {ipv6: "2001:db8:9:${index}::/64"}}`;
    return random() < 0.3
      ? `- {interfaces: [${list}], type: ${ends.size === 1 ? 'stub' : 'lan'}}`
      : `- [${list}]`;
  });
  return [pick(pools), 'nodes:', ...nodes, 'links:', ...links, ''].join('\n');
}
