#!/usr/bin/env node
// Builds the container images and uses them as an administrator would, end to end; prints sizes and times.
//   scripts/smoke-docker.mjs                  three images; lab-api-netlab where containerlab and device images are
//   scripts/smoke-docker.mjs --engine-only    the image with the bundled engine alone
//   scripts/smoke-docker.mjs --frr-only       the image with netlab and FRR alone
//   scripts/smoke-docker.mjs --netlab-only    the image with netlab alone
// Exit code 0 when everything worked, or when there is no Docker engine ("skipped"); 1 otherwise. Leaves the images, which
// are called lab-api:smoke, lab-api-frr:smoke and lab-api-netlab:smoke, and nothing else. Needs curl and openssl.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from './lib/free-port.mjs';
import { done, failed, interrupted, messageOf, must, say } from './lib/words.mjs';
import { readOptions } from './lib/options.mjs';
import { root } from './lib/service.mjs';
import { tries } from './lib/wait.mjs';
import { frr } from './smoke/frr.mjs';
import { netlab, whyNoNetlab } from './smoke/netlab.mjs';
import {
  atEnd,
  build,
  cleanUp,
  docker,
  example,
  prefix,
  printTable,
  row,
  run,
  Service,
  sizeMb,
  temporary,
  volume,
  words,
} from './smoke/tools.mjs';

const options = readOptions({
  'engine-only': { type: 'boolean', default: false },
  'frr-only': { type: 'boolean', default: false },
  'netlab-only': { type: 'boolean', default: false },
});

const image = 'lab-api:smoke';
const maxAddedMb = 120;
const maxPageMb = 5;
const goneDown = /the service or the machine went down while the job ran/;
// The options of docs/docker.md, and nothing more.
const hardened = words('--read-only --tmpfs /tmp --tmpfs /run --cap-drop ALL');
const asRoot = words(
  '--user root --cap-add NET_ADMIN --cap-add SYS_ADMIN --cap-add NET_RAW --cap-add DAC_OVERRIDE ' +
    '--security-opt apparmor=unconfined --security-opt no-new-privileges',
);
const withoutRoot = words(
  '--security-opt seccomp=unconfined --security-opt systempaths=unconfined --security-opt apparmor=unconfined',
);

async function reportSizes() {
  const base = /^ARG NODE_IMAGE=(\S+)/m.exec(readFileSync(path.join(root, 'Dockerfile'), 'utf8'))?.[1];
  must(base, 'the Dockerfile names no base');
  const [baseMb, ownMb] = [await sizeMb(base), await sizeMb(image)];
  const addedMb = ownMb - baseMb;
  row('size of lab-api', `${ownMb.toFixed(0)} MB, ${addedMb.toFixed(0)} MB on top of ${base}`);
  must(addedMb <= maxAddedMb, `lab-api adds ${addedMb.toFixed(0)} MB to its base; ${maxAddedMb} are allowed`);
}

/** The bundled engine behind authentication and TLS, over HTTP from outside. */
async function engineOverHttp() {
  const secrets = path.join(temporary, 'secrets');
  mkdirSync(secrets);
  writeFileSync(path.join(secrets, 'password'), 'correct horse\n');
  await run('openssl', [
    ...words('req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost'),
    ...words('-addext subjectAltName=DNS:localhost -keyout'),
    path.join(secrets, 'key.pem'),
    '-out',
    path.join(secrets, 'cert.pem'),
  ]);
  const variables = {
    LAB_API_USER: 'ops',
    LAB_API_PASSWORD_FILE: '/run/secrets/password',
    LAB_API_TLS_CERT: '/run/secrets/cert.pem',
    LAB_API_TLS_KEY: '/run/secrets/key.pem',
    LAB_API_BASE_PATH: '/netlab',
  };
  const mounts = [
    `${secrets}:/run/secrets:ro`,
    `${volume('data')}:/var/lib/lab-api`,
    `${volume('labs')}:/labs`,
  ];
  const start = [
    ...hardened,
    ...asRoot,
    ...words('-p 127.0.0.1::8090 --health-interval 1s'),
    ...mounts.flatMap((mount) => ['-v', mount]),
    ...Object.entries(variables).flatMap((pair) => ['-e', pair.join('=')]),
  ];
  const curl = ['--cacert', path.join(secrets, 'cert.pem'), '-u', 'ops:correct horse'];
  const client = { scheme: 'https', basePath: '/netlab', curl };
  const service = await Service.start(image, start, client);
  row('docker run', `${service.runSeconds.toFixed(2)} s`);
  row('from then on, until it answers', `${service.readySeconds.toFixed(2)} s`);
  await tries(
    'the health check says healthy',
    async () => (await service.inspect('.State.Health.Status')) === 'healthy',
  );
  done('the health check is healthy with a password and TLS on');
  must((await service.statusOf('/jobs')) === '401', 'a request without a password is not refused');
  await thePage(service);
  await labOverHttp(service);
  await stopDuringJob(service, start, client);
}

