#!/usr/bin/env node
// Drives real labs through the API, start to end:
//   npm run build && scripts/milestone.mjs round      a lab of two FRR routers and two hosts: up, its log, a ping, collect, down, and
//                                                     nothing is left; then a broken topology
//   scripts/milestone.mjs crash [--namespaces] [--kills 6]
//                                                     the service is killed in the middle of ups and downs, which go on with the next one, and
//                                                     ups are canceled half-way: no process is left, and a down takes the lab
//   scripts/milestone.mjs remote [--engine | --namespaces]
//                                                     all over HTTP: files in, a lab under a free id and a lease, its picture, a command,
//                                                     packets and a terminal of a node, checks, results home
//   scripts/milestone.mjs ssh [--namespaces] [--clients openssh,ansible,paramiko]
//                                                     all over SSH: a token, a key, commands, files both ways, a web server in a node,
//                                                     a playbook over the inventory of the service
//   scripts/milestone.mjs course [--students 40]
//                                                     a week of a class with quotas: all start at once from a stage that the teacher
//                                                     keeps as a snapshot, some go back to one, no student reaches the lab of another
//                                                     one, the tests become marks, and nothing is left
//   scripts/milestone.mjs snapshot           a lab of 18 FRR routers is kept, and started again with the same configurations, in namespaces
//   scripts/milestone.mjs cluster [--jobs 300] [--kills 6] [--seed N]
// cluster: three hosts with labs of the bundled engine, and their Redis, each with a network namespace, a data directory, a LAB_HOME and
// a /run of its own. Clients bring labs up and down through any host and follow each log through another, while the services
// are killed in turn. Prints how many jobs were accepted, their ends, their hosts and the longest wait. A job that is lost, doubled,
// failed or on another host than its lab is a violation, and so are a log that is not whole and remains of a lab.
// round, crash and remote need netlab, containerlab and Docker. With --namespaces, they need root, netlab and FRR, as snapshot does, and with --engine
// nothing of these. course needs root. ssh also needs its clients. cluster needs root, ip, unshare, nsenter and redis-server.
// Exit code 0 when every step worked. Ctrl-C cleans up.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { done, failed, interrupted, must, say } from './lib/words.mjs';
import { readArguments } from './lib/options.mjs';
import { makeRandom } from './lib/random.mjs';
import { tryOut } from './lib/trial.mjs';
import { courseRound } from './milestone/course.mjs';
import { crashRound } from './milestone/crash.mjs';
import { buildCluster } from './milestone/cluster/rounds.mjs';
import { remoteRound } from './milestone/remote.mjs';
import { snapshotRound } from './milestone/snapshot.mjs';
import { sshRound } from './milestone/ssh.mjs';
import {
  call,
  checkNothingIsLeft,
  cleanUp,
  labMayBeUp,
  ping,
  runJob,
  start,
  succeed,
  topologyPath,
  workdir,
} from './milestone/stage.mjs';

const { values, positionals } = readArguments({
  clients: { type: 'string', default: 'openssh,ansible,paramiko' },
  engine: { type: 'boolean' },
  namespaces: { type: 'boolean' },
  students: { type: 'string', default: '40' },
  jobs: { type: 'string', default: '300' },
  kills: { type: 'string', default: '6' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
});

const brokenTopology = 'provider: clab\ndefaults.device: frr\nnodes: [r1, r2]\nlinks: [r1-r2, r1-nosuch]\n';

async function wholeRound() {
  await start();
  const { checks } = await call('/readyz');
  done(`ready: ${checks.map((/** @type {{ name: string }} */ { name }) => name).join(', ')}`);
  const isThere = 'default' in (await call('/status'));
  must(!isThere, 'a lab instance "default" is there already; take it down first');

  labMayBeUp({ workdir });
  await succeed({ workdir, action: 'up', topologyPath });
  const { nodes } = await call('/status/default');
  const names = Object.keys(nodes ?? {})
    .toSorted()
    .join();
  must(names === 'h1,h2,r1,r2', `the status lists other nodes: ${names}`);
  done(`the status lists ${names}`);
  await ping();
  await succeed({ workdir, action: 'collect' });
  const collected = readdirSync(path.join(workdir, 'config'));
  const isCollected = collected.some((name) => name.startsWith('r1'));
  must(isCollected, `r1 was not collected: ${collected.join(', ')}`);
  done(`collected ${collected.join(', ')}`);
  await succeed({ workdir, action: 'down', cleanup: true });
  labMayBeUp(undefined);
  await checkNothingIsLeft();
  await refuseBrokenTopology();
}

async function refuseBrokenTopology() {
  const { state, exitCode, error } = await runJob({ workdir, action: 'create', topology: brokenTopology });
  must(state === 'failed' && exitCode === 1, `a broken topology is ${state}, ${exitCode}`);
  must(/unknown node nosuch/.test(error), `the error does not say why: ${error}`);
  done(`a broken topology fails with exit code 1: ${error}`);
}

async function cluster() {
  const [jobs, kills, seed] = [Number(values.jobs), Number(values.kills), Number(values.seed)];
  const title = `${jobs} jobs, ${kills} kills in a cluster with real labs`;
  const options = { jobs, kills, random: makeRandom(seed) };
  return tryOut({ title, seed }, async (temporary) => buildCluster(options, temporary));
}

/** Steps on one host. @param {() => Promise<void>} steps */
const onOneHost = (steps) => async () => {
  try {
    await Promise.race([steps(), interrupted()]);
    say('The milestone is reached.');
    return 0;
  } catch (error) {
    failed(error);
    return 1;
  } finally {
    await cleanUp();
  }
};

function kindOfLab() {
  if (values.engine) return 'engine';
  return values.namespaces ? 'namespaces' : 'netlab';
}

const scenarios = new Map([
  ['round', onOneHost(wholeRound)],
  [
    'crash',
    onOneHost(async () =>
      crashRound({ kills: Number(values.kills), isInNamespaces: values.namespaces === true }),
    ),
  ],
  ['remote', onOneHost(async () => remoteRound(kindOfLab()))],
  ['ssh', onOneHost(async () => sshRound(values.namespaces ? 'namespaces' : 'engine', values.clients))],
  ['course', onOneHost(async () => courseRound(Number(values.students)))],
  ['snapshot', onOneHost(snapshotRound)],
  ['cluster', cluster],
]);
const scenario = scenarios.get(positionals.join(' '));
if (scenario === undefined) {
  process.stderr.write(`usage: scripts/milestone.mjs ${[...scenarios.keys()].join('|')}\n`);
  process.exit(2);
}
process.exit(await scenario());
