#!/usr/bin/env node
// How much of netlab's topology format the bundled engine takes: `create` runs over every topology below a directory, in
// a throw-away directory of its own; nothing is started. For those that are refused, a table of causes. With netlab on
// PATH, the addresses of those that are accepted are compared with netlab's. (netlab runs plugins that a topology names:
// give it topologies that you trust.)
//   npm run build && scripts/engine-coverage.mjs DIR [--list] [--no-netlab]
// --list: the name of every accepted topology too. Exit code 1 when an address differs.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { causesOf, showCauses } from './engine-coverage/causes.mjs';
import { failed, must, say } from './lib/words.mjs';
import { readArguments } from './lib/options.mjs';
import { root } from './lib/service.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';

/** @typedef {{ ipv4?: unknown, ipv6?: unknown }} Addresses */
/** @typedef {{ id: number, loopback?: Addresses | null, interfaces: readonly (Addresses & { ifname: string })[] }} Computed */

/** @param {Addresses | null | undefined} addresses */
const both = (addresses) => {
  const text = (/** @type {unknown} */ value) => (typeof value === 'string' ? value : '-');
  return `${text(addresses?.ipv4)} ${text(addresses?.ipv6)}`;
};

/** @param {Computed | undefined} node */
function linesOf(node) {
  if (node === undefined) return ['no such node'];
  const interfaces = node.interfaces.map((each, index) => `interface ${index + 1} ${both(each)}`);
  return [`id ${node.id}`, `loopback ${both(node.loopback)}`, ...interfaces];
}

/**
 * The differences, a sentence each.
 * @param {{ nodes: readonly (Computed & { name: string })[] }} ours `lab.snapshot.json`
 * @param {{ nodes: Record<string, Computed> }} theirs `netlab create -o json`
 */
function differences(ours, theirs) {
  const names = new Set([...ours.nodes.map(({ name }) => name), ...Object.keys(theirs.nodes)]);
  return [...names].flatMap((name) => {
    const mine = linesOf(ours.nodes.find((node) => node.name === name));
    const other = linesOf(theirs.nodes[name]);
    return Array.from({ length: Math.max(mine.length, other.length) }, (_, index) => index)
      .filter((index) => mine[index] !== other[index])
      .map((index) => `${name}: ${mine[index] ?? 'nothing'}; netlab: ${other[index] ?? 'nothing'}`);
  });
}

const { values, positionals } = readArguments({
  list: { type: 'boolean', default: false },
  'no-netlab': { type: 'boolean', default: false },
});
const engine = path.join(root, 'dist', 'engine', 'main.js');
const temporary = temporaryDirectory('lab-coverage');

/**
 * @typedef {object} Outcome
 * @property {string} file
 * @property {readonly string[]} causes Why the engine refuses it; none when it is accepted.
 * @property {readonly string[]} different What netlab computes otherwise.
 * @property {'same' | 'different' | 'refused' | 'not compared'} netlab
 */

/**
 * Runs a program to its end; what it printed, and whether it succeeded.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {string} cwd
 * @returns {Promise<{ ok: boolean, said: string }>}
 */
const run = (file, args, cwd) =>
  new Promise((resolve) => {
    const env = { ...process.env, HOME: temporary, LAB_HOME: temporary };
    const options = { cwd, env, timeout: 120_000, maxBuffer: 2 ** 26 };
    execFile(file, args, options, (error, stdout, stderr) =>
      resolve({ ok: error === null, said: stderr + stdout }),
    );
  });

/**
 * Topologies below the directory: files with nodes or links. Not those with `input`, which netlab has written itself.
 * @param {string} directory
 */
function topologiesIn(directory) {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const isTopology = (/** @type {string} */ name) => {
    const text = readFileSync(path.join(directory, name), 'utf8');
    return /^(?:nodes|links)\b/m.test(text) && !/^input:/m.test(text);
  };
  return names.filter((name) => name.endsWith('.yml') && isTopology(name)).toSorted();
}

const hasNetlab = async () => !values['no-netlab'] && (await run('netlab', ['version'], temporary)).ok;

/**
 * @param {string} directory
 * @param {string} file
 * @param {{ place: string, compares: boolean }} means
 * @returns {Promise<Outcome>}
 */
async function outcomeOf(directory, file, { place, compares }) {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place);
  const topology = path.join(directory, file);
  const { ok, said } = await run(process.execPath, [engine, 'create', '-q', topology], place);
  if (!ok) return { file, causes: causesOf(said), different: [], netlab: 'not compared' };
  if (!compares) return { file, causes: [], different: [], netlab: 'not compared' };
  const created = await run('netlab', ['create', '-o', 'json=netlab.json', topology], place);
  if (!created.ok) return { file, causes: [], different: created.said.trim().split('\n'), netlab: 'refused' };
  const read = (/** @type {string} */ name) => JSON.parse(readFileSync(path.join(place, name), 'utf8'));
  const different = differences(read('lab.snapshot.json'), read('netlab.json'));
  return { file, causes: [], different, netlab: different.length === 0 ? 'same' : 'different' };
}

/**
 * @param {string} directory
 * @param {readonly string[]} files
 */
async function outcomes(directory, files) {
  const compares = await hasNetlab();
  /** @type {Outcome[]} */
  const found = [];
  let next = 0;
  const work = async (/** @type {number} */ worker) => {
    for (let file = files[next++]; file !== undefined; file = files[next++])
      found.push(await outcomeOf(directory, file, { place: path.join(temporary, `at-${worker}`), compares }));
  };
  await Promise.all(Array.from({ length: os.availableParallelism() }, (_, worker) => work(worker)));
  return found.toSorted((one, other) => (one.file < other.file ? -1 : 1));
}

/** @param {readonly Outcome[]} all */
function show(all) {
  const accepted = all.filter(({ causes }) => causes.length === 0);
  const refused = all.filter(({ causes }) => causes.length > 0);
  const count = (/** @type {Outcome['netlab']} */ verdict) =>
    accepted.filter(({ netlab }) => netlab === verdict).length;
  say(`${all.length} topologies: ${accepted.length} accepted, ${refused.length} refused`);
  for (const { file, netlab, different } of accepted) {
    if (netlab === 'different' || netlab === 'refused' || values.list) say(`  ${file}: ${netlab}`);
    for (const line of different.slice(0, 3)) say(`    ${line}`);
  }
  say(
    `of those accepted, netlab gives the same addresses to ${count('same')}, others to ${count('different')}, ` +
      `and refuses ${count('refused')}; ${count('not compared')} not compared`,
  );
  showCauses(refused.map(({ causes }) => causes));
  if (count('different') > 0) process.exitCode = 1;
}

try {
  const [directory, ...others] = positionals;
  must(directory !== undefined && others.length === 0, 'give one directory with topologies');
  must(existsSync(directory), `there is no directory ${directory}`);
  must(existsSync(engine), `there is no ${engine}; run "npm run build" first`);
  const absolute = path.resolve(directory);
  show(await outcomes(absolute, topologiesIn(absolute)));
} catch (error) {
  failed(error);
  process.exitCode = 1;
}
