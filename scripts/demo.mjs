#!/usr/bin/env node
// Shows what lab-api does, on the bundled engine: starts the service on a free port, takes a lab of three routers and
// three hosts through up, status, packets, collect and down over HTTP, and leaves nothing behind.
//   npm run demo                 that; with netlab and FRR on the machine, also two routers with OSPF
//   npm run demo -- --stay       then starts a larger lab, and stays until Ctrl-C, so that one may look at it in a browser
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Table from 'cli-table3';
import { DemoEnd } from './demo/demo-end.mjs';
import { RoutedLab, canRoute } from './demo/routed-lab.mjs';
import { freeInstance } from './lib/free-instance.mjs';
import { call, endOf, followLog } from './lib/http.mjs';
import { readOptions } from './lib/options.mjs';
import { plainEnvironment, program as lab, root, spawnService } from './lib/service.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';
import { messageOf } from './lib/words.mjs';

const { stay } = readOptions({ stay: { type: 'boolean', default: false } });

const temporary = temporaryDirectory('lab-api-demo');
const workdir = path.join(temporary, 'triangle');
const workspaces = path.join(temporary, 'workspaces');
const labHome = path.join(temporary, 'home');
/** @type {NodeJS.ProcessEnv} */
const environment = { ...plainEnvironment(), LAB_HOME: labHome, LAB_API_CLI: 'engine' };
const routed = new RoutedLab(temporary, labHome);
const instance = freeInstance();

const isTerminal = process.stdout.isTTY;
const title = (/** @type {string} */ text) =>
  console.log(isTerminal ? `\n\x1b[1m${text}\x1b[0m` : `\n${text}`);
const note = (/** @type {string} */ text) => console.log(isTerminal ? `\x1b[2m${text}\x1b[0m` : text);

/**
 * Submits a job, shows its log as it grows, and gives the job when it has ended.
 * @param {string} api
 * @param {{ action: string } & Record<string, unknown>} body
 */
async function runJob(api, body) {
  const shown = { ...body, ...('workdir' in body && { workdir: path.basename(String(body['workdir'])) }) };
  title(`POST /jobs ${JSON.stringify(shown)}`);
  const { id } = await end.submit(api, body);
  await followLog(api, id, (piece) => void process.stdout.write(piece));
  const ended = await endOf(api, id);
  note(`${ended.id}: ${ended.state}`);
  return ended;
}

/**
 * A Node program inside a node of the lab.
 * @param {string} node
 * @param {readonly string[]} args
 */
const nodeIn = (node, args) =>
  spawn(process.execPath, [lab, 'exec', node, process.execPath, ...args], {
    cwd: workdir,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });

/** h1 and h2 have two routers between them. Node itself sends and answers: a bare machine has no `ping`. */
async function sendPackets() {
  const packets = path.join(import.meta.dirname, 'demo', 'packets.mjs');
  title('lab exec h1 node packets.mjs ask h2     (in h2: packets.mjs serve)');
  const server = nodeIn('h2', [packets, 'serve']);
  const ended = once(server, 'close');
  try {
    // The first thing that it says is that it listens; without a word, the question below says what is wrong.
    await Promise.race([once(server.stdout, 'data'), ended]);
    const client = nodeIn('h1', [packets, 'ask', 'h2']);
    client.stdout.on('data', (text) => process.stdout.write(text));
    const [status] = await once(client, 'close');
    if (status !== 0) throw new Error('h1 does not reach h2');
  } finally {
    server.kill();
    await ended;
  }
}

/** @param {string} api */
async function showStatus(api) {
  title(`GET /status/${instance}`);
  const { nodes } = await call(`${api}/status/${instance}`);
  const style = { head: [], border: [], compact: true };
  const table = new Table({ head: ['node', 'device', 'address', 'namespace', 'status'], style });
  for (const [name, { device, mgmt, provider_name: namespace, status }] of Object.entries(nodes)) {
    table.push([name, device, mgmt, namespace, status]);
  }
  console.log(table.toString());
}

/** Shows the plan of the lab, which needs no privileges. @param {string} api */
async function showWithoutPrivileges(api) {
  title(
    'This machine does not let an ordinary user make network namespaces. The plan of the lab needs none:',
  );
  const created = await runJob(api, { action: 'create', workdir, multilabId: instance });
  if (created.state !== 'success') throw new Error(created.error);
  title('GET /status');
  console.log(JSON.stringify(await call(`${api}/status`)));
}

