#!/usr/bin/env node
// Writes the table of metrics of docs/operations.md, from the metrics that the built service has.
//   npm run build && scripts/metrics-table.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { built } from './lib/built.mjs';
import { readOptions } from './lib/options.mjs';
import { root } from './lib/service.mjs';

readOptions({});

/** @type {{ describeMetrics: () => readonly { name: string, type: string, labelNames: readonly string[], help: string }[] }} */
const { describeMetrics } = await built('metrics/describe-metrics.js');

const code = (/** @type {string} */ text) => `\`${text}\``;

const rows = describeMetrics().map(
  ({ name, type, labelNames, help }) =>
    `| ${code(name)} | ${type} | ${labelNames.map(code).join(', ')} | ${help} |`,
);
const table = ['| metric | type | labels | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
const page = path.join(root, 'docs', 'operations.md');
const text = readFileSync(page, 'utf8').replace(/^\| metric .*\n(\|.*\n)+/m, () => `${table}\n`);
writeFileSync(page, await format(text, { ...(await resolveConfig(page)), parser: 'markdown' }));
