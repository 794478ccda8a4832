#!/usr/bin/env node
// Writes the types of the client (src/client/api-types.ts) from the schemas of docs/openapi.json.
//   node scripts/client-types.mjs           after a change of the API; `npm run openapi` runs it
//   node scripts/client-types.mjs --check   whether they are those of the document: exit code 1 when they are not
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compile } from 'json-schema-to-typescript';
import { format, resolveConfig } from 'prettier';
import { readOptions } from './lib/options.mjs';

const options = readOptions({ check: { type: 'boolean', default: false } });
const root = path.resolve(import.meta.dirname, '..');
const target = path.join(root, 'src', 'client', 'api-types.ts');

const banner = `/**
 * What goes over the wire, as docs/openapi.json describes it. Made by scripts/client-types.mjs: change the API, not
 * this file.
 */
`;

/** The tool starts from one type, which nobody needs, and says of every other that this one knows it. */
const start = 'Unused';
const aboutStart =
  / \* ?\n \* This (?:interface|type) was referenced by `Unused`'s JSON-Schema\n \* via the `definition` "\w+"\.\n/g;
const startItself = /export interface Unused \{[^}]*\}\n/;

/**
 * What stands beside a reference belongs to the place where it stands; the tool would make one more type of both.
 * @param {string} _key @param {unknown} value
 */
function besideReference(_key, value) {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value;
  const { $ref, ...beside } = value;
  return Object.keys(beside).length === 0 ? value : { allOf: [{ $ref }], ...beside };
}

/** @param {{ components: { schemas: object } }} document */
async function typesOf({ components: { schemas } }) {
  const text = JSON.stringify(schemas).replaceAll('#/components/schemas/', '#/definitions/');
  /** @type {import('json-schema-to-typescript').JSONSchema} */
  const schema = { type: 'object', definitions: JSON.parse(text, besideReference) };
  const source = await compile(schema, start, {
    bannerComment: banner,
    unreachableDefinitions: true,
    // A type of what is known: what a newer service adds is not to be relied on.
    additionalProperties: false,
    format: false,
  });
  const types = source.replaceAll(aboutStart, '').replace(startItself, '');
  return format(types, { ...(await resolveConfig(target)), filepath: target });
}

const wanted = await typesOf(JSON.parse(readFileSync(path.join(root, 'docs', 'openapi.json'), 'utf8')));
if (!options.check) writeFileSync(target, wanted);
else if (readFileSync(target, 'utf8') !== wanted) {
  process.stderr.write(
    'src/client/api-types.ts is not that of docs/openapi.json: run node scripts/client-types.mjs\n',
  );
  process.exitCode = 1;
}
