// How long everybody else waits while the service reads a file of somebody who means ill, or the large file of somebody who
// does not: snapshots of labs, and the lists of labs that lab CLIs keep. For each file, somebody asks a question that it is
// read for, and somebody else asks for /healthz all the time.
// Target: nobody else waits for more than 200 ms, which the machine alone must not take up.
import { mkdirSync, writeFileSync, chmodSync } from 'node:fs';
import path from 'node:path';
import { root, showTable, start, target } from './kit.mjs';

export const options = /** @type {const} */ ({ mebibytes: { type: 'string', default: '60' } });
const limitMs = 200;

/** @param {string} unit @param {number} length */
const repeated = (unit, length) => unit.repeat(Math.ceil(length / unit.length));

/**
 * The longest wait for /healthz while `action` goes on, and how long that took, in ms.
 * @template T
 * @param {string} url
 * @param {() => Promise<T>} action
 */
async function waits(url, action) {
  let isOver = false;
  let [longest, count] = [0, 0];
  const others = (async () => {
    while (!isOver) {
      const startMs = performance.now();
      await (await fetch(`${url}/healthz`)).arrayBuffer();
      longest = Math.max(longest, performance.now() - startMs);
      count += 1;
      await new Promise((resolve) => void setTimeout(resolve, 5));
    }
  })();
  const startMs = performance.now();
  const result = await action();
  const took = performance.now() - startMs;
  isOver = true;
  await others;
  return { longest, took, count, result };
}

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

/** @param {Record<keyof typeof options, string>} values */
export async function bench({ mebibytes }) {
  const long = Number(mebibytes) * 1024 * 1024;
  const place = path.join(root, 'lab');
  mkdirSync(path.join(place, 'clab-demo'), { recursive: true });
  /** @type {Readonly<Record<string, () => string>>} */
  const snapshots = {
    zeros: () => `{"nodes":[${repeated('0,', long)}0],"links":[]}`,
    brackets: () => repeated('[', long),
    'one string': () => `{"nodes":["${repeated('x', long)}"],"links":[]}`,
  };
  /** @type {{ name: string, question: string, longest: number, took: number, quiet: number, result: number }[]} */
  const rows = [];

  /** @param {string} kind @param {{ url: string }} service @param {string} question @param {string} file @param {Readonly<Record<string, () => string>>} texts */
  const attack = async (kind, { url }, question, file, texts) => {
    for (const [name, text] of Object.entries(texts)) {
      writeFileSync(file, text());
      const quiet = await waits(url, async () => new Promise((resolve) => void setTimeout(resolve, 500)));
      const { longest, took, result } = await waits(url, async () => ask(url + question));
      rows.push({ name: `${kind}: ${name}`, question, longest, took, quiet: quiet.longest, result });
    }
  };
  const settings = (/** @type {string} */ name) => ({
    HOME: path.join(root, `home-${name}`),
    LAB_HOME: path.join(root, `home-${name}`),
    LAB_API_DATA_DIR: path.join(root, `data-${name}`),
  });

  const engineHome = settings('engine').HOME;
  mkdirSync(engineHome, { recursive: true });
  const entry = {
    dir: place,
    log: ['2026-01-15T09:30:00.5+00:00: started'],
    log_line: 'started',
    name: 'demo',
  };
  const status = {
    ...entry,
    providers: ['none'],
    status: 'started',
    timestamp: 'now',
    topology: 'topology.yml',
  };
  writeFileSync(path.join(engineHome, 'status.json'), JSON.stringify({ default: status }));
  const engine = await start({ ...settings('engine'), LAB_API_CLI: 'engine' });
  const snapshot = path.join(place, 'lab.snapshot.json');
  await attack('lab.snapshot.json', engine, '/labs/default/topology', snapshot, snapshots);
  for (const name of ['one', 'two', 'three'])
    await fetch(`${engine.url}/workspaces/${name}`, { method: 'PUT' });
  await attack('status.json', engine, '/workspaces', path.join(engineHome, 'status.json'), {
    'brackets, 3 MB': () => repeated('[', 3_000_000),
    'brackets, 15 MB': () => repeated('[', 15_000_000),
  });

  const containerlab = await start({
    ...settings('containerlab'),
    LAB_API_CLI: printing('containerlab', inspected(place)),
  });
  const data = path.join(place, 'clab-demo/topology-data.json');
  await attack('topology-data.json', containerlab, '/labs/demo/topology', data, {
    ...snapshots,
    '5,000 nodes': () => ring(5_000),
    '20,000 nodes': () => ring(20_000),
  });

  const netlabHome = path.join(settings('netlab').HOME, '.netlab');
  mkdirSync(netlabHome, { recursive: true });
  const netlab = await start({
    ...settings('netlab'),
    LAB_API_CLI: printing('netlab', '{"warning": "no labs"}'),
  });
  for (let nth = 0; nth < 50; nth += 1) await fetch(`${netlab.url}/workspaces/w${nth}`, { method: 'PUT' });
  await attack('status.yaml', netlab, '/workspaces', path.join(netlabHome, 'status.yaml'), {
    '20 labs': () => record(20),
    '100 labs': () => record(100),
    '199 labs': () => record(199),
  });

  showTable(
    ['', 'reply', 'took, ms', 'others waited, ms', 'before, ms'],
    rows.map(({ name, result, took, longest, quiet }) => [
      name,
      result,
      took.toFixed(0),
      longest.toFixed(0),
      quiet.toFixed(0),
    ]),
  );
  for (const { name, longest, quiet } of rows)
    target(
      `${name}: others wait for less than ${limitMs} ms`,
      quiet < limitMs / 2 ? longest < limitMs : undefined,
    );
}
