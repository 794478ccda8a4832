/** Snapshots of labs: keep, list, download and remove. */
import * as z from 'zod';
import { isComplete } from '../../labs/snapshots/snapshot.ts';
import type { Snapshot } from '../../restricted/snapshot.ts';
import { mergeLists } from '../cluster/merges.ts';
import type { HttpContext } from '../context.ts';
import { missingHostsSchema } from '../reply/missing-hosts.ts';
import { sharesSchema } from '../reply/share-schemas.ts';
import { sendFile } from '../reply/send-file.ts';
import { streamSignal } from '../reply/stream.ts';
import { checked } from '../request/checked.ts';
import { userOf } from '../request/user.ts';
import { defineRoute, hostQuery, jsonReply, noParams, noQuery } from '../route.ts';
import { labParams } from './labs.ts';
import { nodeErrors } from './node-parts.ts';
import { fileReplies } from './workspace-files.ts';

export const snapshotParams = z.object({ name: z.string().describe('The name of the snapshot.') });

const snapshotNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must have small letters, digits and . _ - only, at most 63 of them')
  .describe('The name of the snapshot: up to 63 small letters, digits, `.`, `_` or `-`.');

const nodeSchema = z
  .object({
    node: z.string().describe('The name of the node.'),
    kept: z
      .enum(['configuration', 'none', 'failed'])
      .describe('`none`: the node has no configuration. `failed`: it has one that could not be read.'),
    size: z.int().min(0).nullable().describe('How long the configuration is, in bytes; null without one.'),
    reason: z.string().nullable().describe('Why there is no configuration; null where there is one.'),
  })
  .meta({ id: 'SnapshotNode', description: 'A node of a lab, as a snapshot has it.' });

export const snapshotSchema = z
  .object({
    name: snapshotNameSchema,
    lab: z.string().describe('The id that the lab had.'),
    cli: z.string().describe('The lab CLI of the lab.'),
    workdir: z.string().describe('The directory that the lab was in: absolute, on the lab server.'),
    workspace: z.string().nullable().describe('The workspace that the lab was in; null for none.'),
    owner: z.string().nullable().describe('The user who made the snapshot; null without authentication.'),
    shares: sharesSchema,
    createdAt: z.iso.datetime().describe('When it was made (RFC 3339, UTC).'),
    complete: z
      .boolean()
      .describe('Whether all files are in it, and the configuration of each node that has one.'),
    nodes: z.array(nodeSchema).describe('All nodes of the lab.'),
    files: z.int().min(0).describe('How many files it has.'),
    leftOut: z
      .array(z.string())
      .describe('The first twenty files that are not in it: links, special files, files with odd names.'),
    leftOutCount: z.int().min(0).describe('How many files are not in it.'),
    size: z.int().min(0).describe('How much of the disk it takes, in bytes.'),
    request: z
      .record(z.string(), z.unknown())
      .meta({ documentedAs: { $ref: '#/components/schemas/JobRequest' } })
      .describe('The fields of a request that start the lab again, without those that name a place.'),
    host: z.string().nullable().describe('The lab server that has it; null on a service of one host.'),
    may: z
      .array(z.string())
      .describe(
        'The rights of the user of the request, besides reading this: each an `operationId` of a route, such as `restoreSnapshot`.',
      ),
  })
  .meta({
    id: 'Snapshot',
    description: 'A lab that was kept: its files and the configurations of its nodes.',
  });

const listSchema = z
  .object({
    snapshots: z.array(snapshotSchema).describe('Newest first.'),
    missingHosts: missingHostsSchema,
  })
  .meta({ id: 'SnapshotList', description: 'Snapshots of labs.' });

const changes = ['downloadSnapshot', 'restoreSnapshot', 'compareSnapshots'];

function viewOf(snapshot: Snapshot, { config }: HttpContext): z.input<typeof snapshotSchema> {
  const { directory: _inFiles, bytes: _unpacked, start, nodes, leftOut, shares, ...rest } = snapshot.kept;
  return {
    ...rest,
    nodes: [...nodes],
    leftOut: [...leftOut],
    shares: [...shares],
    complete: isComplete(snapshot.kept),
    request: start,
    host: config.cluster?.hostName ?? null,
    may: [
      ...(snapshot.mayChange ? changes : []),
      ...(snapshot.mayGive ? ['replaceSnapshotShares'] : []),
      ...(snapshot.mayRemove ? ['removeSnapshot'] : []),
    ],
  };
}

