#!/usr/bin/env node
// Writes the names of keys and values that the editor of the page suggests in a topology: those of netlab from the installed
// one, and those of containerlab from its JSON schema (schemas/clab.schema.json of its source). No sentence is copied.
//   scripts/schema-hints.mjs [--clab-schema FILE] [--check]
// Without --clab-schema, those of containerlab stay as they are. --check: nothing is written; exit code 1 when the file in the
// repository differs.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { parse } from 'yaml';
import { readOptions } from './lib/options.mjs';
import { root } from './lib/service.mjs';
import { say } from './lib/words.mjs';
import { containerlabParts } from './schema-hints/containerlab.mjs';
import { netlabParts } from './schema-hints/netlab.mjs';

const options = readOptions({ 'clab-schema': { type: 'string' }, check: { type: 'boolean' } });
const file = path.join(root, 'web/dashboard/src/pages/workspaces/editor/lab-schemas.json');

/** @param {readonly string[]} words */
const netlab = (words) => execFileSync('netlab', words, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

const before = readFileSync(file, 'utf8');
const schema = options['clab-schema'];
const after = {
  netlabVersion: /netlab version (\S+)/.exec(netlab(['version']))?.[1],
  containerlab:
    schema === undefined
      ? JSON.parse(before).containerlab
      : containerlabParts(JSON.parse(readFileSync(schema, 'utf8'))),
  netlab: netlabParts(parse(netlab(['show', 'defaults', '--system', '--format', 'yaml']))),
};
const text = await format(JSON.stringify(after), { ...(await resolveConfig(file)), parser: 'json' });
if (options.check !== true) writeFileSync(file, text);
else if (text !== before) {
  say(`${path.relative(root, file)} differs: run scripts/schema-hints.mjs`);
  process.exitCode = 1;
}
