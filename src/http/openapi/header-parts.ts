/** Headers in the document: each is described once, and referred to by its name. */
import { replyHeaders, requestHeaders, type ReplyHeader, type RequestHeader } from '../headers.ts';
import type { ComponentSchemas, JsonSchema } from './component-schemas.ts';

const partName = (header: string): string => header.replaceAll('-', '');

/** The header parameters of an operation; each has `X-Request-Id`. */
export function headerParameters(names: readonly RequestHeader[]): object[] {
  return [...names, 'X-Request-Id'].map((name) => ({ $ref: `#/components/parameters/${partName(name)}` }));
}

/** The headers of a reply; each has `X-Request-Id`. */
export function headersOf(names: readonly ReplyHeader[]): Record<string, object> {
  return Object.fromEntries(
    [...names, 'X-Request-Id'].map((name) => [name, { $ref: `#/components/headers/${partName(name)}` }]),
  );
}

function withoutDescription({ description, ...schema }: JsonSchema): {
  description: unknown;
  schema: JsonSchema;
} {
  return { description, schema };
}

export function headerComponents(schemas: ComponentSchemas): { parameters: object; headers: object } {
  const parameters = Object.entries(requestHeaders).map(([name, schema]) => [
    partName(name),
    { name, in: 'header', required: false, ...withoutDescription(schemas.of(schema, 'input')) },
  ]);
  const headers = Object.entries(replyHeaders).map(([name, schema]) => [
    partName(name),
    withoutDescription(schemas.of(schema, 'output')),
  ]);
  return {
    parameters: Object.fromEntries(parameters) as object,
    headers: Object.fromEntries(headers) as object,
  };
}
