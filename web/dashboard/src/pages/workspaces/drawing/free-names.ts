import type { Drawing, Edit } from '../../../parts/drawing/drawing.ts';

const hosts = new Set(['linux']);
const bridges = new Set(['bridge', 'ovs-bridge']);

/** The beginning of the name of a new node: `h` for hosts. */
function prefixFor(device: string): string {
  if (hosts.has(device)) return 'h';
  return bridges.has(device) ? 'br' : 'r';
}

/** The longest name that netlab accepts. */
const longest = 16;

/** The first name with this beginning that neither a node nor a group has: `r3`. */
export function freeName(start: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const name = start.slice(0, longest - String(number).length) + String(number);
    if (!taken.has(name)) return name;
  }
}

const namesIn = ({ nodes, groups }: Drawing): Set<string> =>
  new Set([...nodes, ...groups].map(({ name }) => name));

/** A free name for the copy of each node. */
export function namesOfCopies(names: readonly string[], drawing: Drawing): ReadonlyMap<string, string> {
  const taken = namesIn(drawing);
  return new Map(
    names.map((name) => {
      const copy = freeName(name.replace(/\d+$/, ''), taken);
      taken.add(copy);
      return [name, copy];
    }),
  );
}

/** Images of containerlab that need no account. */
const freeImages: Readonly<Record<string, string>> = {
  linux: 'alpine:latest',
  nokia_srlinux: 'ghcr.io/nokia/srlinux:latest',
};

/** The device of a node that is added without one: that of the last node, unless it comes from defaults or groups. */
function usualDevice({ format, nodes }: Drawing): string | undefined {
  const last = nodes.at(-1);
  if (format === 'containerlab') return last?.device ?? 'linux';
  return typeof last?.attributes['device'] === 'string' ? last.attributes['device'] : undefined;
}

/**
 * The edit that adds a node with this device, or the usual one, under a free name. A kind of containerlab needs an image: it is
 * that of a node of the same kind, which may have none because the file gives one to the kind.
 */
export function addNode(chosen: string | undefined, drawing: Drawing): Extract<Edit, { kind: 'add-node' }> {
  const device = chosen ?? usualDevice(drawing);
  // Without one of its own, it is probably as the last node.
  const name = freeName(prefixFor(device ?? drawing.nodes.at(-1)?.device ?? ''), namesIn(drawing));
  if (device === undefined) return { kind: 'add-node', name, attributes: {} };
  if (drawing.format === 'netlab') return { kind: 'add-node', name, attributes: { device } };
  const alike = drawing.nodes.find((node) => node.device === device);
  const image = alike === undefined ? freeImages[device] : alike.attributes['image'];
  return {
    kind: 'add-node',
    name,
    attributes: { kind: device, ...(typeof image === 'string' && { image }) },
  };
}
