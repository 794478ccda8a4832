#!/usr/bin/env node
// Prints the table of metrics of docs/operations.md, from the metrics that the built service has.
//   npm run build && scripts/metrics-table.mjs
import { built } from './lib/built.mjs';
import { readOptions } from './lib/options.mjs';

readOptions({});

/** @type {{ describeMetrics: () => readonly { name: string, type: string, labelNames: readonly string[], help: string }[] }} */
const { describeMetrics } = await built('metrics/describe-metrics.js');

const code = (/** @type {string} */ text) => `\`${text}\``;

process.stdout.write('| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n');
for (const { name, type, labelNames, help } of describeMetrics())
  process.stdout.write(`| ${code(name)} | ${type} | ${labelNames.map(code).join(', ')} | ${help} |\n`);
