/** Tools for workspaces: directories on the server, with the files of labs. */
import * as z from 'zod';
import { owner, shares } from './lab-tools.ts';
import { fileAnswer } from './file-answer.ts';
import { defineTool, filePath, host, pathName } from './tool.ts';

/** The service reads a message of the protocol up to 1 MiB. */
const longestContent = 500_000;

const name = pathName.describe('The name of the workspace.');
const path = filePath.describe('The path of the file, below the workspace.');

const conditionOf = (etag: string): Record<string, string> =>
  etag === 'new' ? { 'If-None-Match': '*' } : { 'If-Match': `"${etag.replaceAll('"', '')}"` };

const writeFile = defineTool({
  name: 'write_file',
  title: 'Write a file',
  description:
    'Writes a text file of a workspace, with the directories that it needs, in place of the file that was there.',
  input: {
    name,
    path,
    content: z.string().max(longestContent).describe('The whole text of the file.'),
    etag: z
      .string()
      .refine((etag) => /^[!-~]+$/.test(etag), 'must be an etag from read_file, or "new"')
      .optional()
      .describe('From read_file: refuses if the file was changed since. "new": refuses if there is a file.'),
  },
  effect: 'destroys',
  operations: ['PUT /workspaces/{name}/files/{path}'],
  run: async ({ content, etag, ...where }, ask) => {
    const headers = etag === undefined ? {} : conditionOf(etag);
    const reply = await ask('PUT /workspaces/{name}/files/{path}', where, { headers, text: content });
    return { hint: `The file is written. Its etag is ${reply.etag?.replaceAll('"', '')}.` };
  },
});

export const workspaceTools = [
  defineTool({
    name: 'list_workspaces',
    title: 'List workspaces',
    description: 'Lists the workspaces with owner, size and lab.',
    input: { host },
    effect: 'looks',
    operations: ['GET /workspaces'],
  }),
  defineTool({
    name: 'make_workspace',
    title: 'Make a workspace',
    description: 'Makes an empty workspace; one that is there stays as it is.',
    input: {
      name,
      host,
      template: z
        .string()
        .optional()
        .describe('From list_templates, its topologyPath: a new one copies its directory.'),
    },
    effect: 'changes',
    operations: ['PUT /workspaces/{name}'],
  }),
  defineTool({
    name: 'remove_workspace',
    title: 'Remove a workspace',
    description: 'Removes a workspace with all its files; its lab has to be stopped before.',
    input: { name },
    effect: 'destroys',
    operations: ['DELETE /workspaces/{name}'],
  }),
  defineTool({
    name: 'list_files',
    title: 'List files',
    description: 'Lists the files in a directory of a workspace.',
    input: {
      name,
      path: z.string().optional().describe('A directory in the workspace; default: the workspace itself.'),
      recursive: z.boolean().optional().describe('Whether to include the directories below.'),
    },
    effect: 'looks',
    operations: ['GET /workspaces/{name}/files'],
  }),
  defineTool({
    name: 'read_file',
    title: 'Read a file',
    description: 'Returns a text file of a workspace, and its etag for write_file.',
    input: { name, path },
    effect: 'looks',
    operations: ['GET /workspaces/{name}/files/{path}'],
    tell: fileAnswer,
  }),
  writeFile,
  defineTool({
    name: 'remove_file',
    title: 'Remove a file',
    description: 'Removes a file of a workspace, or an empty directory.',
    input: { name, path },
    effect: 'destroys',
    operations: ['DELETE /workspaces/{name}/files/{path}'],
  }),
  defineTool({
    name: 'share_workspace',
    title: 'Share a workspace',
    description:
      'Replaces the list of users and groups who may read (viewer) or change (operator) a workspace, its jobs and its lab.',
    input: { name, shares },
    effect: 'destroys',
    operations: ['PUT /workspaces/{name}/shares'],
  }),
  defineTool({
    name: 'give_workspace',
    title: 'Give a workspace away',
    description: 'Makes another user the owner of a workspace.',
    input: { name, owner },
    effect: 'destroys',
    operations: ['PUT /workspaces/{name}/owner'],
  }),
];
