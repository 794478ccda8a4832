/** How configurations differ: of two snapshots, or of a snapshot and a lab that runs. */
import * as z from 'zod';
import { nodeChanges } from '../../labs/snapshots/compare.ts';
import {
  differencesBetween,
  differencesNow,
  lastSnapshotOf,
  type Differences,
} from '../../restricted/differences.ts';
import { streamSignal } from '../reply/stream.ts';
import { once } from '../request/query.ts';
import { defineRoute, hostQuery, jsonReply, type Reply } from '../route.ts';
import { labParams } from './labs.ts';
import { nodeErrors } from './node-parts.ts';
import { snapshotParams } from './snapshots.ts';

const sideSchema = z
  .object({
    snapshot: z.string().nullable().describe('The name of the snapshot; null for the lab as it runs.'),
    at: z.iso.datetime().describe('When its configurations were read (RFC 3339, UTC).'),
  })
  .meta({ id: 'ComparedSide', description: 'One side of a comparison.' });

const nodeSchema = z
  .object({
    node: z.string().describe('The name of the node.'),
    change: z
      .enum(nodeChanges)
      .describe(
        '`added` and `removed`: the node, or its configuration, is in one of the two alone. `unknown`: a configuration could not be read.',
      ),
    diff: z
      .string()
      .nullable()
      .describe('The differences in unified form; null where there are none to show.'),
    reason: z.string().nullable().describe('Why it is unknown, or has no `diff`: a sentence; else null.'),
  })
  .meta({ id: 'NodeDifference', description: 'How the configuration of a node differs.' });

const differencesSchema = z
  .object({
    differs: z.boolean().describe('Whether anything is changed, added or removed.'),
    before: sideSchema,
    after: sideSchema,
    nodes: z.array(nodeSchema).describe('All nodes, also those that are the same.'),
  })
  .meta({ id: 'Differences', description: 'How the configurations of a lab differ, node by node.' });

const words =
  'Lines that change by themselves are left aside, such as times, uptimes and what the kernel has learned of neighbours, and so are spaces at the ends of lines.';

function replyOf(differences: Differences): Reply {
  const differs = differences.nodes.some(({ change }) => change !== 'same' && change !== 'unknown');
  return {
    kind: 'json',
    status: 200,
    value: { differs, ...differences },
    headers: { 'Cache-Control': 'no-store' },
  };
}

export const compareSnapshots = defineRoute({
  method: 'get',
  path: '/snapshots/:name/diff',
  // Configurations contain passwords and keys.
  permission: 'operate',
  about: 'snapshot',
  tag: 'snapshots',
  operationId: 'compareSnapshots',
  summary: 'How the configurations of two snapshots differ',
  description: `From the snapshot in the path to the one in \`with\`, node by node. ${words}`,
  params: snapshotParams,
  query: hostQuery.extend({ with: once.describe('The name of the later snapshot, on the same host.') }),
  replies: { 200: jsonReply('The differences.', differencesSchema, ['Cache-Control']) },
  errors: ['snapshot-not-found', 'storage-fault', 'shutting-down'],
  handler: async ({ snapshot, query, res, context: { snapshots, shutdown } }) => {
    const after = snapshots.find(query.with, 'change');
    return replyOf(await differencesBetween(snapshot, after, streamSignal(res, shutdown)));
  },
});

export const compareLab = defineRoute({
  method: 'get',
  path: '/labs/:id/diff',
  permission: 'operate',
  about: 'lab',
  isForOwnSite: () => true,
  tag: 'snapshots',
  operationId: 'compareLab',
  summary: 'How the running configurations of a lab differ from a snapshot',
  description: `From the snapshot to now, node by node: the drift of the lab. The configurations are read in the nodes, eight at once. ${words}`,
  params: labParams,
  query: z.object({
    snapshot: once
      .optional()
      .describe(
        'The name of a snapshot on the same host. Default: the last one that was made of this lab, or that it was started from.',
      ),
  }),
  replies: { 200: jsonReply('The differences.', differencesSchema, ['Cache-Control']) },
  errors: [...new Set([...nodeErrors, 'snapshot-not-found', 'storage-fault', 'shutting-down'] as const)],
  handler: async ({ lab, query: { snapshot }, res, context }) => {
    const { snapshots, shutdown } = context;
    const before =
      snapshot === undefined ? await lastSnapshotOf(lab, context) : snapshots.find(snapshot, 'change');
    return replyOf(await differencesNow(before, lab, streamSignal(res, shutdown)));
  },
});
