import * as z from 'zod';
import { diskKinds } from '../context.ts';
import { defineRoute, hostQuery, jsonReply, noParams } from '../route.ts';

const bytes = z.number().min(0);

const fileSystemSchema = z
  .object({
    directory: z.string().describe('The data directory of the service, or the directory of the workspaces.'),
    free: bytes
      .nullable()
      .describe('How much an ordinary user may still write there, in bytes; null if unknown.'),
    total: bytes.nullable().describe('The size of the file system, in bytes; null if unknown.'),
  })
  .meta({ id: 'FileSystem', description: 'A file system that the service writes to.' });

const kindSchema = z
  .object({
    kind: z
      .enum(diskKinds)
      .describe(
        '`jobs`: logs, artifacts and topologies. `workspaces`: their files. `images`: for nodes in namespaces. `state`: the other files of the service, such as events and the audit.',
      ),
    size: bytes.nullable().describe('In bytes; null if unknown.'),
    partial: z
      .literal(true)
      .optional()
      .describe('Present if there are more files than the service counts: `size` is only a part.'),
  })
  .meta({ id: 'DiskKind', description: 'How much files of one kind use.' });

const userSchema = z
  .object({
    user: z.string().nullable().describe('The user; null for what has no owner.'),
    jobs: bytes.describe('The logs, artifacts and topologies of the jobs that the user submitted, in bytes.'),
    workspaces: bytes.describe('The files in the workspaces that the user owns, in bytes.'),
  })
  .meta({ id: 'UserDiskUse', description: 'How much the jobs and workspaces of a user use.' });

const workspaceSchema = z
  .object({
    name: z.string().describe('The name of the workspace.'),
    owner: z.string().nullable().describe('Its owner, or null.'),
    size: bytes.describe('Its files together, in bytes.'),
  })
  .meta({ id: 'LargeWorkspace', description: 'A workspace that uses much.' });

const jobSchema = z
  .object({
    id: z.string().describe('The id of the job.'),
    action: z.string().describe('Its action.'),
    requestedBy: z.string().nullable().describe('The user who submitted it, or null.'),
    size: bytes.describe('Its log, artifacts and topology, in bytes; of a job that runs, its log.'),
  })
  .meta({ id: 'LargeJob', description: 'A job that uses much.' });

const diskSchema = z
  .object({
    measuredAt: z.iso
      .datetime()
      .describe('When images and state were measured, a minute ago at most (RFC 3339, UTC).'),
    fileSystems: z
      .array(fileSystemSchema)
      .describe(
        'The file system of the data directory; also the file system of the workspaces, if it is another one.',
      ),
    kinds: z.array(kindSchema).describe('All kinds.'),
    unmeasuredWorkspaces: z
      .int()
      .min(0)
      .describe('The number of workspaces that count as empty: after a start, each is measured once.'),
    users: z.array(userSchema).describe('Those that use most come first; 200 at most.'),
    largestWorkspaces: z.array(workspaceSchema).describe('The ten largest, the largest first.'),
    largestJobs: z.array(jobSchema).describe('The ten largest, the largest first.'),
  })
  .meta({ id: 'DiskUse', description: 'The use of the disk by the service.' });

export const getDiskUse = defineRoute({
  method: 'get',
  path: '/disk',
  permission: 'administer',
  about: 'thisHost',
  tag: 'service',
  operationId: 'getDiskUse',
  summary: 'The use of the disk',
  description:
    'By kind and by user, with the largest workspaces and jobs. Sizes are lengths of files; links and files with a second name count as nothing, and so do the records of jobs.',
  // It starts a program.
  isForOwnSite: () => true,
  params: noParams,
  query: hostQuery,
  replies: { 200: jsonReply('The use of the disk.', diskSchema) },
  errors: ['storage-fault'],
  handler: async ({ context: { disk } }) => ({ kind: 'json', status: 200, value: await disk() }),
});
