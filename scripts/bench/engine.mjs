// Measures the bundled engine: lines of nodes go up and down, beside the same commands fed to sh by hand (the floor),
// the start of Node, and mininet where it is installed. For root.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freeInstance } from '../lib/free-instance.mjs';
import { atEnd, median, root as temporary, showTable, target } from './kit.mjs';
import { program as lab } from '../lib/service.mjs';
import { say } from '../lib/words.mjs';

/**
 * Medians in milliseconds; NaN for what was not measured.
 * @typedef {object} Result
 * @property {number} count nodes
 * @property {number} runs
 * @property {number} up
 * @property {number} down
 * @property {number} floorUp
 * @property {number} floorDown
 * @property {number} node
 * @property {number} version
 * @property {number} mininet
 */

const upTarget = 2;
const mininetTarget = 10;

/** @param {readonly Result[]} results */
function show(results) {
  const seconds = (/** @type {number} */ ms) => (Number.isNaN(ms) ? '–' : `${(ms / 1000).toFixed(2)} s`);
  const times = (/** @type {number} */ ratio) => (Number.isNaN(ratio) ? '–' : `${ratio.toFixed(1)} ×`);
  /** @type {[string, (result: Result) => string][]} */
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
  showTable(
    ['', ...results.map(({ count }) => `${count} nodes`)],
    rows.map(([name, cell]) => [name, ...results.map(cell)]),
  );
}

/** Prints the targets. @param {readonly Result[]} results */
function judge(results) {
  const hundred = results.find(({ count }) => count === 100);
  const isFast = hundred && hundred.up <= upTarget * hundred.floorUp + hundred.node;
  const isCompared = hundred && !Number.isNaN(hundred.mininet);
  const isFaster = isCompared ? hundred.mininet >= mininetTarget * (hundred.up + hundred.down) : undefined;
  target(`100 nodes: up takes no more than ${upTarget} × the floor and the start of Node`, isFast);
  target(`100 nodes: ${mininetTarget} × faster than mininet`, isFaster);
  // A lab that is not complete, or not gone completely, ends the measurements.
  for (const size of [1000, 5000])
    target(`${size} nodes come up and go down`, results.some(({ count }) => count >= size) || undefined);
}

export const options = /** @type {const} */ ({
  nodes: { type: 'string', default: '10,100,1000' },
  runs: { type: 'string' },
  mininet: { type: 'string', default: '10,100' },
  'no-mininet': { type: 'boolean', default: false },
});
/** A packet of the engine's nodes lives for 255 hops. */
const maxPingedNodes = 256;

/** @param {string} text @returns {number[]} */
function numbersOf(text) {
  const numbers = text.split(',').map(Number);
  if (numbers.every((count) => Number.isInteger(count) && count >= 3)) return numbers;
  throw new Error(`"${text}" must be numbers of nodes, 3 or more each, such as 10,100`);
}

/** @typedef {{ nodes: string, runs?: string, mininet: string, 'no-mininet': boolean }} Values */

/** @param {Values} values */
function settings(values) {
  const runs = values.runs === undefined ? undefined : Number(values.runs);
  if (runs !== undefined && !(Number.isInteger(runs) && runs > 0))
    throw new Error('--runs must be 1 or more');
  const isMininetHere = !values['no-mininet'] && !spawnSync('mn', ['--version']).error;
  return {
    sizes: numbersOf(values.nodes),
    mininetSizes: isMininetHere ? numbersOf(values.mininet) : [],
    // Large labs vary less, and take long.
    runsOf: (/** @type {number} */ count) => runs ?? (count > 100 ? 2 : 5),
  };
}

const environment = { ...process.env, LAB_HOME: path.join(temporary, 'home'), LAB_API_CLI: 'engine' };

/** A free instance, so that this does not touch the labs of other users. */
const instance = freeInstance();

/** Ends the program that is running, and what it started. */
let endRunning = async () => {};

