#!/usr/bin/env node
// Measures the built program (npm run build), on a machine with nothing else to do: scripts/bench.mjs SCENARIO [--check]
// Prints tables and targets; with --check, exit code 1 when a target is missed. Everything happens in a temporary directory.
//   http     the cost of a request, beside bare Express, node:http and `netlab api`; the start; 500 clients of /status
//            [--seconds 1] [--rounds 5] [--connections 16] [--only /status] [--beside DIST]
//   jobs     the start of a job, short jobs per second, the end of a job with a long log, and a start of the service with 100,000 finished jobs
//            [--parts start,create,records,result,deploy] [--jobs 100] [--runs 10] [--records 100000]
//   labs     lists of templates and labs, and pictures of labs [--templates 5000] [--nodes 100,300] [--labs 200]
//   log      many followers of one log that grows fast [--followers 500] [--mebibytes 20] [--seconds 2]
//   followers  new connections while many clients begin to follow a long log
//            [--followers 5000] [--mebibytes 100] [--at-once 600] [--seconds 3]
//   login    logins while others guess passwords [--rate 1000] [--addresses 2000] [--seconds 20]
//   terminals  what is left when the service is killed with terminals open; for root [--terminals 500]
//   ssh      many sessions over SSH at once; for root [--sessions 200] [--rounds 10] [--kibibytes 256]
//   page     how fluent the drawing of a large topology is; needs Chromium [--nodes 200]
//   users    checks of passwords, and a large users file [--cost 12]
//   readers  waiting while files of users and labs are read [--mebibytes 60]
//   upload   memory while a gigabyte goes in and comes out again; an upload beside many files [--mebibytes 1024] [--files 200000]
//   engine   labs of the bundled engine, beside their commands by hand and mininet; for root
//            [--nodes 10,100,1000] [--runs 5] [--mininet 10,100 | --no-mininet]
//   runtime  netlab's labs of FRR routers in namespaces, beside Docker and containerlab; for root
//            [--runs 5] [--ring 30] [--large 100]
//   scenarios  every link of a lab fails once, and the cost of probes; for root, with fping [--routers 20]
//   cluster  submissions to a cluster of services and simulated hosts; needs redis-server
//            [--services 3] [--simulated 47] [--jobs 10000] [--rate 200] [--reads 1000]
// The file of a scenario in scripts/bench says how it measures. Ctrl-C cleans up.
import { endAll, isMissed } from './bench/kit.mjs';
import { failed, interrupted } from './lib/words.mjs';
import { readArguments } from './lib/options.mjs';

/** @typedef {{ options: import('./lib/options.mjs').OptionSet, bench: (values: any) => Promise<void> }} Scenario */

/** @type {Record<string, () => Promise<Scenario>>} */
const scenarios = {
  http: async () => import('./bench/http.mjs'),
  jobs: async () => import('./bench/jobs.mjs'),
  labs: async () => import('./bench/labs.mjs'),
  followers: async () => import('./bench/followers.mjs'),
  log: async () => import('./bench/log.mjs'),
  login: async () => import('./bench/login.mjs'),
  terminals: async () => import('./bench/terminals.mjs'),
  ssh: async () => import('./bench/ssh.mjs'),
  page: async () => import('./bench/page.mjs'),
  users: async () => import('./bench/users.mjs'),
  readers: async () => import('./bench/readers.mjs'),
  upload: async () => import('./bench/upload.mjs'),
  engine: async () => import('./bench/engine.mjs'),
  runtime: async () => import('./bench/runtime.mjs'),
  scenarios: async () => import('./bench/scenarios.mjs'),
  cluster: async () => import('./bench/cluster.mjs'),
};

const load = scenarios[process.argv[2] ?? ''];
if (load === undefined) {
  readArguments({});
  process.stderr.write(`usage: scripts/bench.mjs ${Object.keys(scenarios).join('|')} [--check]\n`);
  process.exit(2);
}
const { options, bench } = await load();
const { values } = readArguments({ ...options, check: { type: 'boolean', default: false } });
try {
  await Promise.race([bench(values), interrupted()]);
  if (values['check'] && isMissed()) process.exitCode = 1;
} catch (error) {
  failed(error);
  process.exitCode = 1;
} finally {
  await endAll();
}
// An interrupted part may go on.
process.exit();
