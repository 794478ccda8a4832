/** The description of the API: committed as it is built, valid, worded throughout, and with examples that are true. */
import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { apiDocument } from '../../src/http/openapi/api-document.ts';
import { recordedExamples } from '../../src/http/openapi/recorded-examples.ts';
import { routes } from '../../src/http/routers/routes.ts';
import { problemDocumentProblems, replyProblems, requestProblems } from '../support/api-schemas.ts';
import { repoRoot } from '../support/repo-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
}

const directory = temporaryDirectory();
const read = (file: string): string => readFileSync(path.join(repoRoot, file), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };
const examples = recordedExamples;
const served = { version, basePath: '', hasAuth: true, publicHealthz: false, publicReadyz: false };
// As it goes over the wire.
const document = JSON.parse(JSON.stringify(apiDocument(routes, served, examples))) as {
  paths: Record<string, Record<string, { parameters: (Schema & { schema?: Schema; name: string })[] }>>;
  components: { schemas: Record<string, Schema> };
};

test('docs/openapi.json is as it is built; "npm run openapi" makes it', () => {
  expect(JSON.parse(read('docs/openapi.json'))).toEqual(document);
});

test.each([
  { ...served, hasAuth: false },
  { ...served, publicHealthz: true, publicReadyz: true, basePath: '/netlab' },
])('it is valid OpenAPI 3.1: auth $hasAuth, base path "$basePath"', (how) => {
  const file = path.join(directory, 'openapi.json');
  writeFileSync(file, JSON.stringify(apiDocument(routes, how, examples)));
  // The program of @seriousme/openapi-schema-validator; it exits with 1 and says what is wrong.
  const validator = path.join(repoRoot, 'node_modules/.bin/validate-api');
  expect(execFileSync(validator, [file], { encoding: 'utf8' })).toContain('valid');
});

