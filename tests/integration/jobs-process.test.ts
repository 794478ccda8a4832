import { expect, test } from '@jest/globals';
import { pbkdf2 } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { jobPaths, readExitStatus, readIdentity, type ExitStatus } from '../../src/jobs/store/job-files.ts';
import type { ProcessEnd } from '../../src/jobs/run/process-end.ts';
import { adoptProcess, startProcess } from '../../src/jobs/run/process.ts';
import { identify, isAlive } from '../../src/lib/processes.ts';
import { eventually } from '../support/eventually.ts';
import { processesOf } from '../support/job-processes.ts';
import { fixtureProgram } from '../support/programs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const base = temporaryDirectory();
const env = { PATH: process.env['PATH'] ?? '' };
const id = 'job-1-abcdef';

function newSpec(command: string[]) {
  const jobs = mkdtempSync(path.join(base, 'jobs-'));
  const paths = jobPaths(jobs, id);
  mkdirSync(paths.directory);
  return { id, paths, command, workdir: jobs, env };
}

/** The same, with a program in the place of the `mv` that gives the result its name. */
function withMv(spec: ReturnType<typeof newSpec>, mv: string) {
  const programs = path.join(spec.workdir, 'programs');
  mkdirSync(programs);
  writeFileSync(path.join(programs, 'mv'), mv, { mode: 0o700 });
  return { ...spec, env: { PATH: `${programs}:${env.PATH}` } };
}

async function expectNothingLeft(): Promise<void> {
  await eventually('the processes to be gone', () => processesOf(id).length === 0);
}

test('an end that comes while the service is busy elsewhere is not missed', async () => {
  // Keeps Node's threads busy, as a slow disk would: closing a file waits for seconds then.
  let isBusy = true;
  let busyThreads = 0;
  const keepBusy = (): void => {
    busyThreads += 1;
    pbkdf2('x', 'y', 50_000, 64, 'sha512', () => {
      busyThreads -= 1;
      if (isBusy) keepBusy();
    });
  };
  for (let thread = 0; thread < 8; thread += 1) keepBusy();
  const job = await startProcess(newSpec(['/bin/true']));
  isBusy = false;
  await eventually('the threads to be free', () => busyThreads === 0);
  await eventually('the process to be gone', () => !isAlive(job.identity));
  // Whoever listened too late would wait here for ever.
  expect(await job.ended).toEqual({ kind: 'exited', exitCode: 0 });
  await expectNothingLeft();
});

test.each<{ name: string; command: string[]; end: ProcessEnd; status: ExitStatus }>([
  {
    name: 'an exit code',
    command: [fixtureProgram('exits-with'), '6'],
    end: { kind: 'exited', exitCode: 6 },
    status: { exitCode: 6, signaled: false },
  },
  {
    name: 'an exit code that looks like a signal',
    command: [fixtureProgram('exits-with'), '137'],
    end: { kind: 'exited', exitCode: 137 },
    status: { exitCode: 137, signaled: false },
  },
  {
    name: 'a signal',
    command: [fixtureProgram('kill-self')],
    end: { kind: 'signaled', signal: 'SIGTERM' },
    status: { exitCode: 143, signaled: true },
  },
])('$name is told to the service and noted for the next one', async ({ command, end, status }) => {
  const spec = newSpec(command);
  const job = await startProcess(spec);
  expect(await job.ended).toEqual(end);
  expect(await readIdentity(spec.paths)).toEqual(job.identity);
  expect(await readExitStatus(spec.paths)).toEqual(status);
  await expectNothingLeft();
  expect(await adoptProcess(job.identity, spec.paths).ended).toEqual(end);
});

test('a signal that comes while the end is noted does not lose the note', async () => {
  const spec = newSpec(['/bin/true']);
  // Signals the whole group in the moment between the result and its name.
  const mv = '#!/bin/sh\nfor signal in INT TERM HUP QUIT; do kill -$signal 0; done\nexec /bin/mv "$@"\n';
  const job = await startProcess(withMv(spec, mv));
  expect(await job.ended).toEqual({ kind: 'exited', exitCode: 0 });
  expect(await readExitStatus(spec.paths)).toEqual({ exitCode: 0, signaled: false });
  await expectNothingLeft();
});

test('the result file is never half there: it gets its name when it is whole', async () => {
  const spec = newSpec([fixtureProgram('exits-with'), '6']);
  // Keeps what there is under both names in the moment before the last one.
  const mv = '#!/bin/sh\ncp "$2" "$2.seen"\n[ -e "$3" ] && cp "$3" "$3.seen"\nexec /bin/mv "$@"\n';
  const job = await startProcess(withMv(spec, mv));
  expect(await job.ended).toEqual({ kind: 'exited', exitCode: 6 });
  const whole = { exitCode: 6, signaled: false };
  expect(JSON.parse(readFileSync(`${spec.paths.exit}.tmp.seen`, 'utf8'))).toEqual(whole);
  expect(existsSync(`${spec.paths.exit}.seen`)).toBe(false);
  expect(await readExitStatus(spec.paths)).toEqual(whole);
  await expectNothingLeft();
});

test('without a note of its end, a process that is gone is lost', async () => {
  const { paths } = newSpec([]);
  expect(await adoptProcess({ ...identify(process.pid), startTicks: 1 }, paths).ended).toEqual({
    kind: 'lost',
  });
});

test.each([
  ['a directory that is not there', { workdir: '/no/such/directory' }],
  ['an argument that no process can have', { command: ['/bin/true', 'a\0b'] }],
  ['arguments beyond what the system takes', { command: ['/bin/true', 'x'.repeat(4_000_000)] }],
])('%s is refused, and leaves nothing behind', async (_name, change) => {
  const spec = newSpec(['/bin/true']);
  await expect(startProcess({ ...spec, ...change })).rejects.toThrow();
  expect(await readIdentity(spec.paths)).toBeUndefined();
  await expectNothingLeft();
});
