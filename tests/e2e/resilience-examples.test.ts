/** The examples of resilience, as their readers run them: netlab's labs in namespaces, and the verdict of `lab scenario run`. */
import { afterEach, beforeAll, expect } from '@jest/globals';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { missingForRoutedLabs } from '../support/example-labs.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { runProgram, startProgram, type RunningProgram } from '../support/service.ts';

const { because, it } = testUnless(
  missingForRoutedLabs() ?? requirement('fping').missing ?? requirement('nft').missing,
);

/** Other tests start examples as well, and namespaces are called after the name of the lab. */
const name = `s${process.pid}`;
let service: RunningProgram;
let workdir = '';

beforeAll(async () => {
  if (because !== '') return;
  service = await startProgram({ env: { LAB_API_CLI: 'netlab', LAB_API_RUNTIME: 'namespaces' } });
});

async function lab(...words: readonly string[]) {
  const { PATH, HOME } = service.ground.env;
  const run = runProgram(words, { PATH, HOME, LAB_API_URL: service.url });
  return { exitCode: await run.exit, printed: run.output() };
}
const job = async (...words: readonly string[]) => lab('start', ...words, '--workdir', workdir, '--wait');
const succeeded = { exitCode: 0, printed: expect.any(String) };

// Also when the test took too long.
afterEach(async () => {
  if (because !== '') return;
  expect(await job('down', '--cleanup', '--force')).toEqual(succeeded);
  expect(existsSync(`/run/lab-engine/clab.${name}`)).toBe(false);
});

// One link of each is enough here, and the example of BGP breaks one silently.
const oneOfRing = ['r2-r3', 'r3-r4', 'r4-r5', 'r5-r1'].flatMap((link) => ['--except', link]);
const leftOut = '  - { link: r2-r3, kind: silent }\n';

it.each([
  {
    example: 'ring',
    what: 'survives a link and a router',
    options: ['--each', 'link', ...oneOfRing],
    exitCode: 0,
    says: /^All faults were run: 2 passed, 0 failed$/m,
  },
  {
    example: 'star',
    what: 'does not survive a link',
    options: ['--each', 'link', '--except', 'hub-r2', '--hold', '5s'],
    exitCode: 1,
    says: /^error: hub-r1 down: h1 → h2 IPv4 was still without traffic when the fault was healed/m,
  },
  {
    example: 'bgp',
    what: 'notices a silent link by its timers',
    exitCode: 0,
    says: /^All faults were run: 2 passed, 0 failed$/m,
  },
])(
  `$example $what${because}`,
  async ({ example, options = [], exitCode, says }) => {
    const directory = path.join('examples', 'resilience', example);
    workdir = service.ground.makeWorkdir(example);
    cpSync(directory, workdir, { recursive: true });
    const topology = readFileSync(path.join(directory, 'topology.yml'), 'utf8');
    writeFileSync(path.join(workdir, 'topology.yml'), topology.replace(/^name: .*/m, `name: ${name}`));
    expect(await job('up', '--wait-ready', '60s')).toEqual(succeeded);
    const file = path.join(workdir, 'scenario.yml');
    writeFileSync(file, readFileSync(file, 'utf8').replace(leftOut, ''));
    expect(await lab('scenario', 'run', '--workdir', workdir, ...options, file)).toEqual({
      exitCode,
      printed: expect.stringMatching(says),
    });
  },
  180_000,
);
