#!/usr/bin/env node
// Measures the bundled engine: lines of nodes go up and down, beside the same commands fed to sh by hand (the floor),
// the start of Node, and mininet where it is installed. For root, on a machine with nothing else to do:
//   npm run build && scripts/bench-engine.mjs [--nodes 10,100,1000] [--runs 5] [--mininet 10,100 | --no-mininet] [--check]
// --check: exit code 1 when a target is missed. Ctrl-C cleans up.
import Table from 'cli-table3';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readOptions } from './lib/options.mjs';

const values = readOptions({
  nodes: { type: 'string', default: '10,100,1000' },
  runs: { type: 'string' },
  mininet: { type: 'string', default: '10,100' },
  'no-mininet': { type: 'boolean', default: false },
  check: { type: 'boolean', default: false },
});
const lab = path.join(import.meta.dirname, '..', 'dist', 'main.js');
const upTarget = 2;
const mininetTarget = 10;
/** A packet of the engine's nodes lives for 255 hops. */
const maxPingedNodes = 256;

/** @param {string} text */
const say = (text) => process.stdout.write(`${text}\n`);

/** @param {string} text @returns {number[]} */
function numbersOf(text) {
  const numbers = text.split(',').map(Number);
  if (numbers.every((count) => Number.isInteger(count) && count >= 3)) return numbers;
  throw new Error(`"${text}" must be numbers of nodes, 3 or more each, such as 10,100`);
}

function settings() {
  const runs = values.runs === undefined ? undefined : Number(values.runs);
  if (runs !== undefined && !(Number.isInteger(runs) && runs > 0))
    throw new Error('--runs must be 1 or more');
  const isMininetHere = !values['no-mininet'] && !spawnSync('mn', ['--version']).error;
  return {
    sizes: numbersOf(values.nodes),
    mininetSizes: isMininetHere ? numbersOf(values.mininet) : [],
    // Large labs vary less, and take long.
    runsOf: (/** @type {number} */ count) => runs ?? (count > 100 ? 2 : 5),
    check: values.check,
  };
}

const temporary = mkdtempSync(path.join(os.tmpdir(), 'lab-bench-'));
const environment = { ...process.env, LAB_HOME: path.join(temporary, 'home'), LAB_API_CLI: 'engine' };

/** An instance of our own, so that no lab of somebody else's is met. @returns {number} */
function freeInstance() {
  const netns = existsSync('/run/netns') ? readdirSync('/run/netns') : [];
  for (let id = 200; id > 0; id -= 1) {
    const isTaken =
      existsSync(`/run/lab-engine/${id}`) || netns.some((name) => name.startsWith(`lab-${id}-`));
    if (!isTaken) return id;
  }
  throw new Error('there is no free lab instance');
}
const instance = freeInstance();

/** Ends the program that is running, and what it started. */
let endRunning = () => undefined;
/** @type {NodeJS.Signals | undefined} */
let endedBy;

/**
 * Runs a program to its end; away from the terminal, so that a Ctrl-C is for this script alone.
 * @param {readonly string[]} command
 * @param {string} [cwd]
 * @param {string} [signal] what ends it early
 */
async function run([program = '', ...args], cwd = temporary, signal = 'TERM') {
  if (endedBy) throw new Error(`ended by ${endedBy}`);
  const started = performance.now();
  const stdio = /** @type {const} */ (['ignore', 'pipe', 'pipe']);
  const child = spawn(program, args, { cwd, env: environment, detached: true, stdio });
  endRunning = () => void spawnSync('kill', ['-s', signal, '--', `-${child.pid}`]);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  const ms = performance.now() - started;
  endRunning = () => undefined;
  if (endedBy) throw new Error(`ended by ${endedBy}`);
  if (code !== 0) throw new Error(`${[program, ...args].join(' ')} ended with ${code}:\n${stderr || stdout}`);
  return { ms, stdout, stderr };
}

/** @param {string} command @param {string} cwd */
const runLab = (command, cwd) => run([process.execPath, lab, ...command.split(' ')], cwd);

