/** The lab that containerlab has made, from the files in its directory: `clab-NAME/topology-data.json` (0.79, and before 0.73). */
import path from 'node:path';
import * as z from 'zod';
import { AppError, messageOf } from '../../../lib/app-error.ts';
import { listOf, mappingOf, understood } from '../../system/first-mistake.ts';
import { parseJson, readForeign, shortBytes, type Form } from '../../system/foreign-file.ts';
import type { LabTopology, TopologyInterface } from '../topology.ts';
import { annotationsFile } from './annotations-file.ts';
import { findingsIn } from './findings.ts';
import type { TopologyDriver } from '../topology-driver.ts';

/** Only addresses from the topology are known; addresses that nodes set themselves are not. */
const address = z.string().min(1).nullable().catch(null).default(null);
const endSchema = z.object({ node: z.string(), interface: z.string(), ipv4: address, ipv6: address });

/** The ends of a link: two, `a` and `z`, or one of a link that leads to the machine. */
const endsSchema = z.object({ a: endSchema, z: endSchema.optional() });

/** The part of the file that is read. Before 0.73, a link was its ends (clab/export_templates/auto.tmpl). */
const dataSchema = z.object({
  nodes: mappingOf(
    z.object({ kind: z.string().optional(), group: z.string().optional(), index: z.coerce.number() }),
  ),
  links: listOf(
    z.union([z.object({ endpoints: endsSchema }), endsSchema.transform((endpoints) => ({ endpoints }))]),
  )
    .nullable()
    .optional(),
});

const none = { ipv4: null, ipv6: null };

function topologyOf({ nodes, links }: z.output<typeof dataSchema>): LabTopology {
  const told = (links ?? []).map(({ endpoints }, index) => {
    const ends = [endpoints.a, endpoints.z].filter((end) => end !== undefined);
    return { id: String(index + 1), ends: ends.filter(({ node }) => nodes.has(node)) };
  });
  const interfacesOf = new Map<string, TopologyInterface[]>([...nodes.keys()].map((name) => [name, []]));
  for (const { id, ends } of told)
    for (const { node, interface: name, ipv4, ipv6 } of ends)
      interfacesOf.get(node)?.push({ name, link: id, ipv4, ipv6 });
  const ordered = [...nodes].toSorted(([, a], [, b]) => a.index - b.index);
  return {
    nodes: ordered.map(([name, { kind = null, group }]) => ({
      name,
      device: kind,
      role: kind === 'bridge' || kind === 'ovs-bridge' ? 'bridge' : null,
      groups: group ? [group] : [],
      as: null,
      modules: [],
      loopback: null,
      interfaces: interfacesOf.get(name) ?? [],
    })),
    links: told.map(({ id, ends }) => ({
      id,
      type: ends.length === 2 ? 'p2p' : 'stub',
      prefix: none,
      endpoints: ends,
    })),
  };
}

export const containerlabTopologyForm: Form<LabTopology> = {
  name: 'topology-data.json',
  // The file of a lab of 1,000 nodes has about 2 MB.
  maxBytes: 64 * 1024 * 1024,
  besideBytes: shortBytes,
  read: (bytes) => topologyOf(understood(dataSchema, parseJson(bytes))),
};

export const containerlabTopology: TopologyDriver = {
  layoutFile: annotationsFile,
  findings: findingsIn,
  snapshotName: (lab) => path.join(`clab-${lab}`, 'topology-data.json'),
  read: async (directory, _run, lab) => {
    const file = path.join(directory, containerlabTopology.snapshotName(lab));
    return readForeign(file, containerlabTopologyForm).catch((cause: unknown) => {
      const message = `${file} does not tell the topology of the lab: deploy the lab again with "up", which writes it`;
      throw new AppError('lab-cli-failed', message, {
        cause,
        extra: { output: messageOf(cause).split('\n') },
      });
    });
  },
};
