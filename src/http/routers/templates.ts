import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { AppError } from '../../lib/app-error.ts';
import { expandHome } from '../../lib/home.ts';
import { defineRoute, jsonReply, noParams } from '../route.ts';

const querySchema = z.object({
  dir: z
    .string({ error: 'must be given once' })
    .refine((dir) => !dir.includes('\0'), 'must not contain a NUL byte')
    .optional(),
  recursive: z.enum(['true', 'false'], { error: 'must be true or false' }).default('false'),
});

const templateSchema = z.object({
  name: z.string(),
  path: z.string(),
  topologyPath: z.string(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  provider: z.string().nullable(),
  device: z.string().nullable(),
  nodes: z.int().nullable(),
  links: z.int().nullable(),
  size: z.int().nullable(),
  modifiedAt: z.iso.datetime().nullable(),
  valid: z.boolean(),
  error: z.string().nullable(),
});

export const getTemplates = defineRoute({
  method: 'get',
  path: '/templates',
  operationId: 'listTemplates',
  summary: 'The topology files in a directory',
  params: noParams,
  query: querySchema,
  replies: { 200: jsonReply('Sorted by name', z.object({ templates: z.array(templateSchema) })) },
  handler: async ({ query, context: { config, labs } }) => {
    const wanted = query.dir ? path.resolve(expandHome(query.dir)) : (config.templatesDir ?? process.cwd());
    const dir = await realpath(wanted).catch(() => undefined);
    // Before anything is said about it: what there is outside the roots is nobody's business.
    labs.roots.check(dir ?? wanted, 'dir');
    if (dir === undefined) throw new AppError('directory-not-found', `dir: there is no directory ${wanted}`);
    const templates = await labs.templates(dir, query.recursive === 'true');
    return { kind: 'json', status: 200, value: { templates } };
  },
});