/** Names of our namespaces. */
function namespaces() {
  const { stdout } = spawnSync('ip', ['netns', 'list'], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const names = stdout.split('\n').map((line) => line.split(' ')[0] ?? '');
  return names.filter((name) => name.startsWith(`lab-${instance}-`));
}

/** @param {number} wanted @param {string} when */
function mustHave(wanted, when) {
  const count = namespaces().length;
  if (count !== wanted) throw new Error(`${when} there are ${count} namespaces, not ${wanted}`);
}

/** The kernel takes deleted namespaces apart later, and would do it while the next run is measured. */
async function settle() {
  const isBusy = () => {
    const { stdout } = spawnSync('ps', ['-e', '-o', 'comm='], { encoding: 'utf8' });
    return stdout.includes('+netns');
  };
  // It rests between two batches: several quiet looks in a row. Labs of others keep it busy for ever: not longer than 10 s.
  for (let looks = 0, quiet = 0; looks < 200 && quiet < 4; looks += 1) {
    await delay(50);
    quiet = isBusy() ? 0 : quiet + 1;
  }
}

/** Routers in a line, and a host at either end. @param {number} count */
function topologyOf(count) {
  const routers = Array.from({ length: count - 2 }, (_, index) => `r${index + 1}`);
  const line = ['h1', ...routers, 'h2'];
  // A router beside a host has its id as the host part of a /24: those two come first in the file.
  const ends = new Set([routers.at(0), routers.at(-1)]);
  const inOrder = [...ends, ...routers.filter((name) => !ends.has(name))];
  return [
    'name: line',
    'plugin: [multilab]',
    `defaults: {multilab.id: ${instance}, const.MAX_NODE_ID: 65535, device: linux}`,
    'addressing.loopback.ipv4: 10.8.0.0/16',
    'nodes:',
    '  h1:\n  h2:',
    ...inOrder.map((name) => `  ${name}: {role: router}`),
    'links:',
    ...line.slice(1).map((name, index) => `- ${line[index]}-${name}`),
    '',
  ].join('\n');
}

/** @param {number} count @param {string} cwd */
async function ping(count, cwd) {
  const [from, to] = count <= maxPingedNodes ? ['h1', 'h2'] : ['r1', 'r101'];
  await runLab(`exec ${from} -- ping -n -c1 -W5 ${to}`, cwd);
  const why =
    count <= maxPingedNodes ? '' : ', 100 hops away: a packet does not live long enough for the whole line';
  say(`${count} nodes: ${from} reaches ${to}${why}`);
}

/**
 * Everything once, one after the other: what else the machine does then meets all of them.
 * @param {number} count
 * @param {string} cwd
 * @param {boolean} isFirst
 */
async function round(count, cwd, isFirst) {
  mustHave(0, 'before "up"');
  const up = await runLab('up -q', cwd);
  mustHave(count, 'after "up"');
  if (isFirst) {
    await ping(count, cwd);
    writeFileSync(path.join(cwd, 'up.sh'), (await runLab('up --dry-run', cwd)).stdout);
    writeFileSync(path.join(cwd, 'down.sh'), (await runLab('down --dry-run', cwd)).stdout);
  }
  const down = await runLab('down -q', cwd);
  mustHave(0, 'after "down"');
  await settle();
  const floorUp = await run(['sh', '-eu', path.join(cwd, 'up.sh')]);
  const floorDown = await run(['sh', '-eu', path.join(cwd, 'down.sh')]);
  await settle();
  const node = await run([process.execPath, '-e', '0']);
  const version = await runLab('--version', cwd);
  const all = Object.entries({ up, down, floorUp, floorDown, node, version });
  return Object.fromEntries(all.map(([name, { ms }]) => [name, ms]));
}

/**
 * Up and down in one. When mininet fails it kills every `ping` of the machine and removes every /tmp/*.log: it gets
 * processes, network and /tmp of its own, which end with it.
 * @param {number} count
 */
async function mininet(count) {
  const options = `--topo linear,${count} --switch lxbr --controller none --test none`;
  const script = `mount -t tmpfs tmpfs /tmp && mn ${options}`;
  const unshare = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', '--net', '--mount'];
  const { ms, stdout, stderr } = await run([...unshare, 'sh', '-c', script], temporary, 'KILL');
  // Its exit code is 0 when it failed, too.
  if (!/completed in/.test(stdout + stderr)) throw new Error(`mininet failed:\n${stdout}${stderr}`);
  await settle();
  return ms;
}

/** NaN when there are none. @param {readonly number[]} values */
function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** @param {number} count @param {ReturnType<typeof readOptions>} options */
async function measure(count, { runsOf, mininetSizes }) {
  const cwd = path.join(temporary, String(count));
  mkdirSync(cwd);
  writeFileSync(path.join(cwd, 'topology.yml'), topologyOf(count));
  const rounds = [];
  const mininetMs = [];
  for (let index = 0; index < runsOf(count); index += 1) {
    rounds.push(await round(count, cwd, index === 0));
    // Half a minute and more each: three are enough.
    if (mininetSizes.includes(count) && index < 3) mininetMs.push(await mininet(count));
  }
  const names = Object.keys(rounds[0]);
  const medians = Object.fromEntries(names.map((name) => [name, median(rounds.map((each) => each[name]))]));
  return { count, runs: rounds.length, ...medians, mininet: median(mininetMs) };
}

/** @param {Awaited<ReturnType<typeof measure>>[]} results */
function show(results) {
  const seconds = (/** @type {number} */ ms) => (Number.isNaN(ms) ? '–' : `${(ms / 1000).toFixed(2)} s`);
  const times = (/** @type {number} */ ratio) => (Number.isNaN(ratio) ? '–' : `${ratio.toFixed(1)} ×`);
  /** @type {[string, (result: typeof results[number]) => string][]} */
  const rows = [
    ['runs (medians below)', ({ runs }) => String(runs)],
    ['lab up', ({ up }) => seconds(up)],
    ['lab down', ({ down }) => seconds(down)],
    ['floor: its commands by hand', ({ floorUp }) => seconds(floorUp)],
    ['floor: their removal', ({ floorDown }) => seconds(floorDown)],
    ['node -e 0', ({ node }) => seconds(node)],
    ['lab --version', ({ version }) => seconds(version)],
    ['mininet, up and down', (result) => seconds(result.mininet)],
    ['up ÷ floor', ({ up, floorUp }) => times(up / floorUp)],
    ['(up − node) ÷ floor', ({ up, node, floorUp }) => times((up - node) / floorUp)],
    ['mininet ÷ (up + down)', (result) => times(result.mininet / (result.up + result.down))],
  ];
  const table = new Table({
    head: ['', ...results.map(({ count }) => `${count} nodes`)],
    colAligns: ['left', ...results.map(() => 'right')],
    style: { head: [], border: [] },
  });
  for (const [name, cell] of rows) table.push([name, ...results.map(cell)]);
  say(table.toString());
}

/** Prints the targets; whether none is missed. @param {Awaited<ReturnType<typeof measure>>[]} results */
function meetsTargets(results) {
  const hundred = results.find(({ count }) => count === 100);
  const target = (/** @type {string} */ what, /** @type {boolean | undefined} */ isMet) => {
    say(
      `${isMet === undefined ? '–' : isMet ? '✓' : '✗'} ${what}${isMet === undefined ? ' (not measured)' : ''}`,
    );
    return isMet !== false;
  };
  const isFast = hundred && hundred.up <= upTarget * hundred.floorUp + hundred.node;
  const isCompared = hundred && !Number.isNaN(hundred.mininet);
  const isFaster = isCompared ? hundred.mininet >= mininetTarget * (hundred.up + hundred.down) : undefined;
  // A lab that is not complete, or not gone completely, ends the measurements.
  const isComplete = results.some(({ count }) => count >= 1000) || undefined;
  return [
    target(`100 nodes: up takes no more than ${upTarget} × the floor and the start of Node`, isFast),
    target(`100 nodes: ${mininetTarget} × faster than mininet`, isFaster),
    target('1,000 nodes come up and go down completely', isComplete),
  ].every(Boolean);
}

/** Leaves the machine as it was, whatever happened. */
function cleanUp() {
  for (const name of readdirSync(temporary).filter((entry) => /^\d+$/.test(entry))) {
    const options = { cwd: path.join(temporary, name), env: environment, detached: true };
    spawnSync(process.execPath, [lab, 'down', '-q', '--force'], options);
  }
  // What the floor left has no lab that it belongs to.
  for (const name of namespaces()) spawnSync('ip', ['netns', 'del', name]);
  rmSync(temporary, { recursive: true, force: true });
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    endedBy ??= signal;
    endRunning();
  });
}

try {
  const options = settings();
  const results = [];
  for (const count of options.sizes) results.push(await measure(count, options));
  show(results);
  if (!meetsTargets(results) && options.check) process.exitCode = 1;
} catch (error) {
  say(`✗ ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  cleanUp();
}