/** The packages in /app/node_modules that are not part of `optionalDependencies`. @param {Service} service */
async function strayPackages(service) {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const needed = Object.entries(packages).flatMap(([at, { optional, devOptional }]) =>
    optional || devOptional ? [at.split('/')[1]] : [],
  );
  const modules = await service.exec('ls', '/app/node_modules');
  return modules.split('\n').filter((name) => !needed.includes(name));
}

/** The page answers without a login, and the image has no package that only the build needs. @param {Service} service */
async function thePage(service) {
  must((await service.statusOf('/ui/')) === '200', 'the page for people does not answer');
  const strays = await strayPackages(service);
  must(strays.length === 0, `the image has packages that it does not need: ${strays.join(', ')}`);
  const load =
    "Promise.all(['bullmq', 'ioredis'].map((name) => import(name))).then((all) => console.log(all.length))";
  const loaded = await service.exec('sh', '-c', `cd /app && node -e "${load}"`);
  must(loaded === '2', 'the image lacks what a host of a cluster loads');
  const kib = Number.parseInt(await service.exec('du', '-sk', '/app/dist/dashboard'), 10);
  must(kib <= maxPageMb * 1000, `the page adds ${(kib / 1000).toFixed(1)} MB; ${maxPageMb} are allowed`);
  row('the page, at /ui', `answers, ${(kib / 1000).toFixed(1)} MB of the image`);
}

/** @param {Service} service */
async function labOverHttp(service) {
  const workdir = '/labs/triangle';
  await service.exec('mkdir', '-p', workdir);
  const from = performance.now();
  await service.job({ action: 'up', workdir, topology: example('triangle') });
  const { nodes } = await service.get('/status/default');
  must(Object.keys(nodes ?? {}).length === 6, 'the status does not list six nodes');
  must(
    /│ h1 .* Up +│/.test(await service.exec('sh', '-c', `cd ${workdir} && lab status`)),
    '"lab status" differs',
  );
  await service.exec('sh', '-c', `cd ${workdir} && lab exec h1 -- ping -c 1 -W 5 h2`);
  await service.job({ action: 'collect', workdir });
  await service.job({ action: 'down', workdir, cleanup: true });
  row('up, status, ping, collect, down of examples/triangle', from);
}

/**
 * A stop in the middle of a job, and what the record says after a restart with the same volumes.
 * @param {Service} service
 * @param {readonly string[]} start
 * @param {import('./smoke/tools.mjs').ClientOptions} client
 */
async function stopDuringJob(service, start, client) {
  const [up, busy] = ['/labs/triangle', '/labs/busy'];
  await service.exec('mkdir', '-p', busy);
  await service.job({ action: 'up', workdir: up, topology: example('triangle') });
  // The job waits for the lock of its instance, which another process holds.
  const lock = '/var/lib/lab-api/engine/locks/2.lock';
  await docker('exec', '-d', service.name, 'flock', '-x', lock, 'sleep', '300');
  await tries('the lock is taken', async () =>
    service.exec('flock', '-n', lock, 'true').then(
      () => false,
      () => true,
    ),
  );
  const body = { action: 'up', workdir: busy, topology: example('two-hosts'), multilabId: 2 };
  const { id } = await service.post('/jobs', body);
  await tries('the job runs', async () => (await service.get(`/jobs/${id}`)).state === 'running');
  const from = performance.now();
  await docker('stop', service.name);
  row('docker stop during a job', from);
  // 137: it had to be killed.
  const exitCode = await service.inspect('.State.ExitCode');
  must(exitCode === '0', `the service ended with exit code ${exitCode} and not 0`);
  await service.remove();

  const next = await Service.start(image, start, client);
  const job = await next.get(`/jobs/${id}`);
  must(job.state === 'failed' && job.reason === 'interrupted', `the job is ${job.state}, ${job.reason}`);
  must(goneDown.test(job.error), `the job's sentence is: ${job.error}`);
  done(`after a restart the job is failed, interrupted: ${job.error}`);
  const { nodes } = await next.get('/status/default');
  const states = new Set(Object.values(nodes).map(({ status }) => status));
  must([...states].join() === 'missing', `nodes that ended with the container are ${[...states].join()}`);
  await next.job({ action: 'down', workdir: up, cleanup: true });
  done('the lab that ended with the container was "missing", and "down" removed it');
  await next.remove();
}

