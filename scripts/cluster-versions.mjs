#!/usr/bin/env node
// Two hosts of different versions in one cluster: jobs, logs, events, cancels, workspaces and drains through each other, both
// ways; then the older one is upgraded in place, and has all that it had.
//   npm run build && scripts/cluster-versions.mjs                    beside a later version, which is made up: it says more everywhere
//   npm run build && scripts/cluster-versions.mjs --older MAIN.JS    beside the built program of another commit, dist/main.js there
// Ends with 1 when anything does not work. Needs redis-server; the lab CLI is that of the tests.
import path from 'node:path';
import { RedisMachine } from './lib/redis.mjs';
import { Host } from './chaos/cluster/machines.mjs';
import { checkAll, seen } from './cluster-versions/checks.mjs';
import { makeNewerBuild } from './cluster-versions/newer-build.mjs';
import { freePort } from './lib/free-port.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';
import { done, failed, interrupted, must } from './lib/words.mjs';
import { readOptions } from './lib/options.mjs';
import { program } from './lib/service.mjs';

const { older } = readOptions({ older: { type: 'string' } });
const temporary = temporaryDirectory('lab-api-versions');
const place = async () => ({ bind: '127.0.0.1', port: await freePort(), within: [] });
/** @type {Host[]} */
const hosts = [];
let failures = 0;
const fail = (/** @type {unknown} */ words) => {
  failures += 1;
  failed(words);
};

/** Restarts the older host with the newer program. @param {Host} old @param {Host} fresh */
async function upgrade(old, fresh) {
  const before = await old.request('GET', `/jobs?limit=500&host=${old.name}`);
  const { id } = await seen(fresh, old.name, 'up');
  await old.kill('SIGTERM');
  old.file = fresh.file;
  await old.start();
  const host = await seen(fresh, old.name, 'up');
  const after = await old.request('GET', `/jobs?limit=500&host=${old.name}`);
  must(host.id === id, 'the upgraded host is another one');
  must(after.body.jobs.length === before.body.jobs.length, 'the upgraded host has other jobs');
  done(`${old.name} is upgraded in place: version ${host.version}, with its ${after.body.jobs.length} jobs`);
}

/** @param {RedisMachine} redis */
async function run(redis) {
  redis.start();
  await redis.answers();
  const files =
    older === undefined
      ? { older: program, newer: makeNewerBuild(path.join(temporary, 'program')) }
      : { older: path.resolve(older), newer: program };
  for (const [name, file] of Object.entries(files)) {
    const directory = path.join(temporary, name);
    hosts.push(new Host({ name, labels: [], place: await place(), directory, redisUrl: redis.url, file }));
  }
  const [old, fresh] = /** @type {[Host, Host]} */ (hosts);
  await Promise.all(hosts.map(async (host) => host.start()));
  for (const [one, two] of /** @type {const} */ ([
    [old, fresh],
    [fresh, old],
  ])) {
    const { version } = await seen(one, two.name, 'up');
    done(`${one.name} sees ${two.name}, version ${version}`);
  }
  await checkAll({ asked: old, other: fresh }, fail);
  await checkAll({ asked: fresh, other: old }, fail);
  await upgrade(old, fresh);
}

const redis = new RedisMachine(await place(), path.join(temporary, 'redis'));
try {
  await Promise.race([run(redis), interrupted()]);
} catch (error) {
  fail(error);
} finally {
  await Promise.all(hosts.map(async (host) => host.kill('SIGTERM')));
  await redis.end();
}
for (const line of hosts.flatMap(({ errors }) => errors)) fail(line);
process.exit(failures > 0 ? 1 : 0);