const wantedSchema = z
  .strictObject({ name: snapshotNameSchema })
  .meta({ id: 'WantedSnapshot', description: 'The name of a new snapshot.' });

export const keepLab = defineRoute({
  method: 'post',
  path: '/labs/:id/snapshots',
  permission: 'operate',
  about: 'lab',
  tag: 'snapshots',
  operationId: 'keepLab',
  summary: 'Keeps a lab as a snapshot',
  description:
    'Reads the running configurations of all nodes, eight at once, and keeps them with the files of the workspace, or of the directory of the lab. It stays when the lab, the workspace and its user go. `complete` is false, and `nodes` says why, when a node has a configuration that could not be read. 409 `conflict` when a job is at work on the lab, also when it came meanwhile: then nothing is kept.',
  params: labParams,
  query: noQuery,
  body: { schema: wantedSchema, parse: (body) => checked(wantedSchema, body) },
  replies: { 201: jsonReply('The snapshot.', snapshotSchema) },
  errors: [
    ...nodeErrors,
    'snapshot-exists',
    'conflict',
    'topology-not-found',
    'forbidden-path',
    'queue-full',
    'payload-too-large',
    'quota-exceeded',
    'disk-full',
    'storage-fault',
    'shutting-down',
  ],
  handler: async ({ lab, body: { name }, req, res, context }) => {
    const signal = streamSignal(res, context.shutdown);
    const kept = await lab.keep(name, userOf(req), signal);
    return { kind: 'json', status: 201, value: viewOf(context.snapshots.of(kept), context) };
  },
});

export const listSnapshots = defineRoute({
  method: 'get',
  path: '/snapshots',
  permission: 'read',
  about: 'everyHost',
  tag: 'snapshots',
  operationId: 'listSnapshots',
  summary: 'Snapshots of labs, newest first',
  description:
    'Users see the snapshots whose directory or workspace they may see, their own, and those that are shared with them.',
  params: noParams,
  query: hostQuery,
  replies: { 200: jsonReply('The snapshots.', listSchema) },
  handler: ({ context }) => ({
    kind: 'json',
    status: 200,
    value: { snapshots: context.snapshots.list().map((one) => viewOf(one, context)) },
  }),
  merge: (answers) => ({ value: mergeLists(answers, 'snapshots') }),
});

export const getSnapshot = defineRoute({
  method: 'get',
  path: '/snapshots/:name',
  permission: 'read',
  about: 'snapshot',
  tag: 'snapshots',
  operationId: 'getSnapshot',
  summary: 'A snapshot',
  description: 'Its record, without its files.',
  params: snapshotParams,
  query: hostQuery,
  replies: { 200: jsonReply('The snapshot.', snapshotSchema) },
  errors: ['snapshot-not-found'],
  handler: ({ snapshot, context }) => ({
    kind: 'json',
    status: 200,
    value: viewOf(snapshot, context),
  }),
});

export const downloadSnapshot = defineRoute({
  method: 'get',
  path: '/snapshots/:name/files',
  // Configurations contain passwords and keys.
  permission: 'operate',
  about: 'snapshot',
  tag: 'snapshots',
  operationId: 'downloadSnapshot',
  summary: 'The files of a snapshot as an archive',
  description:
    'A tar file, compressed with gzip, that `PUT /workspaces/{name}` takes on any lab server. The configurations are in `snapshot-config`, beside the topology: start the lab with `"reloadConfig": "snapshot-config"`.',
  params: snapshotParams,
  query: hostQuery,
  headers: ['Range', 'If-None-Match'],
  replies: fileReplies({ 'application/gzip': 'bytes' }),
  errors: ['snapshot-not-found', 'range-not-satisfiable', 'storage-fault'],
  handler: async ({ snapshot, req, res }) => {
    const handle = await snapshot.openArchive();
    await sendFile({ req, res }, handle, { name: `${snapshot.name}.tar.gz`, type: 'application/gzip' });
    return { kind: 'sent' };
  },
});

export const removeSnapshot = defineRoute({
  method: 'delete',
  path: '/snapshots/:name',
  permission: 'operate',
  about: 'snapshot',
  tag: 'snapshots',
  operationId: 'removeSnapshot',
  summary: 'Removes a snapshot with its files',
  description: 'Labs and workspaces that were made of it stay.',
  params: snapshotParams,
  query: hostQuery,
  replies: { 204: { description: 'It is gone.', content: {} } },
  errors: ['snapshot-not-found', 'storage-fault'],
  handler: async ({ snapshot }) => {
    await snapshot.remove();
    return { kind: 'empty' };
  },
});
