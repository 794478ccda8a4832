/** From a route to an operation of the document. */
import * as z from 'zod';
import type { ErrorCode } from '../../lib/error-codes.ts';
import { ignoredQuery, type EventStreamSpec, type ReplySpec, type Route } from '../route.ts';
import type { ComponentSchemas } from './component-schemas.ts';
import { anyErrors, type ProblemReplies } from './errors.ts';
import { headerParameters, headersOf } from './header-parts.ts';
import type { RecordedExamples } from './recorded-examples.ts';

export interface Parts {
  readonly schemas: ComponentSchemas;
  readonly problems: ProblemReplies;
  readonly examples: RecordedExamples;
  readonly hasAuth: boolean;
}

/** `/jobs/:id` as `/jobs/{id}`, and `/files/*path` as `/files/{path}`. */
export function templatedPath(path: string): string {
  return path.replaceAll(/[:*](\w+)/g, '{$1}');
}

/** The default of a parameter; zod omits it from the schema if a conversion changes the type. */
function defaultOf(part: z.ZodType, type: unknown): { default?: unknown } {
  const { data } = z.safeParse(part, undefined);
  if (data === undefined || Array.isArray(data)) return {};
  return { default: type === 'boolean' ? data === 'true' : data };
}

function parametersIn(place: 'path' | 'query', { shape }: z.ZodObject, schemas: ComponentSchemas): object[] {
  return Object.entries(shape).map(([name, part]) => {
    const { description, ...json } = schemas.of(part as z.ZodType, 'input');
    const required = place === 'path' || !z.safeParse(part as z.ZodType, undefined).success;
    const schema = { ...json, ...defaultOf(part as z.ZodType, json['type']) };
    return { name, in: place, description, required, schema };
  });
}

/** A stream has one schema, that of its text; what its events hold stands beside it, and in words. */
function eventStream({ events }: EventStreamSpec, schemas: ComponentSchemas): object {
  const data = Object.entries(events).map(([name, schema]) => [name, schemas.of(schema, 'output')] as const);
  const lines = Object.entries(events).map(([name, { description = '' }]) => `- \`${name}\`: ${description}`);
  return {
    schema: {
      type: 'string',
      description: `Server-sent events (WHATWG HTML, section 9.2); \`data\` is JSON in one line:\n${lines.join('\n')}`,
    },
    'x-events': Object.fromEntries(data),
  };
}

function contentOf(
  mediaType: string,
  spec: ReplySpec['content'][string],
  schemas: ComponentSchemas,
): Record<string, unknown> {
  if (spec instanceof z.ZodType) return { schema: schemas.of(spec, 'output') };
  if (spec !== 'bytes') return { ...eventStream(spec, schemas) };
  return { schema: { type: 'string', description: `The bytes, as \`${mediaType}\`.` } };
}

function repliesOf(
  { operationId, replies, deprecated }: Route,
  { schemas, examples }: Parts,
): Record<string, object> {
  const common = deprecated === undefined ? [] : (['Deprecation', 'Sunset'] as const);
  const recorded = examples.operations[operationId]?.replies ?? {};
  return Object.fromEntries(
    Object.entries(replies).map(([status, { description, content, headers = [], links }]) => {
      const contents = Object.entries(content).map(([mediaType, spec]) => {
        const example = recorded[status]?.[mediaType];
        return [
          mediaType,
          { ...contentOf(mediaType, spec, schemas), ...(example !== undefined && { example }) },
        ];
      });
      const reply = {
        description,
        headers: headersOf([...headers, ...common]),
        ...(contents.length > 0 && { content: Object.fromEntries(contents) as object }),
        ...(links && { links }),
      };
      return [status, reply];
    }),
  );
}

function requestBodyOf({ body, upload, operationId }: Route, { schemas, examples }: Parts): object {
  if (upload !== undefined) {
    const { description, mediaTypes, isOptional } = upload;
    // OpenAPI 3.1 needs no schema here, but client generators understand this one.
    const content = Object.fromEntries(
      mediaTypes.map((mediaType) => [mediaType, { schema: { type: 'string', format: 'binary' } }]),
    );
    return { requestBody: { description, required: isOptional !== true, content } };
  }
  if (body?.schema === undefined) return {};
  const example = examples.operations[operationId]?.request;
  const content = { schema: schemas.of(body.schema, 'input'), ...(example !== undefined && { example }) };
  return {
    requestBody: { required: body.isOptional !== true, content: { 'application/json': content } },
  };
}

/** Every code with which the route may refuse. */
export function errorsOf(route: Route, hasAuth: boolean): readonly ErrorCode[] {
  return [...anyErrors(route, hasAuth), ...(route.errors ?? [])];
}

export function operationOf(route: Route, parts: Parts): object {
  const { operationId, permission, tag, summary, description, params, query, headers = [] } = route;
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(route.deprecated !== undefined && { deprecated: true }),
    parameters: [
      ...parametersIn('path', params, parts.schemas),
      ...(query === ignoredQuery ? [] : parametersIn('query', query, parts.schemas)),
      ...headerParameters(headers),
    ],
    ...requestBodyOf(route, parts),
    'x-permission': permission,
    responses: { ...parts.problems.of(errorsOf(route, parts.hasAuth)), ...repliesOf(route, parts) },
  };
}
