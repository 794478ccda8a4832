/** The tools for AI assistants, beside the API that they use and the page about them. */
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { inputOf, type Tool } from '../../src/mcp/tool.ts';
import { tools, toolsByTopic } from '../../src/mcp/tools.ts';
import { repoRoot } from '../support/repo-files.ts';

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
}

interface Described {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly $ref?: string;
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

const read = (...names: readonly string[]): string => readFileSync(path.join(repoRoot, ...names), 'utf8');
const { paths, components } = JSON.parse(read('docs', 'openapi.json')) as {
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  components: { schemas: Readonly<Record<string, Schema>> };
};

/** Without the names in braces: tools have their own. */
const shapeOf = (operation: string): string => operation.replace(/\{\w+\}/g, '{}');
const operations = new Map(
  Object.entries(paths).flatMap(([at, methods]) =>
    Object.entries(methods).map(
      ([method, described]) => [shapeOf(`${method.toUpperCase()} ${at}`), described] as const,
    ),
  ),
);

function fieldsOf({ $ref, properties, anyOf = [], required = [] }: Schema): {
  all: string[];
  needed: string[];
} {
  const target = $ref === undefined ? undefined : components.schemas[$ref.split('/').at(-1) ?? ''];
  const parts = [...(target ? [target] : []), ...anyOf].map(fieldsOf);
  return {
    all: [...Object.keys(properties ?? {}), ...parts.flatMap(({ all }) => all)],
    needed: [...required, ...(anyOf.length > 0 ? [] : parts.flatMap(({ needed }) => needed))],
  };
}

/** The inputs that an operation takes and needs, without those of its path. */
function takenBy({ parameters, requestBody }: Described): { all: string[]; needed: string[] } {
  const ofQuery = parameters.filter((parameter) => parameter.in === 'query');
  const ofBody = fieldsOf(requestBody?.content['application/json']?.schema ?? {});
  return {
    all: [...ofQuery.map(({ name }) => name), ...ofBody.all],
    needed: [
      ...ofQuery.filter(({ required }) => required === true).map(({ name }) => name),
      ...ofBody.needed,
    ],
  };
}

/** The operations for which there is no tool, and why. */
const without: Readonly<Record<string, string>> = {
  'secrets and logins are nothing for an assistant':
    'beginSession endSession beginProviderLogin finishProviderLogin endProviderSession changeOwnPassword listSessions endOneSession listTokens addToken removeToken',
  'people administer the server':
    'listUsers addUser changeUser removeUser forgetHost drainHost listImages putImage removeImage getDiskUse reloadSettings listAudit exportAudit getMetrics',
  'documents, pictures and probes are for eyes and programs':
    'getOpenApiJson getOpenApiYaml getReferencePage getReferenceFile getLabPicture getLabLayout replaceLabLayout getWorkspaceLayout replaceWorkspaceLayout getLiveness postMcp',
  'it does not end': 'followEvents openNodeTerminal openNodeSsh',
  'another tool has it': 'getAllStatus getWorkspace getHost',
  'it is an archive': 'downloadSnapshot',
};

describe('the tools', () => {
  test('have every operation that a person uses in a lab', () => {
    const used = new Set(tools.flatMap((tool) => tool.operations.map(shapeOf)));
    const unused = [...operations].filter(([operation]) => !used.has(operation));
    const ids = unused.map(([, { operationId }]) => operationId);
    expect(ids.toSorted()).toEqual(
      Object.values(without)
        .flatMap((words) => words.split(' '))
        .toSorted(),
    );
    expect([...used].filter((operation) => !operations.has(operation))).toEqual([]);
  });

  test.each(tools.filter(({ run }) => !run))('$name has inputs that its operation takes', (tool: Tool) => {
    const [operation] = tool.operations;
    const described = operations.get(shapeOf(operation)) as Described;
    const inPath = [...operation.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const given = Object.keys(inputOf(tool).shape).filter(
      (name) => name !== 'offset' && !inPath.includes(name),
    );
    const sent = [...given.map((name) => tool.names?.[name] ?? name), ...Object.keys(tool.fixed ?? {})];
    const { all, needed } = takenBy(described);
    expect(sent.filter((name) => !all.includes(name))).toEqual([]);
    const isGiven = (name: string): boolean =>
      sent.includes(name) &&
      (tool.fixed?.[name] !== undefined || !z.safeParse(z.strictObject(tool.input), {}).success);
    expect(needed.filter((name) => !isGiven(name))).toEqual([]);
    for (const name of inPath) expect(Object.keys(tool.input)).toContain(name);
  });

  test('are marked: those that look send GET alone, and those that remove, replace or run something destroy', () => {
    for (const { name, effect, operations: used } of tools) {
      const changing = used.filter((operation) => operation !== 'POST /topologies/check');
      const methods = changing.map((operation) => operation.split(' ')[0]);
      if (effect === 'looks') expect([name, ...methods.filter((method) => method !== 'GET')]).toEqual([name]);
      else expect(methods).not.toContain('GET');
    }
    const harmless = tools.filter(({ effect }) => effect === 'changes').map(({ name }) => name);
    expect(harmless.toSorted()).toEqual([
      'collect_configurations',
      'create_lab',
      'heal_faults',
      'keep_snapshot',
      'make_workspace',
      'remove_impairment',
      'start_lab',
      'validate_lab',
    ]);
  });

  test('have a name of their own, and sentences', () => {
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    for (const { name, title, description } of tools) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(title).toMatch(/^[A-Z][^.]+$/);
      expect(description).toMatch(/^[A-Z][^]+\.$/);
    }
  });

  test('are those of docs/labs.md; after a build, scripts/tools-table.mjs writes them', () => {
    const section = /^## AI assistants\n([^]*)/m.exec(read('docs', 'labs.md'))?.[1] ?? '';
    const rows = section
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(2);
    const told = rows.map((row) => {
      const [topic, ...cells] = row.split('|').slice(1, -1);
      return [topic?.trim(), ...cells.map((cell) => cell.match(/\w+/g) ?? [])];
    });
    const there = Object.entries(toolsByTopic).map(([topic, list]) => {
      const namesOf = (effect: string) =>
        list.filter((tool) => tool.effect === effect).map(({ name }) => name);
      return [topic, ...['looks', 'changes', 'destroys'].map(namesOf)];
    });
    expect(told).toEqual(there);
  });
});
