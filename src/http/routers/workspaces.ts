import type { Request } from 'express';
import * as z from 'zod';
import type { ErrorCode } from '../../lib/error-codes.ts';
import { AppError, invalidField } from '../../lib/app-error.ts';
import { archiveFormats, type ArchiveFormat } from '../../lib/archives/pack.ts';
import { gitCommitSchema } from '../../labs/model/git-source.ts';
import { textPattern } from '../../labs/model/options.ts';
import { mergeNamed } from '../cluster/merges.ts';
import { missingHostsSchema } from '../reply/missing-hosts.ts';
import { sendArchive } from '../reply/send-file.ts';
import { sharesSchema } from '../reply/share-schemas.ts';
import { once } from '../request/query.ts';
import { hasBody, withUpload } from '../request/upload.ts';
import { userOf } from '../request/user.ts';
import { defineRoute, hostQuery, jsonReply, noParams, noQuery } from '../route.ts';

export const workspaceParams = z.object({ name: z.string().describe('The name of the workspace.') });

const workspaceSchema = z
  .object({
    name: z.string().describe('The name, for `workspace` of a job.'),
    workdir: z.string().describe('Where it is on the lab server: absolute, without symbolic links.'),
    owner: z.string().nullable().describe('The user who made it; null without authentication.'),
    shares: sharesSchema,
    source: gitCommitSchema
      .nullable()
      .describe(
        'The commit that a job put its files there from; null when they came otherwise. They may have been changed since.',
      ),
    size: z.int().min(0).describe('How much its files have together, in bytes; a few seconds old at most.'),
    files: z.int().min(0).describe('How many files it has, in all its directories.'),
    createdAt: z.iso.datetime().describe('When it was made (RFC 3339, UTC).'),
    modifiedAt: z.iso.datetime().describe('When anything in it was last changed (RFC 3339, UTC).'),
    lastUsedAt: z.iso
      .datetime()
      .describe(
        'When it was last used (RFC 3339, UTC): a change of it or of a file in it, a request for its files, a job or a lab in it.',
      ),
    expiresAt: z.iso
      .datetime()
      .nullable()
      .describe(
        'When it counts as unused unless it is used before (RFC 3339, UTC): `LAB_API_KEEP_WORKSPACES` after its last use. It is removed an hour after this time at the earliest, or `LAB_API_KEEP_WORKSPACES` after it if that is less. Null while a lab or a job is there, for a workspace that the service did not make, and on servers that keep all workspaces.',
      ),
    lab: z
      .string()
      .nullable()
      .describe('The lab instance that lives there; null for none, or while that is unknown.'),
    job: z.string().nullable().describe('The id of the job that runs or waits there, or null.'),
  })
  .meta({ id: 'Workspace', description: 'A directory that clients bring files to, and run labs in.' });

const workspacesSchema = z
  .object({
    workspaces: z.array(workspaceSchema).describe('Sorted by name.'),
    missingHosts: missingHostsSchema,
  })
  .meta({ id: 'WorkspaceList', description: 'The workspaces of this server.' });

/** The error codes of all uploads. */
export const uploadErrors = [
  'payload-too-large',
  'quota-exceeded',
  'over-quota',
  'disk-full',
  'storage-fault',
  'request-timeout',
  'shutting-down',
] as const satisfies readonly ErrorCode[];

export const listWorkspaces = defineRoute({
  method: 'get',
  path: '/workspaces',
  permission: 'read',
  about: 'everyHost',
  tag: 'workspaces',
  operationId: 'listWorkspaces',
  summary: 'The workspaces of this server',
  description: 'Each is a directory of the service, below `LAB_API_WORKSPACES_DIR`.',
  params: noParams,
  query: hostQuery,
  replies: { 200: jsonReply('The workspaces.', workspacesSchema) },
  errors: ['storage-fault', 'workspace-busy'],
  handler: async ({ context: { workspaces } }) => ({
    kind: 'json',
    status: 200,
    value: { workspaces: await workspaces.list() },
  }),
  merge: (answers) => ({ value: mergeNamed(answers, 'workspaces', 'name') }),
});

