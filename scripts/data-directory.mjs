#!/usr/bin/env node
// Makes a small data directory of a version of lab-api, on which tests/e2e/upgrade.test.ts starts the service: labs of the bundled
// engine, jobs of all outcomes, one that runs and one that waits as the machine goes down, and whatever else the version keeps.
//   npm run build && sudo scripts/data-directory.mjs --name 1.2.0 [--build DIRECTORY]
// --build: a built clone of another version. Writes tests/fixtures/data-directories/NAME.tar.gz. Needs Linux and root: in mounts of
// its own, the program is in /opt/lab-api and its data in /var/lib/lab-api.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lastEvent, password, seen, useAll, user } from './data-directory/use.mjs';
import { readOptions } from './lib/options.mjs';
import { plainEnvironment, root, startService } from './lib/service.mjs';
import { done, failed, must } from './lib/words.mjs';

const { name, build = root } = readOptions({ name: { type: 'string' }, build: { type: 'string' } });
const isInside = process.env['DATA_DIRECTORY_INSIDE'] === 'yes';
const home = '/var/lib/lab-api';
const kept = '/run/kept';

/** A machine of its own, as far as the data can tell: its places, processes and the id of its boot. */
const makePlaces = `set -e
for place in /var/lib /opt /run; do mount -t tmpfs none $place; done
mkdir -p -m 0700 ${home} /opt/lab-api /opt/bin ${kept}
mount --bind "$0" /opt/lab-api
echo 01234567-89ab-4cde-8f01-23456789abcd >/run/boot-id
mount --bind /run/boot-id /proc/sys/kernel/random/boot_id
ip=$(readlink -f "$(command -v ip)")
cp "$ip" /opt/bin/ip
printf '%s' "$1" >/opt/bin/slow-ip
chmod 0755 /opt/bin/slow-ip
mount --bind /opt/bin/slow-ip "$ip"
shift
exec "$@"`;

/** An `up` of the bundled engine in a directory "slow" does not end. */
const slowIp = `#!/bin/sh
case "$(pwd -P)" in */slow) exec sleep 3600 ;; esac
exec /opt/bin/ip "$@"
`;

function goInside() {
  must(process.getuid?.() === 0, 'run it as root: it makes mounts');
  must(name !== undefined, 'give the --name of the version');
  must(
    existsSync(path.join(build, 'dist/main.js')),
    `there is no ${build}/dist/main.js; run "npm run build" there`,
  );
  const namespaces = ['--mount', '--pid', '--fork', '--mount-proc', '/bin/sh', '-c', makePlaces];
  const again = [path.resolve(build), slowIp, process.execPath, ...process.argv.slice(1)];
  const env = { ...process.env, DATA_DIRECTORY_INSIDE: 'yes' };
  return spawnSync('unshare', [...namespaces, ...again], { stdio: 'inherit', env }).status ?? 1;
}

/** @param {string} file */
function pack(file) {
  const same = [
    '--sort=name',
    '--mtime=@0',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--use-compress-program=gzip -9n',
  ];
  const { status } = spawnSync('tar', ['-C', kept, ...same, '-cf', file, '.'], { stdio: 'inherit' });
  must(status === 0, 'tar has failed');
}

async function make() {
  for (const place of ['labs/round', 'labs/kept', 'labs/slow'])
    mkdirSync(path.join(home, place), { recursive: true });
  const env = {
    ...plainEnvironment(),
    HOME: home,
    LAB_API_DATA_DIR: home,
    LAB_API_USER: user,
    LAB_API_PASSWORD: password,
    LAB_API_MAX_RUNNING_JOBS: '1',
    // No service is there: the messages wait.
    LAB_API_WEBHOOK_URL: 'http://127.0.0.1:9/',
    LAB_API_WEBHOOK_HOSTS: '127.0.0.1',
  };
  const labs = path.join(home, 'labs');
  // As under systemd: a working directory in the data directory, and labs below it.
  const within = ['env', '-C', labs];
  const service = await startService({ env, file: '/opt/lab-api/dist/main.js', within });
  const eventId = await lastEvent(service.url);
  await useAll(service.url, labs);
  const then = { ...(await seen(service.url)), eventId };
  await service.end('SIGKILL');
  // The job still runs: its shim would note how it ended.
  cpSync(home, path.join(kept, 'lab-api'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => !file.endsWith('.sock'),
  });
  writeFileSync(path.join(kept, 'seen.json'), `${JSON.stringify(then, null, 1)}\n`);
  const directory = path.join(root, 'tests/fixtures/data-directories');
  mkdirSync(directory, { recursive: true });
  pack(path.join(directory, `${name}.tar.gz`));
  done(`${name}: ${then.jobs.length} jobs; without ${then.without.join(', ') || 'nothing'}`);
}

try {
  process.exitCode = isInside ? await make().then(() => 0) : goInside();
} catch (error) {
  failed(error);
  process.exitCode = 1;
}
// All that runs in there ends with this process.
if (isInside) process.exit();
