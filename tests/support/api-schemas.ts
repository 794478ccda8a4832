/** The schemas of the description of the API, as something that replies can be held against. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { apiDocument } from '../../src/http/openapi/api-document.ts';
import { templatedPath } from '../../src/http/openapi/operation.ts';
import type { Route } from '../../src/http/route.ts';
import { routes } from '../../src/http/routers/routes.ts';

/** Every object without the fields that nobody described: the document leaves it open for those of a later version. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closed(part)]));
  return 'properties' in copy ? { additionalProperties: false, ...copy } : copy;
}

let ajv: Ajv2020 | undefined;

function checker(): Ajv2020 {
  if (ajv) return ajv;
  ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const served = { version: '0', basePath: '', hasAuth: true, publicHealthz: false };
  ajv.addSchema(closed(apiDocument(routes, served, { operations: {}, problems: {} })) as object, 'api');
  return ajv;
}

const pointer = (...steps: readonly string[]): string =>
  steps.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

const validators = new Map<string, ValidateFunction>();

function problemsBy(place: string, value: unknown): string[] {
  const validate = validators.get(place) ?? checker().compile({ $ref: `api#${place}` });
  validators.set(place, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** What in the JSON body of a reply is not as the document says, or is not in the document. */
export function replyProblems(route: Route, status: number, mediaType: string, value: unknown): string[] {
  const operation = pointer('paths', templatedPath(route.path), route.method);
  return problemsBy(
    `${operation}${pointer('responses', String(status), 'content', mediaType, 'schema')}`,
    value,
  );
}

export function problemDocumentProblems(value: unknown): string[] {
  return problemsBy(pointer('components', 'schemas', 'Problem'), value);
}

/** What is wrong with the JSON body of a request, by the document. */
export function requestProblems(route: Route, value: unknown): string[] {
  const operation = pointer('paths', templatedPath(route.path), route.method);
  return problemsBy(`${operation}${pointer('requestBody', 'content', 'application/json', 'schema')}`, value);
}
