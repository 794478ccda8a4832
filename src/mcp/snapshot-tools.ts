/** Tools for snapshots of labs. */
import * as z from 'zod';
import type { Differences, RestoreResult } from '../client/api-types.ts';
import type { Reply } from './ask.ts';
import { shares } from './lab-tools.ts';
import { waitReadySeconds } from './start-tools.ts';
import { defineTool, host, lab, pathName, ttlSeconds, type Told } from './tool.ts';

const name = pathName.describe('The name of the snapshot.');

/** Nodes without a difference by name alone. */
function tellDifferences({ data }: Reply): Told {
  const { nodes, ...rest } = data as unknown as Differences;
  const others = nodes.filter(({ change }) => change !== 'same');
  const same = nodes.filter(({ change }) => change === 'same').map(({ node }) => node);
  const unknown = others.filter(({ change }) => change === 'unknown').length;
  const count = `${others.length - unknown} of ${nodes.length} nodes differ`;
  const hint = unknown === 0 ? `${count}.` : `${count}; ${unknown} could not be compared.`;
  return { hint, data: { ...rest, nodes: others, same } };
}

/** The fields of new jobs that an assistant needs. */
function tellRestored({ data }: Reply): Told {
  const { labs, warnings } = data as unknown as RestoreResult;
  const jobs = (list: (typeof labs)[number]['jobs']) => list.map(({ id, state }) => ({ id, state }));
  return {
    hint: 'The jobs continue in the background: wait_for_job waits for the end of one.',
    data: { labs: labs.map((restored) => ({ ...restored, jobs: jobs(restored.jobs) })), warnings },
  };
}

export const snapshotTools = [
  defineTool({
    name: 'keep_snapshot',
    title: 'Keep a lab as a snapshot',
    description:
      'Keeps the files of a lab and the running configurations of its nodes under a new name; it takes a second, or minutes for many nodes.',
    input: { lab, name },
    effect: 'changes',
    operations: ['POST /labs/{lab}/snapshots'],
  }),
  defineTool({
    name: 'list_snapshots',
    title: 'List snapshots',
    description: 'Lists the snapshots of labs, newest first.',
    input: { host },
    effect: 'looks',
    operations: ['GET /snapshots'],
  }),
  defineTool({
    name: 'show_snapshot',
    title: 'Show a snapshot',
    description: 'Returns one snapshot with its nodes, without its files.',
    input: { name, host },
    effect: 'looks',
    operations: ['GET /snapshots/{name}'],
  }),
  defineTool({
    name: 'restore_snapshot',
    title: 'Start a lab from a snapshot',
    description:
      'Starts a lab from a snapshot in a workspace, or many copies, and returns the ids of the jobs at once.',
    input: {
      name,
      host,
      workspace: z.string().describe('The workspace to make; with copies, the beginning of their names.'),
      copies: z
        .int()
        .min(1)
        .max(200)
        .optional()
        .describe('How many labs to start, each in a new workspace; not with replace or multilabId.'),
      replace: z
        .boolean()
        .optional()
        .describe('Whether a workspace of that name loses all its files; default: it is refused.'),
      multilabId: z.union([z.int().min(1).max(200), z.literal('auto')]).optional(),
      ttlSeconds,
      waitReadySeconds,
    },
    effect: 'destroys',
    operations: ['POST /snapshots/{name}/restore'],
    tell: tellRestored,
  }),
  defineTool({
    name: 'remove_snapshot',
    title: 'Remove a snapshot',
    description: 'Removes a snapshot with its files; labs that were made of it stay.',
    input: { name, host },
    effect: 'destroys',
    operations: ['DELETE /snapshots/{name}'],
  }),
  defineTool({
    name: 'share_snapshot',
    title: 'Share a snapshot',
    description:
      'Replaces the list of users and groups who may see a snapshot and, as operators, download, compare and start it.',
    input: { name, shares, host },
    effect: 'destroys',
    operations: ['PUT /snapshots/{name}/shares'],
  }),
  defineTool({
    name: 'compare_lab',
    title: 'Compare a lab with a snapshot',
    description: 'Returns how the running configurations of a lab differ from a snapshot, node by node.',
    input: {
      lab,
      snapshot: z.string().optional().describe('Default: the last snapshot that was made of this lab.'),
    },
    effect: 'looks',
    operations: ['GET /labs/{lab}/diff'],
    tell: tellDifferences,
  }),
  defineTool({
    name: 'compare_snapshots',
    title: 'Compare two snapshots',
    description: 'Returns how the configurations of a later snapshot differ from those of an earlier one.',
    input: { name, with: z.string().min(1).describe('The name of the later snapshot.'), host },
    effect: 'looks',
    operations: ['GET /snapshots/{name}/diff'],
    tell: tellDifferences,
  }),
];
