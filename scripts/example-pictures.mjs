#!/usr/bin/env node
// The pictures that the documentation shows, as GET /labs/{id}/topology.svg and scenarios draw them:
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
const { matrixSvg, timelineSvg } = await built('scenarios/run/pictures.js');
const { layOut } = await built('labs/picture/lay-out.js');

const { check } = readOptions({ check: { type: 'boolean', default: false } });
const brokenLink = {
  link: '1',
  node: null,
  kind: 'down',
  process: null,
  impairment: null,
  user: 'alice',
  setAt: '2026-01-15T18:00:00.000Z',
  expiresAt: null,
};
const pictures = [
  { file: 'spine-leaf', example: 'spine-leaf', faults: [] },
  { file: 'triangle', example: 'triangle', faults: [] },
  { file: 'faults', example: 'triangle', faults: [brokenLink] },
];

/** @param {(typeof pictures)[number]} picture */
async function draw({ example: name, faults }) {
  const directory = path.join(temporaryDirectory('lab-api-pictures'), name);
  cpSync(path.join(root, 'examples', name), directory, { recursive: true });
  const engine = path.join(root, 'dist', 'engine', 'main.js');
  execFileSync(process.execPath, [engine, 'create', '-q'], { cwd: directory, stdio: 'inherit' });
  const topology = await engineTopology.read(directory);
  const placed = await layOut(graphOf(topology), {});
  const names = topology.nodes.map((/** @type {{ name: string }} */ { name: node }) => node);
  const states =
    faults.length > 0 ? new Map(names.map((/** @type {string} */ node) => [node, 'up'])) : undefined;
  return drawSvg({ name: `examples/${name}`, topology, placed, states, faults });
}

/** The result of examples/resilience/ring, as it was measured once. */
const ring = JSON.parse(readFileSync(path.join(root, 'tests/fixtures/scenarios/ring.json'), 'utf8'));

const drawn = [
  ...(await Promise.all(pictures.map(async (picture) => ({ name: picture.file, svg: await draw(picture) })))),
  { name: 'scenario-matrix', svg: matrixSvg(ring) },
  { name: 'scenario-timeline', svg: timelineSvg(ring) },
];
for (const { name, svg } of drawn) {
  const file = path.join(root, 'docs', `${name}.svg`);
  if (!check) writeFileSync(file, svg);
  else if (readFileSync(file, 'utf8') !== svg) {
    process.stderr.write(
      `docs/${name}.svg is not as it is drawn now: run node scripts/example-pictures.mjs\n`,
    );
    process.exitCode = 1;
  }
}
