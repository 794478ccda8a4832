import type { LabTopology } from '../../../../../src/client/api-types.ts';
import { isMapping, textOf, type Mapping } from '../../../../../src/lib/mapping.ts';
import type { DrawnEnd, DrawnLink, DrawnNode, Drawing } from './drawing.ts';

/** One text for both families, or one for each. */
function addressesOf(value: unknown): { readonly ipv4: string | null; readonly ipv6: string | null } {
  if (isMapping(value)) return { ipv4: textOf(value['ipv4']), ipv6: textOf(value['ipv6']) };
  const text = textOf(value);
  return text?.includes(':') === true ? { ipv4: null, ipv6: text } : { ipv4: text, ipv6: null };
}

/** As in the picture of the lab once it runs: containerlab knows of no hosts and routers. */
function roleOf({ role, device }: DrawnNode, format: Drawing['format']): string | null {
  if (role !== null || device === null) return role;
  if (format === 'containerlab') return /^(ovs-)?bridge$/.test(device) ? 'bridge' : null;
  return device === 'linux' ? 'host' : 'router';
}

const types = ['stub', 'stub', 'p2p', 'lan'];

function typeOf(attributes: Mapping, ends: number): string {
  return textOf(attributes['type']) ?? types[Math.min(ends, 3)] ?? 'lan';
}

/** An address that is a number is only a place in the prefix of the link. */
function endpointOf({ node, interface: name, attributes }: DrawnEnd) {
  const { ipv4, ipv6, ifname } = attributes;
  return { node, interface: name ?? textOf(ifname) ?? '', ipv4: textOf(ipv4), ipv6: textOf(ipv6) };
}

function linkOf({ id, ends, attributes, bridge }: DrawnLink) {
  const joined = bridge === undefined ? [] : [{ node: bridge, interface: null, attributes: {} }];
  const all = [...ends, ...joined];
  return {
    id,
    type: typeOf(attributes, all.length),
    prefix: addressesOf(attributes['prefix']),
    endpoints: all.map(endpointOf),
  };
}

/** The topology for a picture, as far as the file says it: addresses that a lab CLI will choose are not in it. */
export function labTopologyOf({ format, nodes, links }: Drawing): LabTopology {
  return {
    nodes: nodes.map((node) => ({
      name: node.name,
      device: node.device,
      role: roleOf(node, format),
      groups: [...node.groups],
      as: null,
      modules: [],
      loopback: null,
      interfaces: [],
    })),
    links: links.map(linkOf),
  };
}
