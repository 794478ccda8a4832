import { realpath } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { expandHome } from '../../lib/files/home.ts';
import { textPattern } from '../../labs/model/options.ts';
import { flagParameter } from '../request/query.ts';
import { defineRoute, jsonReply, noParams } from '../route.ts';

const querySchema = z.object({
  host: z
    .string({ error: 'must be given once' })
    .optional()
    .describe('Of a cluster: whose files, by name or id. Default: those of the host that is asked.'),
  dir: z
    .string({ error: 'must be given once' })
    .refine((dir) => !dir.includes('\0'), 'must not contain a NUL byte')
    .meta({ pattern: textPattern })
    .optional()
    .describe("Where to look. Default: `LAB_API_TEMPLATES_DIR`, else the server's own directory."),
  recursive: flagParameter()
    .default('false')
    .describe('In the directories below too, except `node_modules` and hidden ones.'),
});

const templateSchema = z
  .object({
    name: z.string().describe('The same as `path`: clients of `netlab api` read this one.'),
    path: z.string().describe('The file, below the directory that was asked for.'),
    topologyPath: z.string().describe('The file: absolute, for `topologyPath` of a job.'),
    cli: z.string().describe('The lab CLI that it is for, as `GET /` calls it.'),
    title: z.string().nullable().describe('The title in the topology, or null.'),
    description: z.string().nullable().describe('The description in the topology, or null.'),
    provider: z
      .string()
      .nullable()
      .describe('The provider of its nodes, or null if the topology names none.'),
    device: z.string().nullable().describe('The device type of nodes that name none, or null.'),
    devices: z.array(z.string()).describe('The device types of its nodes, as far as it says.'),
    nodes: z.int().nullable().describe('How many nodes it has; null when it is not valid.'),
    links: z.int().nullable().describe('How many links it has; null when it is not valid.'),
    size: z.int().nullable().describe('How long the file is, in bytes; null when it cannot be read.'),
    modifiedAt: z.iso
      .datetime()
      .nullable()
      .describe('When the file was last changed (RFC 3339, UTC); null when it cannot be read.'),
    valid: z.boolean().describe('Whether it is a topology.'),
    error: z.string().nullable().describe('One sentence for a person: why it is none; null when it is one.'),
    runnable: z
      .boolean()
      .describe(
        'Whether nothing is known that keeps this server from running it. The lab CLI alone knows all of it: `create` tries it.',
      ),
    obstacles: z
      .array(z.string())
      .describe(
        'The reasons why this server cannot run it, as sentences: a device that the lab CLI does not have, or a program of the provider that is not installed.',
      ),
  })
  .meta({ id: 'Template', description: 'A topology file.' });

const templatesSchema = z
  .object({ templates: z.array(templateSchema).describe('Sorted by name.') })
  .meta({ id: 'TemplateList', description: 'The topology files in a directory.' });

export const getTemplates = defineRoute({
  method: 'get',
  path: '/templates',
  permission: 'read',
  about: 'thisHost',
  tag: 'labs',
  operationId: 'listTemplates',
  isByCli: true,
  summary: 'The topology files in a directory',
  description:
    'The topologies that could be started, their requirements, and whether this server can run them. Files that are not topologies are listed with `valid: false`.',
  params: noParams,
  query: querySchema,
  replies: { 200: jsonReply('The topology files.', templatesSchema) },
  errors: ['directory-not-found', 'forbidden-path'],
  handler: async ({ query, context: { config, labs } }) => {
    const wanted = query.dir ? path.resolve(expandHome(query.dir)) : (config.templatesDir ?? process.cwd());
    const dir = await realpath(wanted).catch(() => wanted);
    const templates = await labs.templatesIn(dir, 'dir', query.recursive === 'true');
    return { kind: 'json', status: 200, value: { templates } };
  },
});
