import { z } from 'zod';
import { defineRoute, ignoredQuery, jsonReply, noParams } from '../route.ts';

const linkNames = ['healthz', 'readyz', 'jobs', 'status', 'templates', 'metrics'] as const;

const rootSchema = z.object({
  name: z.literal('lab-api'),
  version: z.string(),
  docs: z.string(),
  links: z.record(z.enum(linkNames), z.string()),
});

/** For whoever opens the bare address: what this is, and where to go on. */
export const getRoot = defineRoute({
  method: 'get',
  path: '/',
  operationId: 'getRoot',
  summary: 'What this service is, and where to go on',
  params: noParams,
  query: ignoredQuery,
  replies: { 200: jsonReply('Name, version and links', rootSchema) },
  handler: ({ context: { config, version } }) => {
    const links = Object.fromEntries(linkNames.map((name) => [name, `${config.basePath}/${name}`]));
    return { kind: 'json', status: 200, value: { name: 'lab-api', version, docs: 'docs/api.md', links } };
  },
});
