/** The round that docs/from-clab-api-server.md shows for lab-api is what happens, on a lab of containerlab. */
import { afterAll, expect, test } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { missingForContainers, requirement } from '../support/requirements.ts';
import { runCommand, startProgram } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const page = readFileSync(path.join('docs', 'from-clab-api-server.md'), 'utf8');
const [, block = ''] = /^```sh\n(.*?)^```/ms.exec(page) ?? [];
const [, image = ''] = /"image": "([^"]+)"/.exec(block) ?? [];
const containerlab = requirement('containerlab');

/** One that netlab alone can use knows no other options than netlab's. */
function missingForRound(): string | undefined {
  const because =
    ['curl', 'jq', 'containerlab']
      .map((name) => requirement(name).missing)
      .find((why) => why !== undefined) ?? missingForContainers();
  if (because !== undefined) return because;
  if (spawnSync(containerlab.file, ['inspect', '--all', '--details', '--format', 'json']).status !== 0)
    return 'containerlab cannot say which labs there are';
  if (spawnSync('docker', ['image', 'inspect', image]).status !== 0) return `there is no image ${image}`;
  return undefined;
}

const missing = missingForRound();
const because = missing === undefined ? '' : ` (skipped: ${missing})`;
// The names of its labs are those of the whole machine.
const lab = `pair${process.pid}`;
const containers = (): string =>
  execFileSync('docker', ['ps', '--all', '--quiet', '--filter', `label=containerlab=${lab}`], {
    encoding: 'utf8',
  });

// Before the directory goes: hooks run in the order in which they are registered.
afterAll(() => {
  if (missing === undefined && containers() !== '')
    execFileSync(containerlab.file, ['destroy', '--name', lab, '--cleanup']);
});

const directory = temporaryDirectory();

(missing === undefined ? test : test.skip)(`deploy, exec and destroy${because}`, async () => {
  writeFileSync(path.join(directory, 'ci-token'), 'tok_any');
  const { url } = await startProgram({ env: { LAB_API_CLI: containerlab.file } });
  const script = block.replace('http://127.0.0.1:8090', url).replaceAll(/(["/])pair\b/g, `$1${lab}`);
  const env = { PATH: process.env['PATH'] ?? '', HOME: directory };
  const run = runCommand(['sh', '-euc', script], env, directory);
  expect({ code: await run.exit, output: run.output() }).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^up: success \n\d+: eth1@[^]*\ndown: success \n$/),
  });
  expect(containers()).toBe('');
});