/** The image's own user, and no capability: labs in a user namespace. Not every host allows it. */
async function engineWithoutRoot() {
  const service = await Service.start(image, [...hardened, ...withoutRoot, '-p', '127.0.0.1::8090']);
  const workdir = '/labs/triangle';
  await service.exec('mkdir', workdir);
  const body = { action: 'up', workdir, topology: example('triangle') };
  const up = await service.ended(await service.post('/jobs', body));
  if (up.state === 'success') {
    await service.exec('sh', '-c', `cd ${workdir} && lab exec h1 -- ping -c 1 -W 5 h2`);
    await service.job({ action: 'down', workdir, cleanup: true });
    row('without root and capabilities', 'works');
  } else {
    must(/user namespaces are not allowed/.test(up.error), `without root: ${up.error}`);
    row('without root and capabilities', 'not on this host, and the job says so');
  }
  await service.remove();
}

/** Plain `docker-compose up`, without a .env file, in old and new versions of compose. */
async function compose() {
  const [program = '', ...first] = await run('docker', ['compose', 'version']).then(
    () => ['docker', 'compose'],
    () => ['docker-compose'],
  );
  // In a directory of its own: there may be a .env in that of the project.
  const directory = path.join(temporary, prefix);
  mkdirSync(directory);
  copyFileSync(path.join(root, 'docker-compose.yml'), path.join(directory, 'docker-compose.yml'));
  const override = `services:\n  lab-api:\n    image: ${image}\n`;
  writeFileSync(path.join(directory, 'docker-compose.override.yml'), override);
  const port = String(await freePort());
  const given = Object.entries(process.env).filter(([name]) => !/^(LAB_API|COMPOSE)_/.test(name));
  const variables = { LAB_API_PORT: port, LAB_API_USER: 'ops', LAB_API_PASSWORD: 'pass' };
  const env = { ...Object.fromEntries(given), ...variables };
  const call = async (/** @type {string[]} */ ...args) =>
    run(program, [...first, ...args], { env, cwd: directory }).catch((error) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
  const services = await call('config', '--services');
  if (services === undefined) return row('compose', 'skipped: neither "docker compose" nor docker-compose');
  const down = atEnd(async () => call('down', '--volumes'));
  await call('up', '-d', '--no-build');
  const answer = await tries('the service of the compose file answers', async () =>
    run('curl', ['-sS', '-u', 'ops:pass', `http://127.0.0.1:${port}/healthz`]),
  );
  must(answer === '{"status":"ok"}', `the service of the compose file answers ${answer}`);
  const project = `label=com.docker.compose.project=${prefix}`;
  const service = '{{.Label "com.docker.compose.service"}}';
  const started = await docker('ps', '--filter', project, '--format', service);
  must(started === 'lab-api', `"up" started ${started.split('\n').join(', ')}`);
  await down();
  row('compose up', 'works, with variables from outside');
}

async function engine() {
  await build('lab-api', image);
  await reportSizes();
  await engineOverHttp();
  await engineWithoutRoot();
  await compose();
}

async function smoke() {
  const isWhole = !options['engine-only'] && !options['frr-only'] && !options['netlab-only'];
  if (isWhole || options['engine-only']) await engine();
  if (isWhole || options['frr-only']) await frr();
  if (!isWhole && !options['netlab-only']) return;
  const why = await whyNoNetlab();
  if (why === undefined) await netlab();
  else row('netlab', `skipped: ${why}`);
}

let exitCode = 0;
try {
  await docker('version');
} catch (error) {
  say(`skipped: no Docker engine answers (${messageOf(error).trim().split('\n').at(-1)})`);
  await cleanUp();
  process.exit(0);
}
try {
  await Promise.race([smoke(), interrupted()]);
} catch (error) {
  exitCode = 1;
  failed(error);
} finally {
  await cleanUp();
  printTable();
}
process.exit(exitCode);
