#!/usr/bin/env node
// Writes the table of metrics of docs/operations.md, from the metrics that the built service has.
//   npm run build && scripts/metrics-table.mjs
import { built } from './lib/built.mjs';
import { readOptions } from './lib/options.mjs';
import { code, writeTable } from './lib/write-table.mjs';

readOptions({});

/** @type {{ describeMetrics: () => readonly { name: string, type: string, labelNames: readonly string[], help: string }[] }} */
const { describeMetrics } = await built('metrics/describe-metrics.js');

const rows = describeMetrics().map(({ name, type, labelNames, help }) => [
  code(name),
  type,
  labelNames.map(code).join(', '),
  help,
]);
await writeTable('operations.md', ['metric', 'type', 'labels', 'meaning'], rows);