export const getWorkspace = defineRoute({
  method: 'get',
  path: '/workspaces/:name',
  permission: 'read',
  about: 'workspace',
  tag: 'workspaces',
  operationId: 'getWorkspace',
  summary: 'A workspace, or all of its files as an archive',
  description:
    'With `format`, the files are sent while they are read. Links and special files are left out, and so is what is appended to a file meanwhile. When a file is changed otherwise, or the workspace is replaced, the reply is cut off: one that ends well is whole.',
  params: workspaceParams,
  query: z.object({
    format: z
      .enum(archiveFormats, { error: `must be one of ${archiveFormats.join(', ')}` })
      .optional()
      .describe('As an archive of this kind.'),
  }),
  replies: {
    200: {
      description: 'The workspace, or its files as an archive.',
      content: {
        'application/json': workspaceSchema,
        'application/gzip': 'bytes',
        'application/zip': 'bytes',
      },
      headers: ['Cache-Control', 'Content-Disposition'],
    },
  },
  errors: ['workspace-not-found', 'workspace-busy', 'storage-fault'],
  handler: async ({ workspace, query: { format }, req, res }) => {
    if (format === undefined) return { kind: 'json', status: 200, value: await workspace.view() };
    const { name } = workspace;
    await workspace.withItems(async (items) => sendArchive({ req, res }, { name, format }, items));
    return { kind: 'sent' };
  },
});

const formats: Readonly<Record<string, ArchiveFormat>> = {
  'application/gzip': 'tar.gz',
  'application/x-gzip': 'tar.gz',
  'application/zip': 'zip',
  'application/x-zip-compressed': 'zip',
};

function formatOf(req: Request): ArchiveFormat {
  const format = formats[(req.get('Content-Type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''];
  if (format !== undefined) return format;
  const message = 'an archive is application/gzip (a tar.gz) or application/zip; say so in Content-Type';
  throw new AppError('unsupported-media-type', message);
}

export const putWorkspace = defineRoute({
  method: 'put',
  path: '/workspaces/:name',
  permission: 'operate',
  about: 'workspace',
  needs: 'make',
  tag: 'workspaces',
  operationId: 'putWorkspace',
  summary: 'Makes a workspace, or replaces its files with those of an archive',
  description:
    'Without a body, an empty workspace is made; one that is there stays as it is. With `template`, the workspace must be new: it gets a copy of the template and of the files in its directory and below, without links, hidden files and `node_modules`, all of them or nothing; 16 MiB and 2,000 files and directories at most. With an archive, its files take the place of all that is in the workspace, or nothing changes. Files and directories only: a link, a special file, a path that leads out, and two paths that some system takes for one refuse the whole. 409 while a lab or a job is there, also when it came during the upload.',
  params: workspaceParams,
  query: hostQuery.extend({
    template: once
      .min(1, 'must not be empty')
      .regex(new RegExp(textPattern), 'must not contain a NUL character')
      .optional()
      .describe(
        'A topology file on the server, as `topologyPath` of `GET /templates`, to be copied with the files beside it.',
      ),
  }),
  upload: {
    description: 'A tar file that was compressed with gzip, or a zip file.',
    mediaTypes: ['application/gzip', 'application/zip'],
    isOptional: true,
  },
  replies: {
    200: jsonReply('The workspace, which was there before.', workspaceSchema),
    201: jsonReply('The workspace, which is new.', workspaceSchema),
  },
  errors: [
    'workspace-busy',
    'conflict',
    'forbidden-path',
    'directory-not-found',
    'topology-not-found',
    'unsupported-media-type',
    'archive-refused',
    'queue-full',
    ...uploadErrors,
  ],
  handler: async ({ workspace, query: { template }, req, res, context: { labs, shutdown } }) => {
    if (template !== undefined) {
      if (hasBody(req)) throw invalidField('template', 'is for a request without an archive: leave one out');
      await workspace.makeFrom(userOf(req), await labs.template(template));
      return { kind: 'json', status: 201, value: await workspace.view() };
    }
    const isNew = hasBody(req)
      ? await withUpload({ req, res, until: shutdown }, async (body) =>
          workspace.replace(userOf(req), { format: formatOf(req), body }),
        )
      : await workspace.make(userOf(req));
    return { kind: 'json', status: isNew ? 201 : 200, value: await workspace.view() };
  },
});

export const removeWorkspace = defineRoute({
  method: 'delete',
  path: '/workspaces/:name',
  permission: 'operate',
  about: 'workspace',
  tag: 'workspaces',
  operationId: 'removeWorkspace',
  summary: 'Removes a workspace with its files',
  description: 'Refused (409) while a lab or a job is there.',
  params: workspaceParams,
  query: noQuery,
  replies: { 204: { description: 'It is gone.', content: {} } },
  errors: ['workspace-not-found', 'workspace-busy', 'queue-full', 'storage-fault'],
  handler: async ({ workspace }) => {
    await workspace.remove();
    return { kind: 'empty' };
  },
});
