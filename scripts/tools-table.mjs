#!/usr/bin/env node
// Writes the table of tools for AI assistants of docs/labs.md, from the tools that the built program has.
//   npm run build && scripts/tools-table.mjs
import { built } from './lib/built.mjs';
import { readOptions } from './lib/options.mjs';
import { code, writeTable } from './lib/write-table.mjs';

readOptions({});

/** @type {{ toolsByTopic: Readonly<Record<string, readonly { name: string, effect: string }[]>> }} */
const { toolsByTopic } = await built('mcp/tools.js');

const rows = Object.entries(toolsByTopic).map(([topic, tools]) => {
  const cells = ['looks', 'changes', 'destroys'].map((effect) =>
    tools.filter((tool) => tool.effect === effect),
  );
  return [topic, ...cells.map((list) => list.map(({ name }) => code(name)).join(', '))];
});
await writeTable('labs.md', ['tools for', 'read only', 'change something', 'destroy something'], rows);
