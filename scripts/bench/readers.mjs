// How long other clients wait while the service reads a hostile file, or a large one: snapshots of labs, and the lists of labs
// that lab CLIs keep. For each file, one client asks a question for which the service reads it, and another client asks for
// /healthz all the time.
// Target: the other client waits for less than 200 ms. The best of three changes of a file counts, because other load makes both
// clients wait; on a machine where the other client waits for 100 ms before, nothing is measured.
import { mkdirSync, writeFileSync, chmodSync } from 'node:fs';
import path from 'node:path';
import { root, showTable, start, target, waits } from './kit.mjs';

export const options = /** @type {const} */ ({ mebibytes: { type: 'string', default: '60' } });
const limitMs = 200;
const repetitions = 3;

/** @param {string} unit @param {number} length */
const repeated = (unit, length) => unit.repeat(Math.ceil(length / unit.length));

/** @param {string} url */
async function ask(url) {
  const reply = await fetch(url);
  await reply.arrayBuffer();
  return reply.status;
}

/** A sound `topology-data.json`: a ring. @param {number} nodes */
function ring(nodes) {
  const name = (/** @type {number} */ index) => `node-${index % nodes}`;
  const end = (/** @type {number} */ index, /** @type {string} */ at) => ({
    node: name(index),
    interface: at,
  });
  return JSON.stringify({
    nodes: Object.fromEntries(
      Array.from({ length: nodes }, (_, index) => [name(index), { kind: 'linux', index: String(index) }]),
    ),
    links: Array.from({ length: nodes }, (_, index) => ({
      endpoints: { a: end(index, 'eth1'), z: end(index + 1, 'eth2') },
    })),
  });
}

/** A list of labs as netlab writes it. @param {number} labs */
function record(labs) {
  const log = Array.from({ length: 60 }, (_, nth) => `  - '2026-01-15T09:30:00.5+00:00: deploying ${nth}'\n`);
  return Array.from(
    { length: labs },
    (_, id) =>
      `'${id + 1}':\n  dir: ${path.join(root, `labs/${id + 1}`)}\n  log:\n${log.join('')}  status: started\n`,
  ).join('');
}

/** A lab CLI of this name that prints the text in a file, whatever it is asked. @param {string} name @param {string} text */
function printing(name, text) {
  const directory = path.join(root, `cli-${name}`);
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, 'printed.json'), text);
  const program = path.join(directory, name);
  writeFileSync(program, `#!/bin/sh\ncat '${directory}/printed.json'\n`);
  chmodSync(program, 0o700);
  return program;
}

/** The containers of one lab, as `containerlab inspect` prints them. @param {string} directory */
const inspected = (directory) =>
  JSON.stringify({
    demo: [
      {
        Names: ['clab-demo-a'],
        Labels: {
          'clab-node-name': 'a',
          'clab-node-longname': 'clab-demo-a',
          'clab-node-lab-dir': path.join(directory, 'clab-demo/a'),
        },
        State: 'running',
        Status: 'Up 5 seconds',
      },
    ],
  });

/** The settings of a service with a home of its own, which is there. @param {string} name */
function settingsOf(name) {
  const home = path.join(root, `home-${name}`);
  mkdirSync(path.join(home, '.netlab'), { recursive: true });
  return { HOME: home, LAB_HOME: home, LAB_API_DATA_DIR: path.join(root, `data-${name}`) };
}

/** @typedef {Readonly<Record<string, () => string>>} Texts by name; a long one is not in memory twice */

/**
 * Puts each of the texts in the file, and asks a question of a service that reads it.
 * @param {string} url
 * @param {string} file
 * @param {Texts} texts
 */
