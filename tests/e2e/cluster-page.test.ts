/**
 * "Try it" of docs/cluster.md works, typed as it stands there, against two built services with the bundled engine. Only what
 * `docker-compose` does there is played: both hosts and Redis are processes of one machine here.
 */
import { expect } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { testUnless } from '../support/requirements.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { commandsBelow, missingForTyping, typeInto } from '../support/typed-page.ts';

const missing = missingForTyping('openssl', 'redis-server');
const { because, it } = testUnless(missing);
const directory = temporaryDirectory();

/** What docker-compose.yml says of the profile `cluster`, without containers. */
const compose = `#!/bin/sh
start() {
  LAB_API_HOST_NAME=$1 LAB_API_PORT=$2 LAB_API_HOST_URL=https://127.0.0.1:$2 LAB_API_BIND=127.0.0.1 LAB_API_TLS=self-signed \\
    LAB_API_REDIS_URL=redis://:$REDIS_PASSWORD@127.0.0.1:6379 LAB_API_DATA_DIR=$PWD/$1/data LAB_HOME=$PWD/$1/engine \\
    lab api >$1.log 2>&1 &
}
case $1 in
up)
  redis-server --bind 127.0.0.1 --requirepass "$REDIS_PASSWORD" --save '' >redis.log &
  start lab1 8091
  start lab2 8092
  ;;
exec) cat "$3/data/\${5#/var/lib/lab-api/}" ;;
esac
`;

const untilDown = `for job in $(curl -sSK curlrc $lab1/jobs | grep -oE '"id":"job-[^"]*' | cut -d'"' -f4); do
  printf '\\n== '; curl -sSK curlrc "$lab1/jobs/$job?wait=60" | grep -oE '"(action|state|host)":"[^"]*"' | sort -u | tr '\\n' ' '
done`;

it(`a job through one host runs on the other${because}`, () => {
  mkdirSync(path.join(directory, 'bin'));
  writeFileSync(path.join(directory, 'bin', 'docker-compose'), compose, { mode: 0o755 });
  const [start = '', round = ''] = commandsBelow('Try it', 'docs/cluster.md');
  const { status, stdout, stderr } = typeInto(directory, [start, round, untilDown].join('\n'));
  if (status !== 0) throw new Error(`it failed:\n${stdout}${stderr}`);
  expect(stdout).toContain('Lab default is up');
  expect(stdout).toContain('"id":"default@lab2","cli":"engine","host":"lab2"');
  expect(stdout).toContain(' 0% packet loss');
  const ended = stdout.split('\n').filter((line) => line.startsWith('== '));
  expect(ended.map((line) => line.trim())).toEqual([
    '== "action":"down" "host":"lab2" "state":"success"',
    '== "action":"up" "host":"lab2" "state":"success"',
  ]);
}, 120_000);
