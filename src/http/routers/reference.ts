/** The description of the API for programs (`/openapi.json`) and for people (`/docs`). */
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import * as z from 'zod';
import { AppError } from '../../lib/app-error.ts';
import { packageFile } from '../../lib/files/package-root.ts';
import { strongETag } from '../reply/etag.ts';
import {
  defineRoute,
  ignoredQuery,
  noParams,
  notModified,
  type Reply,
  type ReplySpec,
  type Route,
} from '../route.ts';
import { asksForLogin } from '../../config/protection.ts';
import type { HttpContext } from '../context.ts';
import { jsonText } from '../reply/json.ts';

interface ServedDocument {
  readonly json: Buffer;
  /** Made when it is asked for, because a package is loaded for it. */
  readonly yaml: () => Promise<Buffer>;
}

const byContext = new WeakMap<HttpContext, ServedDocument>();

async function yamlOf(document: object): Promise<Buffer> {
  const { stringify } = await import('yaml');
  return Buffer.from(stringify(document, { aliasDuplicateObjects: false }));
}

/** The description of what this service does, as bytes; made at the first request for it, so that no start waits for it. */
async function servedDocument(routes: readonly Route[], context: HttpContext): Promise<ServedDocument> {
  const [{ apiDocument }, { recordedExamples }] = await Promise.all([
    import('../openapi/api-document.ts'),
    import('../openapi/recorded-examples.ts'),
  ]);
  const known = byContext.get(context);
  if (known) return known;
  const { config, version } = context;
  const { basePath, publicHealthz, publicReadyz } = config;
  const served = { version, basePath, publicHealthz, publicReadyz, hasAuth: asksForLogin(config) };
  const document = apiDocument(routes, served, recordedExamples);
  let yaml: Promise<Buffer> | undefined;
  const made = {
    json: Buffer.from(jsonText(document)),
    yaml: async () => (yaml ??= yamlOf(document)),
  };
  byContext.set(context, made);
  return made;
}

/** Where the build puts the page. */
const pageFile = (name: string): string => packageFile('dist', 'reference', name);

const mediaTypes = {
  'start.js': 'text/javascript; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
} as const;

/** The build has compressed the large ones. */
const readPageFile = async (name: keyof typeof mediaTypes): Promise<Buffer> =>
  name.startsWith('swagger-ui')
    ? promisify(gunzip)(await readFile(pageFile(`${name}.gz`)))
    : readFile(pageFile(name));

const fileNames = Object.keys(mediaTypes) as readonly (keyof typeof mediaTypes)[];

function tagged(bytes: Buffer, contentType: string): Reply {
  const headers = { 'Content-Type': contentType, 'Cache-Control': 'no-cache', ETag: strongETag(bytes) };
  return { kind: 'bytes', bytes, headers };
}

function taggedReplies(
  description: string,
  content: ReplySpec['content'],
): Readonly<Record<number, ReplySpec>> {
  return { 200: { description, content, headers: ['ETag', 'Cache-Control'] }, 304: notModified };
}

const documentSchema = z.record(z.string(), z.unknown()).meta({
  id: 'OpenApiDocument',
  description: 'An OpenAPI 3.1 document: its own specification says what is in it.',
});

export const getOpenApiJson = defineRoute({
  method: 'get',
  path: '/openapi.json',
  permission: 'read',
  about: 'thisHost',
  tag: 'service',
  operationId: 'getOpenApiJson',
  summary: 'This description of the API, as JSON',
  description: 'It says what this very service does: under which path, and with which authentication.',
  params: noParams,
  query: ignoredQuery,
  headers: ['If-None-Match'],
  replies: taggedReplies('The description (OpenAPI 3.1).', { 'application/json': documentSchema }),
  handler: async ({ routes, context }) =>
    tagged((await servedDocument(routes, context)).json, 'application/json; charset=utf-8'),
});

export const getOpenApiYaml = defineRoute({
  method: 'get',
  path: '/openapi.yaml',
  permission: 'read',
  about: 'thisHost',
  tag: 'service',
  operationId: 'getOpenApiYaml',
  summary: 'This description of the API, as YAML',
  description: 'The same as `/openapi.json`.',
  params: noParams,
  query: ignoredQuery,
  headers: ['If-None-Match'],
  replies: taggedReplies('The description (OpenAPI 3.1).', { 'text/yaml': 'bytes' }),
  handler: async ({ routes, context }) =>
    // The other name of application/yaml (RFC 9512): browsers show it, and generators of clients take it for text.
    tagged(await (await servedDocument(routes, context)).yaml(), 'text/yaml; charset=utf-8'),
});

export const getReferencePage = defineRoute({
  method: 'get',
  path: '/docs',
  permission: 'read',
  about: 'thisHost',
  tag: 'service',
  operationId: 'getReferencePage',
  summary: 'The reference of the API, for a browser',
  description: 'Everything that it shows comes from this server: it works without a way to the internet.',
  params: noParams,
  query: ignoredQuery,
  headers: ['If-None-Match'],
  replies: taggedReplies('A web page.', { 'text/html': 'bytes' }),
  handler: async ({ context: { config } }) => {
    const page = await readFile(pageFile('index.html'), 'utf8');
    return tagged(Buffer.from(page.replaceAll('{{base}}', config.basePath)), 'text/html; charset=utf-8');
  },
});

export const getReferenceFile = defineRoute({
  method: 'get',
  path: '/docs/:file',
  permission: 'read',
  about: 'thisHost',
  tag: 'service',
  operationId: 'getReferenceFile',
  summary: 'A script or a style sheet of the reference page',
  description: 'Only for the page itself.',
  params: z.object({
    file: z
      .string()
      .meta({ documentedAs: { type: 'string', enum: fileNames } })
      .describe('The name of the file.'),
  }),
  query: ignoredQuery,
  headers: ['If-None-Match'],
  replies: taggedReplies('The file.', { 'text/javascript': 'bytes', 'text/css': 'bytes' }),
  errors: ['not-found'],
  handler: async ({ params, req }) => {
    const name = fileNames.find((known) => known === params.file);
    if (name === undefined) throw new AppError('not-found', `there is nothing at ${req.path}`);
    return tagged(await readPageFile(name), mediaTypes[name]);
  },
});
