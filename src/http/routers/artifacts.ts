import * as z from 'zod';
import { AppError } from '../../lib/app-error.ts';
import { shownPath } from '../../lib/archives/entry-path.ts';
import { archiveFormats } from '../../lib/archives/pack.ts';
import type { Job } from '../../restricted/job.ts';
import { sendArchive, sendFile } from '../reply/send-file.ts';
import { defineRoute, noQuery } from '../route.ts';
import { jobParams } from './job.ts';
import { fileReplies, pathParameter } from './workspace-files.ts';

/** More are not listed at once; an archive has them all. */
const listedArtifacts = 10_000;

const artifactSchema = z
  .object({
    path: z.string().describe('The path to fetch it by, with slashes.'),
    size: z.int().min(0).describe('How long it is, in bytes.'),
    modifiedAt: z.iso.datetime().describe('When it was last changed (RFC 3339, UTC).'),
  })
  .meta({ id: 'Artifact', description: 'A file that a job has made.' });

const artifactsSchema = z
  .object({
    artifacts: z.array(artifactSchema).describe('Those that are there now.'),
    truncated: z.boolean().describe('Whether there are more: 10,000 are listed at most.'),
  })
  .meta({ id: 'ArtifactList', description: 'The files that a job has made.' });

async function artifactList(job: Job): Promise<z.output<typeof artifactsSchema>> {
  const artifacts: z.output<typeof artifactSchema>[] = [];
  for await (const { path, size, modifiedAt } of await job.artifacts()) {
    if (artifacts.length === listedArtifacts) return { artifacts, truncated: true };
    artifacts.push({ path, size, modifiedAt: modifiedAt.toISOString() });
  }
  return { artifacts, truncated: false };
}

export const listArtifacts = defineRoute({
  method: 'get',
  path: '/jobs/:id/artifacts',
  permission: 'read',
  about: 'job',
  tag: 'workspaces',
  operationId: 'listArtifacts',
  summary: 'The files that a job made, as a list or an archive',
  description:
    'Collected configurations and their archive, the files of `create --output`, results of tests. Of the working directory, only what the action makes there, and only what was written while the job ran: what a later job has overwritten is that job’s. Links are left out. An archive that cannot be sent whole is cut off.',
  params: jobParams,
  query: z.object({
    format: z
      .enum(archiveFormats, { error: `must be one of ${archiveFormats.join(', ')}` })
      .optional()
      .describe('All of them, as an archive of this kind.'),
  }),
  replies: {
    200: {
      description: 'The list, or the files.',
      content: {
        'application/json': artifactsSchema,
        'application/gzip': 'bytes',
        'application/zip': 'bytes',
      },
      headers: ['Cache-Control', 'Content-Disposition'],
    },
  },
  errors: ['job-not-found', 'storage-fault'],
  handler: async ({ job, query: { format }, req, res }) => {
    if (format === undefined) return { kind: 'json', status: 200, value: await artifactList(job) };
    await sendArchive({ req, res }, { name: `${job.id}-artifacts`, format }, await job.artifacts());
    return { kind: 'sent' };
  },
});

/** The file that the service itself makes of the results of tests (src/labs/results/read-result.ts). */
const typeOf = (path: string): { type?: string } => (path === 'junit.xml' ? { type: 'application/xml' } : {});

export const getArtifact = defineRoute({
  method: 'get',
  path: '/jobs/:id/artifacts/*path',
  permission: 'read',
  about: 'job',
  tag: 'workspaces',
  operationId: 'getArtifact',
  summary: 'A file that a job has made',
  description:
    'Its bytes; the type of `junit.xml` is `application/xml`. When they are changed meanwhile, the reply is cut off.',
  params: jobParams.extend({
    path: pathParameter.describe(
      'As `GET /jobs/{id}/artifacts` tells it; slashes in it may be encoded (`%2F`).',
    ),
  }),
  query: noQuery,
  headers: ['Range', 'If-None-Match'],
  replies: fileReplies({ 'application/octet-stream': 'bytes', 'application/xml': 'bytes' }),
  errors: ['job-not-found', 'file-not-found', 'range-not-satisfiable', 'storage-fault'],
  handler: async ({ job, params: { path }, req, res }) => {
    for await (const artifact of await job.artifacts()) {
      if (artifact.path !== path) continue;
      const handle = await artifact.open();
      if (handle === undefined) break;
      await sendFile({ req, res }, handle, { name: path.split('/').at(-1) ?? 'file', ...typeOf(path) });
      return { kind: 'sent' };
    }
    throw new AppError('file-not-found', `${job.id} has made no file ${shownPath(path)}`);
  },
});
