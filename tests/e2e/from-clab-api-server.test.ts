/** The round that docs/from-clab-api-server.md shows for lab-api is what happens, on a lab of containerlab. */
import { afterAll, expect } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { containerlab, containersOf } from '../support/containerlab.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { runCommand, startProgram } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const page = readFileSync(path.join('docs', 'from-clab-api-server.md'), 'utf8');
const [, block = ''] = /^```sh\n(.*?)^```/ms.exec(page) ?? [];
const [, image = ''] = /"image": "([^"]+)"/.exec(block) ?? [];

/** The round needs more than an engine that runs labs: the commands of the page and its image. */
function missingForRound(): string | undefined {
  const because = [containerlab.missing, requirement('curl').missing, requirement('jq').missing];
  const missing = because.find((why) => why !== undefined);
  if (missing !== undefined) return missing;
  if (spawnSync('docker', ['image', 'inspect', image]).status !== 0) return `there is no image ${image}`;
  return undefined;
}

const { it, because } = testUnless(missingForRound());
// The names of its labs are those of the whole machine.
const lab = `pair${process.pid}`;

// Before the directory goes: hooks run in the order in which they are registered.
afterAll(async () => {
  if (containerlab.missing === undefined && (await containersOf(lab)).length > 0)
    execFileSync(containerlab.file, ['destroy', '--name', lab, '--cleanup']);
});

const directory = temporaryDirectory();

it(`deploy, exec and destroy${because}`, async () => {
  writeFileSync(path.join(directory, 'ci-token'), 'tok_any');
  const { url } = await startProgram({ env: { LAB_API_CLI: containerlab.file } });
  const script = block.replace('http://127.0.0.1:8090', url).replaceAll(/(["/])pair\b/g, `$1${lab}`);
  const env = { PATH: process.env['PATH'] ?? '', HOME: directory };
  const run = runCommand(['sh', '-euc', script], env, directory);
  expect({ code: await run.exit, output: run.output() }).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^up: success \n\d+: eth1@[^]*\ndown: success \n$/),
  });
  expect(await containersOf(lab)).toEqual([]);
});
