import { describe, expect, test } from '@jest/globals';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import type { JobRig } from '../support/job-rig.ts';
import { gated, restarts } from '../support/restarted-rig.ts';

const { startRig } = restarts();

describe('a job that cannot start', () => {
  test('because its program vanished', async () => {
    const rig = await startRig();
    const blocker = gated(rig, 'a', 'lab');
    await rig.submit(blocker.submission);
    const program = path.join(rig.root, 'tool');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    const { id } = await rig.submit({ program });
    rmSync(program);
    blocker.open();
    expect(await rig.ended(id)).toMatchObject({
      state: 'failed',
      reason: 'spawn-error',
      exitCode: null,
      error: `the lab CLI ${program} is gone or not executable`,
      logSize: 0,
    });
  });

  test('because the server does not allow its directory any more', async () => {
    let allowed = true;
    const rig = await startRig({ maxRunningJobs: 1, lab: { allows: () => allowed } });
    const blocker = gated(rig, 'a', 'other');
    await rig.submitReady(blocker.submission);
    const { id, workdir } = await rig.submit({ program: 'exits-with', args: ['0'] });
    allowed = false;
    blocker.open();
    expect(await rig.ended(id)).toMatchObject({
      state: 'failed',
      reason: 'spawn-error',
      error: `the working directory ${workdir} is not allowed here any more`,
    });
  });

  test('because its working directory vanished', async () => {
    const rig = await startRig({ maxRunningJobs: 1 });
    const blocker = gated(rig, 'a', 'other');
    await rig.submit(blocker.submission);
    const { id, workdir } = await rig.submit({ program: 'forever', workdir: 'short-lived' });
    rmSync(workdir, { recursive: true });
    blocker.open();
    expect(await rig.ended(id)).toMatchObject({
      state: 'failed',
      reason: 'spawn-error',
      error: `the working directory ${workdir} is gone`,
    });
  });

  test('because its record cannot be written starts once it can, and once only, in its turn', async () => {
    const rig = await startRig();
    const blocker = gated(rig, 'a', 'lab');
    await rig.submit(blocker.submission);
    const starts = path.join(rig.root, 'starts');
    const { id } = await rig.submit({ program: 'counts-its-starts', args: [starts] });
    const later = await rig.submit({ program: 'exits-with', args: ['0'] });
    const { directory } = rig.store.paths(id);
    renameSync(directory, `${directory}.aside`);
    writeFileSync(directory, 'the disk refuses');
    blocker.open();
    await eventually('the refusal', () =>
      rig.log.errors().includes('a job cannot be started now, its record cannot be written'),
    );
    expect(await rig.record(id)).toMatchObject({ state: 'queued', startedAt: null });
    expect(existsSync(starts)).toBe(false);
    rmSync(directory);
    renameSync(`${directory}.aside`, directory);
    const { state, finishedAt } = await rig.ended(id);
    expect(state).toBe('success');
    expect(readFileSync(starts, 'utf8')).toBe('started\n');
    const { startedAt } = await rig.ended(later.id);
    expect(Date.parse(startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(finishedAt ?? ''));
  });
});

describe('a directory that is swapped for a link', () => {
  /** Swaps the directory of the one job in the moment between its check and its start. */
  async function swapped(rig: JobRig, swap: (workdir: string) => void, script: string) {
    const { id, workdir } = await rig.submit({ program: '/bin/sh', args: ['-c', script], workdir: 'inside' });
    const environment = rig.lab.environment.bind(rig.lab);
    rig.lab.environment = (job) => {
      swap(workdir);
      return environment(job);
    };
    return { id, workdir };
  }

  test('after it was checked: the job runs in the one that was checked', async () => {
    const rig = await startRig({ maxRunningJobs: 1 });
    const blocker = gated(rig, 'a', 'other');
    await rig.submitReady(blocker.submission);
    const outside = path.join(rig.root, 'outside');
    mkdirSync(outside);
    const swap = (workdir: string): void => {
      renameSync(workdir, `${workdir}.aside`);
      symlinkSync(outside, workdir);
    };
    const { id, workdir } = await swapped(rig, swap, 'pwd -P; echo "$PWD"; echo x >here');
    blocker.open();
    expect(await rig.ended(id)).toMatchObject({ state: 'success', workdir });
    expect(rig.logText(id)).toBe(`${workdir}.aside\n${workdir}.aside\n`);
    expect(readdirSync(outside)).toEqual([]);
    expect(readdirSync(`${workdir}.aside`)).toEqual(['here']);
  });
});

describe('the process', () => {
  const odd = [
    '$(touch pwned)',
    '; exit 9',
    `a'b"c`,
    '*',
    'two\nlines',
    '',
    '-n',
    '--',
    'ünï',
    '`id`',
    '%d',
    '\\n',
  ];

  interface Told {
    readonly argv: string[];
    readonly environment: Record<string, string>;
    readonly stdin: string;
    readonly directory: string;
    readonly group: number;
    readonly session: number;
  }

  async function tell(
    rig: JobRig,
    args: string[] = [],
  ): Promise<{ id: string; workdir: string; told: Told }> {
    const { id, workdir } = await rig.submit({ program: 'echo-argv.mjs', args });
    expect(await rig.ended(id)).toMatchObject({ state: 'success' });
    return { id, workdir, told: JSON.parse(rig.logText(id).split('\n')[0] ?? '') as Told };
  }

  test('gets its arguments as they are', async () => {
    const { told, workdir } = await tell(await startRig(), odd);
    expect(told.argv).toEqual(odd);
    expect(readdirSync(workdir)).toEqual([]);
  });

  test('runs in its directory, without input, in a session and group of its own', async () => {
    const rig = await startRig();
    const { told, workdir, id } = await tell(rig);
    const shim = await rig.shimOf(id);
    expect(told).toMatchObject({
      directory: workdir,
      stdin: '/dev/null',
      session: shim.pid,
      group: shim.pid,
    });
  });

  test('sees the environment of the service without its secrets, and its own id', async () => {
    const secrets = { LAB_API_PASSWORD: 'hush', LAB_API_USER: 'u', LAB_JOB_ID: 'job-of-somebody-else' };
    // Names that a shell might use for itself.
    const serviceEnv = { ...secrets, KEEP: 'a b', directory: '/mine', status: 'mine', COLUMNS: '120' };
    const { told, id } = await tell(await startRig({ serviceEnv }));
    // What every POSIX shell adds.
    const { PWD: _pwd, OLDPWD: _old, SHLVL: _level, _: _last, ...environment } = told.environment;
    expect(environment).toMatchObject({
      KEEP: 'a b',
      directory: '/mine',
      status: 'mine',
      COLUMNS: '120',
      PYTHONUNBUFFERED: '1',
      LAB_JOB_ID: id,
    });
    expect(Object.keys(environment).filter((name) => name.startsWith('LAB_API_'))).toEqual([]);
    expect(Object.keys(environment).toSorted()).toEqual([
      'COLUMNS',
      'KEEP',
      'LAB_JOB_ID',
      'PATH',
      'PYTHONUNBUFFERED',
      'directory',
      'status',
    ]);
  });

  test('leaves files that only the owner may read', async () => {
    const rig = await startRig();
    const { id } = await rig.submit({ program: 'exits-with', args: ['0'] });
    await rig.ended(id);
    const { directory } = rig.store.paths(id);
    expect(readdirSync(directory).toSorted()).toEqual([
      'exit.json',
      'job.json',
      'log',
      'process.json',
      'shim.err',
    ]);
    for (const name of readdirSync(directory)) {
      expect([name, statSync(path.join(directory, name)).mode & 0o777]).toEqual([name, 0o600]);
    }
  });
});
