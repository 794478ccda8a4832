/** What a new action takes: one entry in the table of actions, and with each lab CLI its options and a reader of its result. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PlantedSource, plantedFixture } from '../support/planted-source.ts';
import { runCommand, startProgram, topologyThat, type RunningProgram } from '../support/service.ts';
import { isThorough, leftOut } from '../support/thorough.ts';

const endOfTable = '} as const satisfies Record<string, ActionSpec>;';
const source = new PlantedSource();
source.insertBefore(
  'labs/model/actions.ts',
  endOfTable,
  readFileSync(plantedFixture('inspect', 'entry.txt'), 'utf8'),
);

const because = leftOut === undefined ? '' : ` (skipped: ${leftOut})`;

(isThorough ? test : test.skip)(
  `the compiler asks for its options and the reader of the result, and for nothing else${because}`,
  () => {
    const { problems } = source.build();
    const files = [...problems.matchAll(/drivers\/(\S+)\(\S+ error TS/g)].map(([, file = '']) => file);
    expect(files.toSorted((a, b) => a.localeCompare(b))).toEqual([
      'containerlab/arguments.ts',
      'containerlab/containerlab.ts',
      'engine/engine.ts',
      'netlab-language/arguments.ts',
      'netlab/netlab.ts',
    ]);
    expect(problems).toContain('"tests-passed"');
  },
);

describe('with its reader', () => {
  let program = '';
  let service: RunningProgram;

  beforeAll(async () => {
    source.addFile('labs/drivers/netlab-language/failed-tests.ts', 'inspect', 'failed-tests.ts.txt');
    const language = 'labs/drivers/netlab-language/netlab-language.ts';
    source.insertBefore(language, 'import {', "import { failedTests } from './failed-tests.ts';\n");
    const reader = "  'tests-passed': ({ logEnd }) => Promise.resolve(failedTests(logEnd)),\n";
    source.insertBefore(language, "  'lab-was-found':", reader);
    const none = "    'tests-passed': () => Promise.resolve(undefined),\n";
    source.insertBefore('labs/drivers/containerlab/containerlab.ts', "    'lab-was-found':", none);
    for (const other of ['netlab-language', 'containerlab'])
      source.insertBefore(
        `labs/drivers/${other}/arguments.ts`,
        "  exec: ['nodes'",
        "  inspect: ['verbose'],\n",
      );
    const build = source.build();
    expect(build.problems).toBe('');
    ({ program } = build);
    service = await startProgram({ program, env: { LAB_API_CLI: plantedFixture('inspect', 'lab-cli') } });
  });

  /** A directory in which the tests of a lab end like this. */
  function workdirWith(name: string, tests: string): string {
    const workdir = service.ground.makeWorkdir(name);
    writeFileSync(path.join(workdir, 'tests'), tests);
    return workdir;
  }

  test('the command line has it, with its description', async () => {
    const { env, root } = service.ground;
    const run = runCommand([process.execPath, program, '--help'], env, root);
    expect(await run.exit).toBe(0);
    expect(run.output()).toMatch(/^ {2}inspect .*look for mistakes in a lab$/m);
  });

  test('a job runs it, and only with the options that it takes', async () => {
    const workdir = workdirWith('good', '[PASS]  ping\n');
    const body = {
      action: 'inspect',
      workdir,
      verbose: true,
      cleanup: true,
      topology: 'x',
      onCancel: 'down',
    };
    const job = await service.ended(await service.start(body));
    expect(job).toMatchObject({ state: 'success', error: null, workdir });
    expect(job.command.slice(1)).toEqual(['inspect', '-v']);
    expect(job.warnings).toEqual([
      'option "onCancel" is ignored: it belongs to "up", "restart"',
      'option "cleanup" is ignored: it belongs to "down"',
      'topology is ignored: "inspect" needs no topology',
    ]);
    expect(await service.logText(job.id)).toBe('[PASS]  ping\n');
  });

  test('exit code 0 is not believed when the reader finds a failed test', async () => {
    const workdir = workdirWith('bad', '[PASS]  ping\n[FAIL]  ospf\n[FAIL]  bgp\n');
    const job = await service.ended(await service.start({ action: 'inspect', workdir }));
    expect(job).toMatchObject({ state: 'failed', exitCode: 0, error: 'these tests failed: ospf, bgp' });
  });

  test('it takes the lock of its directory, and says what is left when it is ended', async () => {
    const workdir = workdirWith('busy', '');
    writeFileSync(path.join(workdir, 'hold'), '');
    const first = await service.start({ action: 'inspect', workdir });
    await service.reach(first, 'running');
    const refused = await service.post('/jobs', { action: 'inspect', workdir, onConflict: 'reject' });
    expect(refused).toMatchObject({ status: 409, json: { code: 'workdir-busy', conflictingJobId: first } });
    const second = await service.start({ action: 'inspect', workdir });
    expect(await service.job(second)).toMatchObject({ state: 'queued' });
    await service.post(`/jobs/${first}/cancel`);
    expect(await service.ended(first)).toMatchObject({
      state: 'canceled',
      error: 'canceled; tests may still be under way in the nodes',
    });
    rmSync(path.join(workdir, 'hold'));
    expect(await service.ended(second)).toMatchObject({ state: 'success' });
  });

  test('it runs in the directory of the instance that it names, now and when it is repeated', async () => {
    const workdir = workdirWith('lab', '[PASS]  ping\n');
    const up = await service.start({ action: 'up', workdir, topology: topologyThat(), multilabId: 7 });
    expect(await service.ended(up)).toMatchObject({ state: 'success' });
    const job = await service.ended(await service.start({ action: 'inspect', instance: 7 }));
    expect(job).toMatchObject({ state: 'success', workdir, instance: '7', warnings: [] });
    expect(job.command.slice(1)).toEqual(['inspect', '--instance', '7']);
    const again = await service.post(`/jobs/${job.id}/retry`);
    expect(await service.ended(String(again.json.id))).toMatchObject({ state: 'success', workdir });
    expect((await service.get('/jobs?action=inspect&instance=7')).json.jobs).toHaveLength(2);
  });
});
