import { covers, networkOf, parsePrefix } from '../../src/lib/net/ip.ts';
import type { Prefix } from '../../src/lib/net/ip.ts';
import type { Lab, LabInterface, LabNode } from '../../src/engine/core/lab.ts';

interface Rule {
  readonly network: Prefix;
  /** Absent for what is directly connected, null for what is not reachable. */
  readonly via: string | null | undefined;
  readonly linkIndex: number | undefined;
}

interface Owner {
  readonly node: string;
  readonly linkIndex: number | undefined;
}

function prefixOf(text: string): Prefix {
  const prefix = parsePrefix(text);
  if (prefix === undefined) throw new Error(`not a prefix: ${text}`);
  return prefix;
}

function hostOf(address: string): Prefix {
  return prefixOf(`${address}/${address.includes(':') ? 128 : 32}`);
}

function connectedRules(node: LabNode): Rule[] {
  return node.interfaces.flatMap(({ linkIndex, ipv4, ipv6 }) =>
    [ipv4, ipv6].flatMap((text) =>
      text === undefined ? [] : [{ network: networkOf(prefixOf(text)), via: undefined, linkIndex }],
    ),
  );
}

/** The lab as it is when `name` has shut one of its links: the kernel drops the routes that led out there. */
export function withShutLink(lab: Lab, name: string, shut: LabInterface): Lab {
  const gone = [shut.ipv4, shut.ipv6].flatMap((text) =>
    text === undefined ? [] : networkOf(prefixOf(text)),
  );
  const leadsThere = (via: string | null): boolean =>
    via !== null && gone.some((network) => covers(network, hostOf(via)));
  const nodes = lab.nodes.map((node) => {
    if (node.name !== name) return node;
    const interfaces = node.interfaces.filter((each) => each !== shut);
    return { ...node, interfaces, routes: node.routes.filter(({ via }) => !leadsThere(via)) };
  });
  return { ...lab, nodes };
}

/** Carries packets through a lab as the kernel would: own addresses, then the longest matching prefix, hop by hop. */
export class Forwarding {
  readonly #nodes: ReadonlyMap<string, LabNode>;
  readonly #rules = new Map<string, Rule[]>();
  /** Per link and address, as neighbour discovery would find it. */
  readonly #owners = new Map<string, Owner[]>();

  constructor({ nodes }: Lab) {
    this.#nodes = new Map(nodes.map((node) => [node.name, node]));
    for (const node of nodes) {
      const routes = node.routes.map(({ to, via }) => ({ network: prefixOf(to), via, linkIndex: undefined }));
      const rules: Rule[] = [...connectedRules(node), ...routes];
      this.#rules.set(
        node.name,
        rules.toSorted((one, other) => other.network.length - one.network.length),
      );
      for (const { linkIndex, ipv4, ipv6 } of node.interfaces)
        this.#own([ipv4, ipv6], { node: node.name, linkIndex });
      this.#own([node.loopback?.ipv4, node.loopback?.ipv6], { node: node.name, linkIndex: undefined });
    }
  }

  #own(texts: readonly (string | undefined)[], owner: Owner): void {
    for (const text of texts) {
      const address = text?.split('/')[0];
      if (address !== undefined) this.#owners.set(address, [...(this.#owners.get(address) ?? []), owner]);
    }
  }

  /** Every address in the lab with its node. */
  addresses(): { readonly node: string; readonly address: string; readonly linkIndex: number | undefined }[] {
    return [...this.#owners].flatMap(([address, owners]) => owners.map((owner) => ({ ...owner, address })));
  }

  #lookUp(node: string, address: string): Rule | undefined {
    const host = hostOf(address);
    return this.#rules.get(node)?.find(({ network }) => covers(network, host));
  }

  #neighbour(address: string, linkIndex: number | undefined): string | undefined {
    return this.#owners.get(address)?.find((owner) => owner.linkIndex === linkIndex)?.node;
  }

  /** `delivered`, or where and why a packet from `node` to `address` got lost. */
  send(node: string, address: string): string {
    const way = [node];
    for (let at = node; way.length < 200; way.push(at)) {
      if (this.#owners.get(address)?.some((owner) => owner.node === at) === true) return 'delivered';
      if (way.length > 1 && this.#nodes.get(at)?.role === 'host')
        return `${at} does not forward (${way.join(' ')})`;
      const rule = this.#lookUp(at, address);
      if (rule === undefined) return `${at} has no route to ${address} (${way.join(' ')})`;
      if (rule.via === null) return `${at} says that ${address} is unreachable`;
      const onLink = rule.via === undefined ? rule : this.#lookUp(at, rule.via);
      const next = this.#neighbour(rule.via ?? address, onLink?.linkIndex);
      if (onLink?.via !== undefined || next === undefined)
        return `${at} finds nobody for ${rule.via ?? address}`;
      at = next;
    }
    return `loop: ${way.join(' ')}`;
  }

  /** The address that `node` sends from: that of the interface that the packet leaves through. */
  sourceOf(node: string, address: string): string | undefined {
    const rule = this.#lookUp(node, address);
    const onLink = typeof rule?.via !== 'string' ? rule : this.#lookUp(node, rule.via);
    const used = this.#nodes.get(node)?.interfaces.find(({ linkIndex }) => linkIndex === onLink?.linkIndex);
    return (address.includes(':') ? used?.ipv6 : used?.ipv4)?.split('/')[0];
  }
}
