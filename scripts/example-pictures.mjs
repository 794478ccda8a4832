#!/usr/bin/env node
// The pictures of examples that the documentation shows, as GET /labs/{id}/topology.svg draws them:
//   npm run build && node scripts/example-pictures.mjs           writes docs/<example>.svg
//   node scripts/example-pictures.mjs --check                    whether they are as they are drawn now: exit code 1 when not
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { built } from './lib/built.mjs';
import { readOptions } from './lib/options.mjs';
import { root } from './lib/service.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';

const { engineTopology } = await built('labs/drivers/engine/engine-topology.js');
const { drawSvg } = await built('labs/picture/draw-svg.js');
const { graphOf } = await built('labs/picture/graph-of.js');
const { layOut } = await built('labs/picture/lay-out.js');

const { check } = readOptions({ check: { type: 'boolean', default: false } });
const examples = ['spine-leaf', 'triangle'];

/** @param {string} name */
async function draw(name) {
  const directory = path.join(temporaryDirectory('lab-api-pictures'), name);
  cpSync(path.join(root, 'examples', name), directory, { recursive: true });
  const engine = path.join(root, 'dist', 'engine', 'main.js');
  execFileSync(process.execPath, [engine, 'create', '-q'], { cwd: directory, stdio: 'inherit' });
  const topology = await engineTopology.read(directory);
  const placed = await layOut(graphOf(topology), {});
  return drawSvg({ name: `examples/${name}`, topology, placed, states: undefined, faults: [] });
}

for (const name of examples) {
  const file = path.join(root, 'docs', `${name}.svg`);
  const svg = await draw(name);
  if (!check) writeFileSync(file, svg);
  else if (readFileSync(file, 'utf8') !== svg) {
    process.stderr.write(
      `docs/${name}.svg is not as it is drawn now: run node scripts/example-pictures.mjs\n`,
    );
    process.exitCode = 1;
  }
}