/**
 * Runs a program to its end; away from the terminal, so that a Ctrl-C is for this script alone.
 * @param {readonly string[]} command
 * @param {string} [cwd]
 * @param {string} [signal] what ends it early
 */
async function run([program = '', ...args], cwd = temporary, signal = 'TERM') {
  const started = performance.now();
  const child = spawn(program, args, {
    cwd,
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  endRunning = async () => {
    spawnSync('kill', ['-s', signal, '--', `-${child.pid}`]);
    await closed;
  };
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  /** @type {[number | null]} */
  const [code] = /** @type {any} */ (await closed);
  const ms = performance.now() - started;
  endRunning = async () => {};
  if (code !== 0)
    throw new Error(`${[program, ...args].join(' ')} ended with ${code ?? 'a signal'}:\n${stderr || stdout}`);
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
  // It rests between two batches, so several checks in a row must find it idle. Other labs may keep it busy: 10 s at most.
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
 * @typedef {Awaited<ReturnType<typeof round>>} Round Milliseconds.
 */

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
  return {
    up: up.ms,
    down: down.ms,
    floorUp: floorUp.ms,
    floorDown: floorDown.ms,
    node: node.ms,
    version: version.ms,
  };
}

/**
 * Up and down in one. When mininet fails it kills every `ping` of the machine and removes every /tmp/*.log: it gets
 * processes, network and /tmp of its own, which end with it.
 * @param {number} count
 */
async function mininet(count) {
  const words = `--topo linear,${count} --switch lxbr --controller none --test none`;
  const script = `mount -t tmpfs tmpfs /tmp && mn ${words}`;
  const unshare = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', '--net', '--mount'];
  const { ms, stdout, stderr } = await run([...unshare, 'sh', '-c', script], temporary, 'KILL');
  // Its exit code is 0 when it failed, too.
  if (!/completed in/.test(stdout + stderr)) throw new Error(`mininet failed:\n${stdout}${stderr}`);
  await settle();
  return ms;
}

/** @param {number} count @param {Pick<ReturnType<typeof settings>, 'runsOf' | 'mininetSizes'>} settings */
async function measure(count, { runsOf, mininetSizes }) {
  const cwd = path.join(temporary, String(count));
  mkdirSync(cwd);
  writeFileSync(path.join(cwd, 'topology.yml'), topologyOf(count));
  /** @type {Round[]} */
  const rounds = [];
  /** @type {number[]} */
  const mininetMs = [];
  for (let index = 0; index < runsOf(count); index += 1) {
    rounds.push(await round(count, cwd, index === 0));
    // Half a minute and more each: three are enough.
    if (mininetSizes.includes(count) && index < 3) mininetMs.push(await mininet(count));
  }
  const medianOf = (/** @type {keyof Round} */ name) => median(rounds.map((each) => each[name]));
  return {
    count,
    runs: rounds.length,
    up: medianOf('up'),
    down: medianOf('down'),
    floorUp: medianOf('floorUp'),
    floorDown: medianOf('floorDown'),
    node: medianOf('node'),
    version: medianOf('version'),
    mininet: median(mininetMs),
  };
}

/** Leaves the machine as it was, whatever happened. */
function cleanUp() {
  for (const name of readdirSync(temporary).filter((entry) => /^\d+$/.test(entry))) {
    const means = { cwd: path.join(temporary, name), env: environment, detached: true };
    spawnSync(process.execPath, [lab, 'down', '-q', '--force'], means);
  }
  // The commands of the floor leave namespaces that belong to no lab.
  for (const name of namespaces()) spawnSync('ip', ['netns', 'del', name]);
}

/** @param {Values} values */
export async function bench(values) {
  const { sizes, ...others } = settings(values);
  atEnd(async () => {
    await endRunning();
    cleanUp();
  });
  const results = [];
  for (const count of sizes) results.push(await measure(count, others));
  show(results);
  judge(results);
}