describe('operations', () => {
  test('have ids that differ and read as names of methods', () => {
    const ids = routes.map(({ operationId }) => operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)+$/.test(id))).toEqual([]);
  });

  test.each(routes)('$operationId: a summary without a full stop, sentences as its description', (route) => {
    expect(route.summary).toMatch(/^[A-Z].*[^.]$/);
    expect(route.description).toMatch(/^[A-Z`].*\.$/s);
    for (const { description } of Object.values(route.replies)) expect(description).toMatch(/^[A-Z].*\.$/);
  });

  test('are where the links of replies lead, which name all that their paths need', () => {
    const links = routes.flatMap(({ replies }) =>
      Object.values(replies).flatMap((reply) => Object.values(reply.links ?? {})),
    );
    expect(links.length).toBeGreaterThan(9);
    for (const { operationId, parameters } of links) {
      const route = routes.find((one) => one.operationId === operationId);
      expect(Object.keys(parameters)).toEqual(Object.keys(route?.params.shape ?? {}));
    }
  });

  test('describe each of their parameters', () => {
    const bare = Object.entries(document.paths).flatMap(([name, operations]) =>
      Object.values(operations)
        .flatMap(({ parameters }) => parameters)
        .filter(({ $ref, description }) => $ref === undefined && description === undefined)
        .map((parameter) => `${name} ${parameter.name}`),
    );
    expect(bare).toEqual([]);
  });
});

/** What the lab CLI says of itself, and what another specification says. */
const untyped = [
  'EventLab.status',
  'InstanceStatus',
  'JobRequest.topology',
  'LabsStatus',
  'McpMessage.error',
  'McpMessage.params',
  'McpMessage.result',
  'OpenApiDocument',
  'Problem.lab',
];

/** Every schema in a schema, by where it stands. */
function* schemasIn(where: string, schema: Schema): Generator<readonly [string, Schema]> {
  yield [where, schema];
  for (const [name, part] of Object.entries(schema.properties ?? {}))
    yield* schemasIn(`${where}.${name}`, part);
  for (const part of schema.anyOf ?? []) yield* schemasIn(where, part);
  if (schema.items) yield* schemasIn(`${where}[]`, schema.items);
  if (typeof schema.additionalProperties === 'object')
    yield* schemasIn(`${where}.*`, schema.additionalProperties);
}

describe('schemas', () => {
  const all = Object.entries(document.components.schemas).flatMap(([name, schema]) => [
    ...schemasIn(name, schema),
  ]);

  test('have names in PascalCase and describe themselves', () => {
    const components = Object.entries(document.components.schemas);
    expect(components.filter(([name]) => !/^([A-Z][a-z]+)+$/.test(name)).map(([name]) => name)).toEqual([]);
    expect(
      components.filter(([, { description }]) => description?.endsWith('.') !== true).map(([name]) => name),
    ).toEqual([]);
  });

  test('describe every field that has no schema with a name', () => {
    const fields = all.flatMap(([where, { properties = {} }]) =>
      Object.entries(properties).map(([name, schema]) => ({ where: `${where}.${name}`, ...schema })),
    );
    const bare = fields.filter(
      ({ $ref, description = '' }) => $ref === undefined && !/[.)]$/.test(description),
    );
    expect(bare.map(({ where }) => where)).toEqual([]);
  });

  test('say in which unit a number is, or what it counts', () => {
    const unit = /byte|second|milli|How many|HTTP status|exit|lab CLI|ids of|number|starts next/i;
    const numbers = all.filter(([, { type }]) =>
      ['integer', 'number'].some((name) => [type].flat().includes(name)),
    );
    const fields = numbers.filter(([where]) => !/(\[\]|\*)$/.test(where));
    const mute = fields.filter(
      ([where, { description = '' }]) => where !== 'JobRequest.instance' && !unit.test(description),
    );
    expect(mute.map(([where]) => where)).toEqual([]);
  });

  test('say of a time in which form it is', () => {
    const times = all.filter(([, { format }]) => format === 'date-time');
    expect(times.length).toBeGreaterThan(4);
    expect(
      times.filter(([, { description = '' }]) => !description.includes('RFC 3339')).map(([where]) => where),
    ).toEqual([]);
  });

  test('leave nothing untyped but what comes from elsewhere, and say so there', () => {
    const open = all.filter(
      ([, schema]) =>
        schema.additionalProperties === true ||
        (schema.$ref === undefined && schema.type === undefined && schema.anyOf === undefined),
    );
    expect([...new Set(open.map(([where]) => where))].toSorted()).toEqual(untyped);
    for (const [, { description }] of open)
      expect(description).toMatch(/a document of the lab CLI's own|OpenAPI|Model Context Protocol/i);
  });
});

describe('recorded examples', () => {
  const how = '"npm run openapi -- --record" records them anew';

  test.each(Object.keys(examples.operations))(
    `%s: answers and request are as their schemas say; ${how}`,
    (id) => {
      const route = routes.find(({ operationId }) => operationId === id);
      const { request, replies } = examples.operations[id]!;
      expect(route).toBeDefined();
      if (request !== undefined) expect(requestProblems(route!, request)).toEqual([]);
      for (const [status, contents] of Object.entries(replies)) {
        expect(Object.keys(route!.replies)).toContain(status);
        for (const [mediaType, value] of Object.entries(contents))
          expect(
            mediaType === 'application/json' ? replyProblems(route!, Number(status), mediaType, value) : [],
          ).toEqual([]);
      }
    },
  );

  test('every route that answers with JSON has one: scripts/openapi/record.mjs asks it, "npm run openapi -- --record" keeps the answer', () => {
    const withJson = routes.filter(({ replies }) =>
      Object.values(replies).some(({ content }) => 'application/json' in content),
    );
    const missing = withJson.filter(({ operationId }) => examples.operations[operationId] === undefined);
    expect(missing.map(({ operationId }) => operationId)).toEqual(['getOpenApiJson']);
  });

  test.each(Object.entries(examples.problems))(
    '%s: the problem document is as its schema says',
    (code, problem) => {
      expect(problemDocumentProblems(problem)).toEqual([]);
      expect(problem).toMatchObject({ code });
    },
  );
});
