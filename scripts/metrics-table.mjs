#!/usr/bin/env node
// Prints the table of metrics of docs/operations.md, from the metrics that the built service has.
//   npm run build && scripts/metrics-table.mjs
import { readOptions } from './lib/options.mjs';

readOptions({});

/** @typedef {{ name: string, type: string, labelNames: readonly string[], help: string }} Metric */

// By a name that only exists once the service was built.
const built = new URL('../dist/modules/metrics/describe-metrics.js', import.meta.url).href;
const { describeMetrics } = /** @type {{ describeMetrics: () => readonly Metric[] }} */ (await import(built));

const code = (/** @type {string} */ text) => `\`${text}\``;

process.stdout.write('| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n');
for (const { name, type, labelNames, help } of describeMetrics())
  process.stdout.write(`| ${code(name)} | ${type} | ${labelNames.map(code).join(', ')} | ${help} |\n`);
