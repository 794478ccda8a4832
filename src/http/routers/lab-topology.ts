import * as z from 'zod';
import type { LabTopology } from '../../labs/drivers/topology.ts';
import { strongETag } from '../reply/etag.ts';
import { jsonText } from '../reply/json.ts';
import { defineRoute, noQuery, notModified } from '../route.ts';
import { labParams } from './labs.ts';

const addressShape = {
  ipv4: z.string().nullable().describe('With prefix length, such as `10.1.0.1/30`; null where it has none.'),
  ipv6: z
    .string()
    .nullable()
    .describe('With prefix length, such as `2001:db8:1::1/64`; null where it has none.'),
};
const addressesSchema = z
  .object(addressShape)
  .meta({ id: 'Addresses', description: 'An address or a prefix of each family.' });

const interfaceSchema = z
  .object({
    name: z.string().describe('As the device calls it, such as `eth1`.'),
    link: z.string().nullable().describe('The `id` of its link; null for one that is on none.'),
    ...addressShape,
  })
  .meta({ id: 'TopologyInterface', description: 'An interface of a node.' });

const nodeSchema = z
  .object({
    name: z.string().describe('As the topology calls it.'),
    device: z.string().nullable().describe('Its device type, such as `frr`, or null.'),
    role: z
      .string()
      .nullable()
      .describe('`router`, `host`, `bridge` or another word of the lab CLI; null when that says none.'),
    groups: z.array(z.string()).describe('The groups of the topology that it is in.'),
    as: z
      .int()
      .nullable()
      .describe(
        'The number of the autonomous system of its BGP (`bgp.as` of netlab); null when it has none, or the lab CLI does not tell.',
      ),
    modules: z
      .array(z.string())
      .describe('The modules of netlab that it uses, such as `ospf`; none with other lab CLIs.'),
    loopback: addressesSchema
      .nullable()
      .describe('The addresses of its loopback (with prefix lengths); null without one.'),
    interfaces: z.array(interfaceSchema).describe('In the order of its links.'),
  })
  .meta({ id: 'TopologyNode', description: 'A node of a topology.' });

const endpointSchema = z
  .object({
    node: z.string().describe('The `name` of the node.'),
    interface: z.string().describe('The `name` of its interface.'),
    ...addressShape,
  })
  .meta({ id: 'TopologyEndpoint', description: 'One end of a link.' });

const linkSchema = z
  .object({
    id: z.string().describe('Names the link in this topology.'),
    type: z.string().describe('`p2p`, `lan`, `stub`, `loopback` or another word of the lab CLI.'),
    prefix: addressesSchema.describe('The prefixes of its addresses.'),
    endpoints: z.array(endpointSchema).describe('One for a stub, two, or more on a shared network.'),
  })
  .meta({ id: 'TopologyLink', description: 'A link of a topology.' });

const topologySchema = z
  .object({
    nodes: z.array(nodeSchema).describe('In the order of the topology.'),
    links: z.array(linkSchema).describe('In the order of the topology.'),
  })
  .meta({ id: 'LabTopology', description: 'A lab as it was computed, with all its addresses.' });

/** The error codes of all routes that read the topology of a lab. */
export const topologyErrors = [
  'forbidden-path',
  'instance-not-found',
  'topology-not-found',
  'not-supported',
  'lab-cli-failed',
  'lab-cli-missing',
  'lab-cli-timeout',
  'shutting-down',
] as const;

/** Converting the topology of a few thousand nodes takes time, and clients ask for it repeatedly. */
const kept = new WeakMap<LabTopology, { readonly text: string; readonly etag: string }>();

function textOf(topology: LabTopology) {
  let found = kept.get(topology);
  if (found === undefined) {
    const text = jsonText(topology);
    found = { text, etag: strongETag(text) };
    kept.set(topology, found);
  }
  return found;
}

export const getLabTopology = defineRoute({
  method: 'get',
  path: '/labs/:id/topology',
  permission: 'read',
  about: 'lab',
  tag: 'labs',
  operationId: 'getLabTopology',
  summary: 'The nodes and links of a lab, with all addresses',
  description:
    'From the snapshot that the lab CLI wrote when the lab was started or created: what is in the topology file now may be something else. It is read once, and again when the snapshot changes. A lab without a snapshot is 404 `topology-not-found`, with what to do.',
  params: labParams,
  query: noQuery,
  headers: ['If-None-Match'],
  replies: {
    200: {
      description: 'The topology.',
      content: { 'application/json': topologySchema },
      headers: ['ETag', 'Cache-Control'],
    },
    304: notModified,
  },
  errors: topologyErrors,
  handler: async ({ lab }) => {
    const topology = await lab.topology();
    const { text, etag } = textOf(topology);
    const headers = { ETag: etag, 'Cache-Control': 'no-cache' };
    return { kind: 'json', status: 200, value: topology, text, headers };
  },
});
