import path from 'node:path';
import * as z from 'zod';
import { AppError, messageOf } from '../../../lib/app-error.ts';
import { readPlainBytes } from '../../../lib/files/plain-file.ts';
import { listOf, understood } from '../../system/first-mistake.ts';
import { parseJson, readForeign, shortBytes, type Form } from '../../system/foreign-file.ts';
import { findingsIn } from '../netlab-language/findings.ts';
import type { TopologyDriver } from '../topology-driver.ts';
import type { Addresses, LabTopology } from '../topology.ts';

const addresses = z.object({ ipv4: z.string().optional(), ipv6: z.string().optional() });

/** The part of `lab.snapshot.json` (docs/engine.md) that is read. */
const snapshotSchema = z.object({
  nodes: listOf(
    z.object({
      name: z.string(),
      device: z.string(),
      role: z.string(),
      loopback: addresses.nullable(),
      interfaces: listOf(addresses.extend({ ifname: z.string(), linkIndex: z.int() })),
    }),
  ),
  links: listOf(
    z.object({
      linkIndex: z.int(),
      type: z.string(),
      prefix: addresses,
      ends: listOf(z.object({ node: z.string(), ifname: z.string() })),
    }),
  ),
});

type Snapshot = z.output<typeof snapshotSchema>;

function addressesOf({ ipv4, ipv6 }: z.output<typeof addresses>): Addresses {
  return { ipv4: ipv4 ?? null, ipv6: ipv6 ?? null };
}

function topologyOf({ nodes, links }: Snapshot): LabTopology {
  const interfaces = new Map(
    nodes.flatMap((node) => node.interfaces.map((one) => [`${node.name} ${one.ifname}`, one] as const)),
  );
  return {
    nodes: nodes.map(({ name, device, role, loopback, interfaces: own }) => ({
      name,
      device,
      role,
      groups: [],
      // It refuses topologies with modules.
      as: null,
      modules: [],
      loopback: loopback && addressesOf(loopback),
      interfaces: own.map((one) => {
        return { name: one.ifname, link: String(one.linkIndex), ...addressesOf(one) };
      }),
    })),
    links: links.map(({ linkIndex, type, prefix, ends }) => ({
      id: String(linkIndex),
      type,
      prefix: addressesOf(prefix),
      endpoints: ends.map(({ node, ifname }) => {
        return { node, interface: ifname, ...addressesOf(interfaces.get(`${node} ${ifname}`) ?? {}) };
      }),
    })),
  };
}

export const engineTopologyForm: Form<LabTopology> = {
  name: 'lab.snapshot.json',
  // A snapshot of 5,000 nodes has some 20 MB.
  maxBytes: 64 * 1024 * 1024,
  besideBytes: shortBytes,
  read: (bytes) => topologyOf(understood(snapshotSchema, parseJson(bytes))),
};

const snapshotName = 'lab.snapshot.json';

/** The engine has it in a file that is quicker read than a program started. */
export const engineTopology: TopologyDriver = {
  findings: findingsIn,
  snapshotName: () => snapshotName,
  keptInstance: async (directory) => {
    const { maxBytes } = engineTopologyForm;
    const reading = await readPlainBytes(path.join(directory, snapshotName), {
      maxBytes,
      followsLinks: false,
    });
    // The engine writes a member of the lab in a line of its own: the rest needs not be parsed.
    const text = reading.kind === 'found' ? reading.bytes.toString('utf8') : '';
    return /^ {2}"instance": "([^"]+)",?$/m.exec(text)?.[1];
  },
  read: async (directory) => {
    const file = path.join(directory, snapshotName);
    return readForeign(file, engineTopologyForm).catch((cause: unknown) => {
      const message = `${file} is not a snapshot of a lab: start the lab again with "up", which writes it`;
      throw new AppError('lab-cli-failed', message, {
        cause,
        extra: { output: messageOf(cause).split('\n') },
      });
    });
  },
};
