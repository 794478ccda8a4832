/** The schemas of the description of the API, as something that replies can be held against. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { apiDocument } from '../../src/http/openapi/api-document.ts';
import { templatedPath } from '../../src/http/openapi/operation.ts';
import type { Route } from '../../src/http/route.ts';
import { routes } from '../../src/http/routers/routes.ts';

/** Rules about the fields that are described elsewhere. */
const rules = new Set(['dependentSchemas', 'else', 'if', 'not', 'then']);
const inComponents = '#/components/schemas/';

/**
 * Every object without the fields that nobody described: the document leaves it open for those of a later version. A reference
 * becomes the bare name: what has one is a schema by itself here.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value === 'string' && value.startsWith(inComponents)) return value.slice(inComponents.length);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, rules.has(key) ? part : closed(part)]),
  );
  return 'properties' in copy ? { additionalProperties: false, ...copy } : copy;
}

// That the document is valid is tested where all of it is made; here, nearly every file of tests would pay for it.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
addFormats.default(ajv);

const added = new Set<string>();

function addOnce(name: string, schema: unknown): void {
  if (added.has(name)) return;
  added.add(name);
  ajv.addSchema(closed(schema) as object, name);
}

/** The name of what describes the route. Only that is made: the description of all routes takes a third of a second. */
function described(route: Route): string {
  const name = `operation-${route.operationId}`;
  if (added.has(name)) return name;
  // A job repeats its request, which the route that takes it describes.
  const wanted = routes.filter((one) => one === route || one.operationId === 'submitJob');
  const served = { version: '0', basePath: '', hasAuth: true, publicHealthz: false, publicReadyz: false };
  const { paths, components } = apiDocument(wanted, served, { operations: {}, problems: {} });
  for (const [component, schema] of Object.entries(components.schemas)) addOnce(component, schema);
  addOnce(name, { paths });
  return name;
}

const pointer = (...steps: readonly string[]): string =>
  `#${steps.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')}`;

const validators = new Map<string, ValidateFunction>();

function problemsBy(schema: string, value: unknown): string[] {
  const validate = validators.get(schema) ?? ajv.compile({ $ref: schema });
  validators.set(schema, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** Something below the operation of the route. */
function problemsAt(route: Route, place: readonly string[], value: unknown): string[] {
  const where = pointer('paths', templatedPath(route.path), route.method, ...place, 'schema');
  return problemsBy(`${described(route)}${where}`, value);
}

/** What in the JSON body of a reply is not as the document says, or is not in the document. */
export function replyProblems(route: Route, status: number, mediaType: string, value: unknown): string[] {
  return problemsAt(route, ['responses', String(status), 'content', mediaType], value);
}

export function problemDocumentProblems(value: unknown): string[] {
  // Any route may answer with one.
  const [anyRoute] = routes;
  if (anyRoute) described(anyRoute);
  return problemsBy('Problem', value);
}

/** What is wrong with the JSON body of a request, by the document. */
export function requestProblems(route: Route, value: unknown): string[] {
  return problemsAt(route, ['requestBody', 'content', 'application/json'], value);
}