async function attack(url, file, texts) {
  const rows = [];
  for (const [name, text] of Object.entries(texts)) {
    const { origin } = new URL(url);
    const before = await waits(origin, async () => new Promise((resolve) => void setTimeout(resolve, 500)));
    const all = [];
    for (let nth = 0; nth < repetitions; nth += 1) {
      writeFileSync(file, text());
      all.push(await waits(origin, async () => ask(url)));
    }
    const [during = before] = all.toSorted((one, other) => one.longest - other.longest);
    rows.push({ name: `${path.basename(file)}: ${name}`, before, during });
  }
  return rows;
}

/** Snapshots, and the list of labs, of the bundled engine. @param {string} place @param {Texts} snapshots */
async function engineRows(place, snapshots) {
  const settings = settingsOf('engine');
  const state = path.join(settings.HOME, 'status.json');
  const log = ['2026-01-15T09:30:00.5+00:00: started'];
  const entry = {
    dir: place,
    log,
    log_line: 'started',
    name: 'demo',
    providers: ['none'],
    status: 'started',
  };
  writeFileSync(state, JSON.stringify({ default: { ...entry, timestamp: 'now', topology: 'topology.yml' } }));
  const { url } = await start({ ...settings, LAB_API_CLI: 'engine' });
  for (const name of ['one', 'two', 'three']) await fetch(`${url}/workspaces/${name}`, { method: 'PUT' });
  const ofSnapshots = await attack(
    `${url}/labs/default/topology`,
    path.join(place, 'lab.snapshot.json'),
    snapshots,
  );
  const ofState = await attack(`${url}/workspaces`, state, {
    'brackets, 3 MB': () => repeated('[', 3_000_000),
    'brackets, 15 MB': () => repeated('[', 15_000_000),
  });
  return [...ofSnapshots, ...ofState];
}

/** Snapshots of containerlab. @param {string} place @param {Texts} snapshots */
async function containerlabRows(place, snapshots) {
  const cli = printing('containerlab', inspected(place));
  const { url } = await start({ ...settingsOf('containerlab'), LAB_API_CLI: cli });
  return attack(`${url}/labs/demo/topology`, path.join(place, 'clab-demo/topology-data.json'), {
    ...snapshots,
    '5,000 nodes': () => ring(5_000),
    '20,000 nodes': () => ring(20_000),
  });
}

/** The list of labs of netlab, for a list of 50 workspaces. */
async function netlabRows() {
  const settings = settingsOf('netlab');
  const cli = printing('netlab', '{"warning": "no labs"}');
  const { url } = await start({ ...settings, LAB_API_CLI: cli });
  for (let nth = 0; nth < 50; nth += 1) await fetch(`${url}/workspaces/w${nth}`, { method: 'PUT' });
  return attack(`${url}/workspaces`, path.join(settings.HOME, '.netlab/status.yaml'), {
    '20 labs': () => record(20),
    '100 labs': () => record(100),
    '199 labs': () => record(199),
  });
}

/** @param {Record<keyof typeof options, string>} values */
export async function bench({ mebibytes }) {
  const long = Number(mebibytes) * 1024 * 1024;
  const place = path.join(root, 'lab');
  mkdirSync(path.join(place, 'clab-demo'), { recursive: true });
  /** @type {Texts} */
  const snapshots = {
    zeros: () => `{"nodes":[${repeated('0,', long)}0],"links":[]}`,
    brackets: () => repeated('[', long),
    'one string': () => `{"nodes":["${repeated('x', long)}"],"links":[]}`,
  };
  const rows = [
    ...(await engineRows(place, snapshots)),
    ...(await containerlabRows(place, snapshots)),
    ...(await netlabRows()),
  ];
  showTable(
    ['', 'reply', 'took, ms', 'others waited, ms', 'before, ms'],
    rows.map(({ name, before, during: { result, took, longest } }) => [
      name,
      result,
      took.toFixed(0),
      longest.toFixed(0),
      before.longest.toFixed(0),
    ]),
  );
  for (const { name, before, during } of rows)
    target(
      `${name}: others wait for less than ${limitMs} ms`,
      before.longest < limitMs / 2 ? during.longest < limitMs : undefined,
    );
}
