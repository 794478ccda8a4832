import * as z from 'zod';
import { sendFile } from '../reply/send-file.ts';
import { flagParameter, once } from '../request/query.ts';
import { withUpload } from '../request/upload.ts';
import { defineRoute, jsonReply, noQuery, notModified, type ReplySpec } from '../route.ts';
import { uploadErrors, workspaceParams } from './workspaces.ts';
import type { Request } from 'express';
import { AppError } from '../../lib/app-error.ts';

/** The entity tags in a header (RFC 9110, section 8.8.3); a weak one is none that a write may rely on. */
function tagsIn(header: string): readonly string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

/**
 * Returns a check of `If-Match` and `If-None-Match` (RFC 9110, section 13.1). Call it with the entity tag of the file to write or
 * remove, or with undefined if there is no file. @throws AppError `precondition-failed`.
 */
function preconditionOf(req: Request): (etag: string | undefined) => void {
  const [wanted, unwanted] = [req.get('If-Match'), req.get('If-None-Match')];
  return (etag) => {
    const isWanted =
      wanted === undefined ||
      (etag !== undefined && (wanted.trim() === '*' || tagsIn(wanted).includes(etag)));
    const isUnwanted =
      unwanted !== undefined &&
      etag !== undefined &&
      (unwanted.trim() === '*' || tagsIn(unwanted).includes(etag));
    if (isWanted && !isUnwanted) return;
    const now = etag === undefined ? 'there is no such file' : `its entity tag is ${etag}`;
    throw new AppError('precondition-failed', `the file is another one by now: ${now}`);
  };
}

/** A path with slashes, which Express takes apart. */
export const pathParameter = z
  .array(z.string())
  .transform((parts) => parts.join('/'))
  .meta({ documentedAs: { type: 'string' } });

const fileParams = workspaceParams.extend({
  path: pathParameter.describe('The file, below the workspace; slashes in it may be encoded (`%2F`).'),
});

const fileEntrySchema = z
  .object({
    path: z.string().describe('Below the workspace, with slashes.'),
    kind: z
      .enum(['file', 'directory', 'other'])
      .describe('`other`: a link, or something special; it is not served.'),
    size: z.int().min(0).describe('How long the file is, in bytes; 0 for anything else.'),
    modifiedAt: z.iso.datetime().describe('When it was last changed (RFC 3339, UTC).'),
  })
  .meta({ id: 'WorkspaceFile', description: 'A file or a directory in a workspace.' });

const fileListSchema = z
  .object({
    files: z.array(fileEntrySchema).describe('Sorted by name; a directory before what is in it.'),
    truncated: z
      .boolean()
      .describe('Whether there are more: at most 10,000 are listed, with 64 MiB of paths.'),
  })
  .meta({ id: 'WorkspaceFileList', description: 'The files in a directory of a workspace.' });

export const listFiles = defineRoute({
  method: 'get',
  path: '/workspaces/:name/files',
  permission: 'read',
  about: 'workspace',
  tag: 'workspaces',
  operationId: 'listFiles',
  summary: 'The files of a workspace',
  description: 'The files in one directory, or also in those below it.',
  params: workspaceParams,
  query: z.object({
    path: once.default('').describe('A directory in the workspace. Default: the workspace itself.'),
    recursive: flagParameter().default('false').describe('In the directories below too.'),
  }),
  replies: { 200: jsonReply('The files.', fileListSchema) },
  errors: ['workspace-not-found', 'file-not-found', 'storage-fault'],
  handler: async ({ workspace, query: { path, recursive } }) => {
    const { entries, isCut } = await workspace.listFiles(path, recursive === 'true');
    return { kind: 'json', status: 200, value: { files: entries, truncated: isCut } };
  },
});

export const fileReplies = (
  content: ReplySpec['content'] = { 'application/octet-stream': 'bytes' },
): Readonly<Record<number, ReplySpec>> => ({
  200: {
    description: 'The file.',
    content,
    headers: ['ETag', 'Accept-Ranges', 'Cache-Control', 'Content-Disposition'],
  },
  206: {
    description: 'The range of bytes that was asked for.',
    content,
    headers: ['ETag', 'Accept-Ranges', 'Cache-Control', 'Content-Disposition', 'Content-Range'],
  },
  304: { ...notModified, headers: ['ETag', 'Accept-Ranges', 'Cache-Control'] },
});

export const getFile = defineRoute({
  method: 'get',
  path: '/workspaces/:name/files/*path',
  permission: 'read',
  about: 'workspace',
  tag: 'workspaces',
  operationId: 'getFile',
  summary: 'A file of a workspace',
  description: 'Its bytes. When they are changed meanwhile, the reply is cut off.',
  params: fileParams,
  query: noQuery,
  headers: ['Range', 'If-None-Match'],
  replies: fileReplies(),
  errors: ['workspace-not-found', 'file-not-found', 'range-not-satisfiable', 'storage-fault'],
  handler: async ({ workspace, params: { path }, req, res }) => {
    const handle = await workspace.openFile(path);
    await sendFile({ req, res }, handle, { name: path.split('/').at(-1) ?? 'file' });
    return { kind: 'sent' };
  },
});

const writtenSchema = z
  .object({ path: z.string().describe('Below the workspace.') })
  .meta({ id: 'WrittenFile', description: 'A file that was written.' });

export const putFile = defineRoute({
  method: 'put',
  path: '/workspaces/:name/files/*path',
  permission: 'operate',
  about: 'workspace',
  tag: 'workspaces',
  operationId: 'putFile',
  summary: 'Writes a file of a workspace',
  description:
    'Creates missing directories. Concurrent readers get the whole old or the whole new file. `If-Match` prevents overwriting another user’s change; with `If-None-Match: *`, only a new file is created.',
  params: fileParams,
  query: noQuery,
  headers: ['If-Match', 'If-None-Match'],
  upload: {
    description: 'The bytes of the file, whatever their type is said to be.',
    mediaTypes: ['application/octet-stream'],
    isOptional: true,
  },
  replies: {
    200: jsonReply('It was there before.', writtenSchema, ['ETag']),
    201: jsonReply('It is new.', writtenSchema, ['ETag']),
  },
  errors: ['workspace-not-found', 'file-not-found', 'precondition-failed', ...uploadErrors],
  handler: async ({ workspace, params: { path }, req, res, context: { shutdown } }) => {
    const { etag, isNew } = await withUpload({ req, res, until: shutdown }, async (body) =>
      workspace.writeFile(path, body, preconditionOf(req)),
    );
    return { kind: 'json', status: isNew ? 201 : 200, value: { path }, headers: { ETag: etag } };
  },
});

export const removeFile = defineRoute({
  method: 'delete',
  path: '/workspaces/:name/files/*path',
  permission: 'operate',
  about: 'workspace',
  tag: 'workspaces',
  operationId: 'removeFile',
  summary: 'Removes a file of a workspace',
  description: 'Or an empty directory. A link is removed, and not what it leads to.',
  params: fileParams,
  query: noQuery,
  headers: ['If-Match', 'If-None-Match'],
  replies: { 204: { description: 'It is gone.', content: {} } },
  errors: ['workspace-not-found', 'file-not-found', 'precondition-failed', 'storage-fault'],
  handler: async ({ workspace, params: { path }, req }) => {
    await workspace.removeFile(path, preconditionOf(req));
    return { kind: 'empty' };
  },
});
