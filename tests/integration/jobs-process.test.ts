import { expect, test } from '@jest/globals';
import { pbkdf2 } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {
  jobPaths,
  prepareStart,
  readExitStatus,
  readIdentity,
  type ExitStatus,
} from '../../src/jobs/store/job-files.ts';
import { type ProcessEnd, adoptProcess, startProcess } from '../../src/jobs/run/process.ts';
import { hideDescriptor } from '../../src/lib/processes/hidden-descriptors.ts';
import { findProcess, identify, isAlive } from '../../src/lib/processes/processes.ts';
import { eventually } from '../support/eventually.ts';
import { killAll, processesOf } from '../support/job-processes.ts';
import { sampleId } from '../support/sample-job.ts';
import { fixtureProgram } from '../support/programs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const base = temporaryDirectory();
const env = { PATH: process.env['PATH'] ?? '' };
const id = sampleId(1);

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

/** With which something could still start. */
const ticketsIn = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.startsWith('ticket-'));

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

test('the descriptor that leads to its directory may be among those of terminals', async () => {
  const spec = newSpec(['/bin/sh', '-c', 'pwd']);
  const directory = openSync(spec.workdir, 'r');
  const terminal = openSync('/dev/null', 'r');
  const forget = hideDescriptor(terminal);
  try {
    expect(terminal).toBeGreaterThan(directory);
    const cwd = `/proc/self/fd/${directory}`;
    const job = await startProcess({ ...spec, cwd, held: directory });
    expect(await job.ended).toEqual({ kind: 'exited', exitCode: 0 });
    expect(readFileSync(spec.paths.log, 'utf8')).toBe(`${spec.workdir}\n`);
  } finally {
    forget();
    closeSync(terminal);
    closeSync(directory);
  }
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
  // Signals the whole group in the moment between the result and its name. The shim leads it; `kill 0` would end whoever runs
  // this test if it did not, and an orphan's parent is 1.
  const mv = `#!/bin/sh
[ "$PPID" -gt 1 ] || exit 1
for signal in INT TERM HUP QUIT; do kill -s $signal -- -$PPID; done
exec /bin/mv "$@"
`;
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

test('a process runs in a session of its own, and all that it prints is in the log', async () => {
  const spec = newSpec(['/bin/sh', '-c', 'echo out; echo err >&2; exec sleep 1000']);
  const { identity, ended } = await startProcess(spec);
  expect(findProcess(identity.pid)).toMatchObject({ session: identity.pid, processGroup: identity.pid });
  await eventually('its words', () => readFileSync(spec.paths.log, 'utf8') === 'out\nerr\n');
  // Nobody hears of its end but by the kernel: the shim did not come to write it down.
  process.kill(identity.pid, 'SIGKILL');
  expect(await ended).toEqual({ kind: 'signaled', signal: 'SIGKILL' });
  await killAll(id);
});

test('one that an earlier service started is looked after to its end', async () => {
  const spec = newSpec([]);
  const gate = path.join(spec.workdir, 'gate');
  const command = [fixtureProgram('waits-for-file'), gate, '6'];
  const { identity } = await startProcess({ ...spec, command });
  const adopted = adoptProcess(identity, spec.paths);
  expect(adopted.identity).toBe(identity);
  await eventually('it runs', () => readFileSync(spec.paths.log, 'utf8') === 'ready\n');
  writeFileSync(gate, '');
  expect(await adopted.ended).toEqual({ kind: 'exited', exitCode: 6 });
  await expectNothingLeft();
});

test('one that is gone, and had not begun, did not and never will', async () => {
  const { paths } = newSpec([]);
  await prepareStart(paths);
  const gone = { ...identify(process.pid), startTicks: 1 };
  expect(await adoptProcess(gone, paths).ended).toEqual({ kind: 'unstarted' });
  expect(ticketsIn(paths.directory)).toEqual([]);
});

test('of another user: the words in front run with the programs of root, and the command with its own', async () => {
  const spec = newSpec(['/bin/sh', '-c', 'echo "$MARK $PATH"; exit 6']);
  const commandPrefix = ['/bin/sh', '-c', 'echo "words $PATH"; exec "$@"', 'words'];
  const runAs = { uid: 0, gid: 0, commandPrefix };
  const job = await startProcess({ ...spec, runAs, env: { PATH: `/own:${env.PATH}`, MARK: 'marked' } });
  expect(await job.ended).toEqual({ kind: 'exited', exitCode: 6 });
  expect(readFileSync(spec.paths.log, 'utf8')).toBe(
    `words /usr/sbin:/usr/bin:/sbin:/bin\nmarked /own:${env.PATH}\n`,
  );
  await expectNothingLeft();
});

test.each([
  ['a directory that is not there', { workdir: '/no/such/directory' }],
  ['an argument that no process can have', { command: ['/bin/true', 'a\0b'] }],
  ['arguments beyond what the system takes', { command: ['/bin/true', 'x'.repeat(4_000_000)] }],
])('%s is refused, and leaves nothing behind', async (_name, change) => {
  const spec = newSpec(['/bin/true']);
  await expect(startProcess({ ...spec, ...change })).rejects.toThrow();
  expect(await readIdentity(spec.paths)).toBeUndefined();
  expect(ticketsIn(spec.paths.directory)).toEqual([]);
  await expectNothingLeft();
});
