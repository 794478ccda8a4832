#!/usr/bin/env node
// The pictures that the documentation shows, as GET /labs/{id}/topology.svg and scenarios draw them:
//   npm run build && node scripts/example-pictures.mjs           writes docs/pictures/<example>.svg
//   node scripts/example-pictures.mjs --check                    whether they are as they are drawn now: exit code 1 when not
// netlab computes the examples with routing protocols. Without it on PATH, their pictures are left out.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { positionsOf } from './example-pictures/positions.mjs';
import { built } from './lib/built.mjs';
import { exampleLabs } from './lib/examples.mjs';
import { readOptions } from './lib/options.mjs';
import { root } from './lib/service.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';

const { engineTopology } = await built('labs/drivers/engine/engine-topology.js');
const { netlabTopology } = await built('labs/drivers/netlab/netlab-topology.js');
const { drawSvg } = await built('labs/picture/draw-svg.js');
const { graphOf } = await built('labs/picture/graph-of.js');
const { matrixSvg, timelineSvg } = await built('scenarios/run/pictures.js');
const { layOut } = await built('labs/picture/lay-out.js');

const { check } = readOptions({ check: { type: 'boolean', default: false } });
const temporary = temporaryDirectory('lab-api-pictures');
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

/** @param {string} directory */
function engineComputes(directory) {
  const engine = path.join(root, 'dist', 'engine', 'main.js');
  execFileSync(process.execPath, [engine, 'create', '-q'], { cwd: directory, stdio: 'inherit' });
  return engineTopology.read(directory);
}

/** @param {string} directory */
function netlabComputes(directory) {
  // Without the defaults of the user.
  const env = { ...process.env, HOME: temporary };
  const run = (/** @type {readonly string[]} */ args) => {
    const words = [...args, '--topology', 'topology.yml'];
    const { status, signal, stdout, stderr } = spawnSync('netlab', words, { cwd: directory, env });
    return { exitCode: status, signal, stdout, stderr, ended: null, spawnError: null };
  };
  return netlabTopology.read(directory, run);
}

/** @param {{ name: string, isRouted: boolean }} example */
function topologyOf({ name, isRouted }) {
  const directory = path.join(temporary, name);
  mkdirSync(directory, { recursive: true });
  cpSync(path.join(root, 'examples', name, 'topology.yml'), path.join(directory, 'topology.yml'));
  return isRouted ? netlabComputes(directory) : engineComputes(directory);
}

/**
 * @param {{ name: string, isRouted: boolean }} example
 * @param {readonly (typeof brokenLink)[]} [faults]
 */
async function draw(example, faults = []) {
  const topology = await topologyOf(example);
  const placed = await layOut(graphOf(topology), faults.length > 0 ? {} : (positionsOf[example.name] ?? {}));
  const names = topology.nodes.map((/** @type {{ name: string }} */ { name }) => name);
  const states =
    faults.length > 0 ? new Map(names.map((/** @type {string} */ node) => [node, 'up'])) : undefined;
  return drawSvg({ name: `examples/${example.name}`, topology, placed, states, faults });
}

const hasNetlab = spawnSync('netlab', ['version'], { stdio: 'ignore' }).error === undefined;
const isLeftOut = (/** @type {{ isRouted: boolean }} */ { isRouted }) => isRouted && !hasNetlab;
const leftOut = exampleLabs.filter(isLeftOut).map(({ name }) => name);
if (leftOut.length > 0)
  process.stdout.write(`netlab is not on PATH: the pictures of ${leftOut.join(', ')} are left out\n`);

/** The result of examples/resilience/ring, as it was measured once. */
const ring = JSON.parse(readFileSync(path.join(root, 'tests/fixtures/scenarios/ring.json'), 'utf8'));

const drawn = [
  { name: 'faults', svg: await draw({ name: 'triangle', isRouted: false }, [brokenLink]) },
  { name: 'scenario-matrix', svg: matrixSvg(ring) },
  { name: 'scenario-timeline', svg: timelineSvg(ring) },
];
for (const example of exampleLabs.filter((one) => !isLeftOut(one)))
  drawn.push({ name: example.name.replaceAll('/', '-'), svg: await draw(example) });

for (const { name, svg } of drawn) {
  const file = path.join(root, 'docs', 'pictures', `${name}.svg`);
  if (!check) writeFileSync(file, svg);
  else if (readFileSync(file, 'utf8') !== svg) {
    process.stderr.write(
      `docs/pictures/${name}.svg is not as it is drawn now: run node scripts/example-pictures.mjs\n`,
    );
    process.exitCode = 1;
  }
}
