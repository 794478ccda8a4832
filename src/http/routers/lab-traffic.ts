import * as z from 'zod';
import { defineRoute, jsonReply, noQuery } from '../route.ts';
import { topologyErrors } from './lab-topology.ts';
import { labParams } from './labs.ts';

const count = (words: string) => z.int().min(0).describe(`${words}, since the kernel made the interface.`);

const interfaceSchema = z
  .object({
    interface: z.string().describe('As the topology calls it.'),
    link: z.string().describe('The `id` of its link in the topology.'),
    rxBytes: count('Bytes that came in'),
    rxPackets: count('The number of packets that came in'),
    rxErrors: count('The number of packets that came in and were damaged'),
    rxDrops: count('The number of packets that came in and were dropped'),
    txBytes: count('Bytes that went out'),
    txPackets: count('The number of packets that went out'),
    txErrors: count('The number of packets that could not be sent'),
    txDrops: count('The number of packets that were dropped in place of being sent'),
  })
  .meta({ id: 'InterfaceTraffic', description: 'The counters of an interface at a link.' });

const nodeSchema = z
  .object({
    node: z.string().describe('The `name` of the node in the topology.'),
    readAtMs: z
      .int()
      .min(0)
      .describe(
        'When its counters were read, in milliseconds since the server of the lab booted: a clock that is never set.',
      ),
    interfaces: z.array(interfaceSchema).describe('In the order of its links.'),
  })
  .meta({ id: 'NodeTraffic', description: 'The counters of a node.' });

const unreadSchema = z
  .object({
    node: z.string().describe('The `name` of the node in the topology.'),
    interface: z.string().nullable().describe('One of its interfaces; null for all of them.'),
    reason: z.string().describe('Why, as a clause.'),
  })
  .meta({ id: 'UnreadTraffic', description: 'Interfaces at links that were not read.' });

const trafficSchema = z
  .object({
    nodes: z.array(nodeSchema).describe('The nodes with links that were read.'),
    unread: z.array(unreadSchema).describe('Those that were not: stopped nodes, virtual machines.'),
  })
  .meta({ id: 'LabTraffic', description: 'The counters of all interfaces at links of a lab.' });

export const getLabTraffic = defineRoute({
  method: 'get',
  path: '/labs/:id/traffic',
  permission: 'read',
  about: 'lab',
  tag: 'labs',
  operationId: 'getLabTraffic',
  summary: 'The counters of the interfaces at the links of a lab',
  description:
    'As the kernel counts them (`/proc/PID/net/dev`); nothing is run in a container. Two readings give a rate: divide the difference of a counter by the difference of `readAtMs`. A counter that has become smaller began again, because the node was restarted. Clients share a reading: it may be a second old, and up to 10 s where a reading takes long.',
  params: labParams,
  query: noQuery,
  replies: { 200: jsonReply('The counters.', trafficSchema) },
  errors: [...topologyErrors, 'lab-not-up'],
  handler: async ({ lab }) => ({ kind: 'json', status: 200, value: await lab.traffic() }),
});
