#!/usr/bin/env node
// Drives a real lab through the API, start to end, on a machine with netlab, containerlab and Docker:
//   npm run build && scripts/milestone.mjs            the whole round
//   npm run build && scripts/milestone.mjs --crash    the service killed in the middle of an up, and an up canceled half-way
//   npm run build && scripts/milestone.mjs --remote   all over HTTP: files in, a lab under a free id and a lease, its picture, a
//                                                     command and packets of a node, checks, results home; --engine: with the bundled engine
// Starts the built service, brings the bundled topology up (two FRR routers, two hosts), follows its log, lets h1 ping
// h2, collects the configurations, takes the lab down and looks whether anything is left; then a broken topology.
// With --crash: the same job goes on after SIGKILL of the service and a new start; a canceled up leaves no process, and
// its lab goes with the next down, or with the one that onCancel asks for.
// Exit code 0 when every step worked. Ctrl-C cleans up. Needs Node 20 and nothing else.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { interrupted } from './lib/interrupted.mjs';
import { must } from './lib/must.mjs';
import { readOptions } from './lib/options.mjs';
import { done, failed, say } from './lib/words.mjs';
import { crashRound } from './milestone/crash.mjs';
import { remoteRound } from './milestone/remote.mjs';
import { checkNothingIsLeft } from './milestone/leftovers.mjs';
import { ping } from './milestone/machine.mjs';
import {
  call,
  cleanUp,
  labMayBeUp,
  runJob,
  start,
  succeed,
  topologyPath,
  workdir,
} from './milestone/stage.mjs';

const options = readOptions({
  crash: { type: 'boolean' },
  remote: { type: 'boolean' },
  engine: { type: 'boolean' },
});

const brokenTopology = 'provider: clab\ndefaults.device: frr\nnodes: [r1, r2]\nlinks: [r1-r2, r1-nosuch]\n';

async function wholeRound() {
  await start();
  const { checks } = await call('/readyz');
  done(`ready: ${checks.map((/** @type {{ name: string }} */ { name }) => name).join(', ')}`);
  const isThere = 'default' in (await call('/status'));
  must(!isThere, 'a lab instance "default" is there already; take it down first');

  labMayBeUp(true);
  await succeed({ action: 'up', topologyPath });
  const { nodes } = await call('/status/default');
  const names = Object.keys(nodes ?? {})
    .toSorted()
    .join();
  must(names === 'h1,h2,r1,r2', `the status lists other nodes: ${names}`);
  done(`the status lists ${names}`);
  await ping();
  await succeed({ action: 'collect' });
  const collected = readdirSync(path.join(workdir, 'config'));
  const isCollected = collected.some((name) => name.startsWith('r1'));
  must(isCollected, `r1 was not collected: ${collected.join(', ')}`);
  done(`collected ${collected.join(', ')}`);
  await succeed({ action: 'down', cleanup: true });
  labMayBeUp(false);
  await checkNothingIsLeft();
}

async function refuseBrokenTopology() {
  const { state, exitCode, error } = await runJob({ action: 'create', topology: brokenTopology });
  must(state === 'failed' && exitCode === 1, `a broken topology is ${state}, ${exitCode}`);
  must(/unknown node nosuch/.test(error), `the error does not say why: ${error}`);
  done(`a broken topology fails with exit code 1: ${error}`);
}

/** What was asked for. */
function chosenRound() {
  if (options.remote) return remoteRound(options.engine ? 'engine' : 'netlab');
  return options.crash ? crashRound() : wholeRound().then(refuseBrokenTopology);
}

let exitCode = 0;
try {
  await Promise.race([chosenRound(), interrupted()]);
  say('The milestone is reached.');
} catch (error) {
  exitCode = 1;
  failed(error);
} finally {
  await cleanUp();
}
process.exit(exitCode);