/** @param {string} api @returns whether this machine can run labs */
async function demonstrate(api) {
  cpSync(path.join(root, 'examples', 'triangle'), workdir, { recursive: true });
  const up = await runJob(api, { action: 'up', workdir, multilabId: instance });
  if (up.state !== 'success') {
    if (process.getuid?.() === 0 && !/privilege|CAP_|permitted/i.test(up.error)) throw new Error(up.error);
    await showWithoutPrivileges(api);
    return false;
  }
  await showStatus(api);
  await sendPackets();
  for (const body of [
    { action: 'collect', workdir },
    { action: 'down', workdir, cleanup: true },
  ]) {
    const job = await runJob(api, body);
    if (job.state !== 'success') throw new Error(job.error);
  }
  return true;
}

/** Real routers find their neighbors. A failure is not one of the demo: its own lab has worked by then. @param {string} api */
async function demonstrateRouting(api) {
  title('This machine has netlab and FRR, so labs can route. Two routers with OSPF, without Docker:');
  routed.copy();
  const show = ['vtysh', '-c', 'show ip ospf neighbor', '-c', 'show ip route ospf'];
  for (const step of [
    { action: 'up' },
    { action: 'validate' },
    { action: 'exec', nodes: ['r1'], command: show },
    { action: 'down', cleanup: true },
  ]) {
    const { state, error } = await runJob(api, { ...step, cli: 'netlab', workdir: routed.directory });
    if (state === 'success') continue;
    if (!end.isAsked) note(`The lab with OSPF does not work here: ${error}`);
    return;
  }
}

/** A lab that is worth looking at, in a workspace, so that its file can be edited in the browser. @param {string} api */
async function startLabToLookAt(api) {
  title('lab push examples/spine-leaf');
  const push = spawn(process.execPath, [lab, 'push', path.join(root, 'examples', 'spine-leaf')], {
    env: { ...environment, LAB_API_URL: api },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [status] = await once(push, 'close');
  if (status !== 0) throw new Error('the files do not get to the service');
  const up = await runJob(api, { action: 'up', workspace: 'spine-leaf', multilabId: instance });
  if (up.state !== 'success') throw new Error(up.error);
}

/** @param {string} api */
function sayWhereThePageIs(api) {
  title('A lab of two spines, three leaves and six hosts is up. Open it in a browser:');
  console.log(`  ${api}/ui/labs/${instance}`);
  const { port } = new URL(api);
  if (process.env['SSH_CONNECTION'] !== undefined)
    note(
      `  From your own computer, first: ssh -L ${port}:127.0.0.1:${port} ${os.userInfo().username}@${os.hostname()}`,
    );
  note('\nCtrl-C takes the lab down and ends the service. Nothing of them is left.');
}

function sayWhatIsNext() {
  title('That was it. Next:');
  console.log(`  npm run demo -- --stay                   a larger lab and its web page, until Ctrl-C
  node dist/main.js api --bind 127.0.0.1   the service, on http://127.0.0.1:8090
  node dist/main.js up examples/triangle   a lab without the service; "node dist/main.js down" stops it
  docs/api.md                              how to use the service over HTTP
  docs/runtime.md                          labs that route (OSPF, BGP, IS-IS) with netlab and FRR, without Docker`);
}

const service = spawnService({
  env: {
    ...environment,
    ...(canRoute && routed.settings),
    LAB_API_DATA_DIR: path.join(temporary, 'data'),
    LAB_API_WORKSPACES_DIR: workspaces,
    LAB_API_TEMPLATES_DIR: path.join(root, 'examples'),
  },
  // Ctrl-C is for this script alone, which needs the service until the lab is down.
  isDetached: true,
});
const end = new DemoEnd({ service, environment, routed, temporary });
try {
  const api = await service.listening;
  note(`lab-api listens on ${api}`);
  const hasLabs = await demonstrate(api);
  if (hasLabs && canRoute) await demonstrateRouting(api);
  if (hasLabs && stay) {
    await startLabToLookAt(api);
    sayWhereThePageIs(api);
    await end.isWanted();
  }
  await end.cleanUp();
  if (!stay || !hasLabs) sayWhatIsNext();
} catch (error) {
  // An error is expected while the demo ends.
  const isNews = !end.isAsked;
  await end.cleanUp();
  if (isNews) console.error(`demo: ${messageOf(error)}`);
  process.exitCode = isNews ? 1 : 130;
}
