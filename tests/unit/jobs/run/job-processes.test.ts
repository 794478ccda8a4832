/** Which processes belong to a job. Nothing is signaled here but what these tests started. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { JobProcesses, jobScanner } from '../../../../src/jobs/run/job-processes.ts';
import { bootId, findProcess, identify } from '../../../../src/lib/processes/processes.ts';
import type { ScannedProcess } from '../../../../src/lib/processes/process-scanner.ts';
import { killAll } from '../../../support/job-processes.ts';
import { sampleId } from '../../../support/sample-job.ts';

const id = sampleId(1);

afterEach(() => void jest.restoreAllMocks());

describe('processes that run', () => {
  let shim: ChildProcess;
  let shimPid: number;
  let childPid: number | undefined;

  /** A shim with the job's id, and a child in its session that does not carry any id, and says so when that is true. */
  beforeEach(async () => {
    const child = `exec env -u LAB_JOB_ID sh -c 'echo $$; exec sleep 1000'`;
    const started = spawn('/bin/sh', ['-c', `(${child}) & wait`], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'] ?? '', LAB_JOB_ID: id },
    });
    const [printed] = (await once(started.stdout, 'data')) as [Buffer];
    // No other number is ever signaled: 0 would be all that runs these tests.
    if (started.pid === undefined || !(Number(printed) > 1))
      throw new Error(`the shim printed ${String(printed)}`);
    [shim, shimPid, childPid] = [started, started.pid, Number(printed)];
  });

  afterEach(async () => {
    if (childPid !== undefined && findProcess(childPid)?.session === shimPid)
      process.kill(childPid, 'SIGKILL');
    childPid = undefined;
    await killAll(id);
  });

  const pidsOf = async (processes: JobProcesses): Promise<number[]> =>
    (await processes.survivors()).map(({ pid }) => pid);

  test('the shim and what it started, which need not carry the id', async () => {
    const processes = new JobProcesses(id, identify(shimPid));
    expect(processes.isShimAlive()).toBe(true);
    const both = new Set([shimPid, childPid]);
    expect(new Set(await pidsOf(processes))).toEqual(both);
    // Also when nobody knows the shim: it carries the id, and the other is its child.
    const unknown = new JobProcesses(id, undefined);
    expect(unknown.isShimAlive()).toBe(false);
    expect(new Set(await pidsOf(unknown))).toEqual(both);
    expect(await pidsOf(new JobProcesses('job-of-another', undefined))).toEqual([]);
  });

  test('what was seen once belongs to the job when the shim is gone, too', async () => {
    const identity = identify(shimPid);
    const processes = new JobProcesses(id, identity);
    expect(await pidsOf(processes)).toHaveLength(2);
    const ended = once(shim, 'exit');
    process.kill(shimPid, 'SIGKILL');
    await ended;
    expect(processes.isShimAlive()).toBe(false);
    expect(await pidsOf(processes)).toEqual([childPid]);
    // Who looks for the first time now cannot tell it from a program that has the number of the session by chance.
    expect(findProcess(childPid ?? 0)?.session).toBe(shimPid);
    expect(await pidsOf(new JobProcesses(id, identity))).toEqual([]);
  });
});

describe('processes of which the system says', () => {
  /** Above all numbers that Linux gives to processes (proc(5), `pid_max`), this one's own among them. */
  const none = 2 ** 22;
  const shim = { pid: none + 100, startTicks: 1000, bootId };
  const entry = (
    number: number,
    { parent = 1, session = number, ...known }: Partial<ScannedProcess> = {},
  ): ScannedProcess => ({
    pid: none + number,
    state: 'S',
    parent: none + parent,
    processGroup: none + number,
    session: none + session,
    startTicks: 2000,
    tag: null,
    ...known,
  });
  const own = process.pid - none;
  const runningShim = entry(100, { startTicks: 1000, tag: id });

  test.each<{ name: string; entries: ScannedProcess[]; members: number[] }>([
    {
      name: 'that they carry the id',
      entries: [entry(7, { tag: id }), entry(8, { tag: 'job-of-another' }), entry(9)],
      members: [7],
    },
    {
      name: 'that they are in the session of the shim',
      entries: [runningShim, entry(7, { session: 100 }), entry(8, { session: 101 })],
      members: [100, 7],
    },
    {
      name: 'that they are in that session as another user',
      entries: [runningShim, entry(7, { session: 100, tag: undefined })],
      members: [100, 7],
    },
    {
      name: 'that they are in the session of a shim that is gone, as another user',
      entries: [entry(7, { session: 100, tag: undefined }), entry(8, { session: 100 })],
      members: [7],
    },
    {
      name: 'that they started with the shim',
      entries: [entry(7, { session: 100, tag: undefined, startTicks: 1000 })],
      members: [7],
    },
    {
      name: 'that they are older than the shim',
      entries: [runningShim, entry(7, { session: 100, tag: undefined, startTicks: 999 })],
      members: [100],
    },
    {
      name: 'that they lead a session with the number of the shim that is gone',
      entries: [entry(100, { tag: undefined }), entry(7, { session: 100 })],
      members: [],
    },
    {
      name: 'that they have the number of the shim, and a session of theirs',
      entries: [entry(100, { session: 90, tag: undefined }), entry(7, { session: 100 })],
      members: [],
    },
    {
      name: 'that they are children of children, in whatever order',
      entries: [
        entry(5, { parent: 6 }),
        entry(6, { parent: 7 }),
        entry(7, { parent: 8 }),
        entry(8, { tag: id }),
      ],
      members: [5, 6, 7, 8],
    },
    {
      name: 'that they are older than what has the number of their parent',
      entries: [entry(8, { tag: id }), entry(7, { parent: 8, startTicks: 1999 })],
      members: [8],
    },
    {
      name: 'that their parent is none of the job',
      entries: [entry(8, { tag: id }), entry(9), entry(7, { parent: 9 }), entry(6, { parent: 3 })],
      members: [8],
    },
    {
      name: 'that they are the service itself, which another service started for a job',
      entries: [entry(own, { tag: id }), entry(7, { parent: own })],
      members: [7],
    },
  ])('$name', async ({ entries, members }) => {
    jest.spyOn(jobScanner, 'scan').mockResolvedValue(entries);
    const survivors = await new JobProcesses(id, shim).survivors();
    expect(survivors.map(({ pid }) => pid - none)).toEqual(members);
  });

  test('that another program has the number of one that belonged', async () => {
    const scan = jest.spyOn(jobScanner, 'scan');
    const processes = new JobProcesses(id, undefined);
    scan.mockResolvedValueOnce([entry(7, { tag: id })]);
    expect(await processes.survivors()).toHaveLength(1);
    scan.mockResolvedValueOnce([entry(7, { startTicks: 2001 }), entry(8, { parent: 7 })]);
    expect(await processes.survivors()).toEqual([]);
  });
});
