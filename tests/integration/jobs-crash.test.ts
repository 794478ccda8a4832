import { afterEach, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { jobPaths } from '../../src/jobs/store/job-files.ts';
import { eventually } from '../support/eventually.ts';
import { processesOf } from '../support/job-processes.ts';
import { jobRigs } from '../support/job-rig.ts';
import { fixtureProgram } from '../support/programs.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const base = temporaryDirectory();
const makeRig = jobRigs();
const services: ChildProcess[] = [];

afterEach(async () => {
  for (const service of services.splice(0)) await kill(service);
});

/** The service as a process of its own, with two running jobs and a queued one. */
async function startService(
  root: string,
  command: string[],
): Promise<{ service: ChildProcess; ids: string[] }> {
  for (const name of ['lab-0', 'lab-1']) mkdirSync(path.join(root, name));
  const service = spawn(process.execPath, [fixtureProgram('job-service.mjs'), root, ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  services.push(service);
  const [line] = (await once(service.stdout, 'data')) as [Buffer];
  return { service, ids: line.toString().trim().split(' ') };
}

async function kill(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null || service.signalCode !== null) return;
  const exit = once(service, 'exit');
  service.kill('SIGKILL');
  await exit;
}

function logOf(root: string, id: string): string {
  const { log } = jobPaths(path.join(root, 'jobs'), id);
  return existsSync(log) ? readFileSync(log, 'utf8') : '';
}

test('jobs outlive a SIGKILL of their service: adopted, whole logs, right exit codes, the queue goes on', async () => {
  const root = mkdtempSync(path.join(base, 'machine-'));
  const gate = path.join(root, 'gate');
  const { service, ids } = await startService(root, [fixtureProgram('waits-for-file'), gate, '4']);
  const running = ids.slice(0, 2);
  for (const id of running) await eventually('a job to be ready', () => logOf(root, id) === 'ready\n');
  await kill(service);
  for (const id of running) expect(processesOf(id)).not.toEqual([]);

  const rig = makeRig({ root });
  expect(await rig.start()).toEqual({ queued: 1, adopted: 2, finished: 0, interrupted: 0 });
  writeFileSync(gate, '');
  for (const id of ids) {
    expect(await rig.ended(id)).toMatchObject({
      state: 'failed',
      reason: 'exited',
      exitCode: 4,
      logSize: 11,
    });
    expect(logOf(root, id)).toBe('ready\ndone\n');
  }
});

test('jobs that end while there is no service: the shim has noted how', async () => {
  const root = mkdtempSync(path.join(base, 'machine-'));
  const gate = path.join(root, 'gate');
  const { service, ids } = await startService(root, [fixtureProgram('waits-for-file'), gate, '0']);
  for (const id of ids.slice(0, 2))
    await eventually('a job to be ready', () => logOf(root, id) === 'ready\n');
  await kill(service);
  writeFileSync(gate, '');
  for (const id of ids.slice(0, 2)) await eventually('its end', () => processesOf(id).length === 0);

  const rig = makeRig({ root });
  expect(await rig.start()).toEqual({ queued: 1, adopted: 0, finished: 2, interrupted: 0 });
  for (const id of ids)
    expect(await rig.ended(id)).toMatchObject({ state: 'success', exitCode: 0, logSize: 11 });
});

test('whenever the service is killed, each job runs exactly once', async () => {
  for (const delayTurns of [0, 1, 10, 100, 1_000, 10_000]) {
    const root = mkdtempSync(path.join(base, 'machine-'));
    const starts = path.join(root, 'starts');
    const script = `echo "$LAB_JOB_ID" >>"$0"; echo ready`;
    const { service, ids } = await startService(root, ['/bin/sh', '-c', script, starts]);
    // Not a wait: it moves the kill to another point of the start of the jobs.
    for (let turn = 0; turn < delayTurns; turn += 1) await setImmediate();
    await kill(service);
    const rig = makeRig({ root });
    await rig.start();
    const states = await Promise.all(ids.map(async (id) => (await rig.ended(id)).state));
    const started = existsSync(starts) ? readFileSync(starts, 'utf8').trim().split('\n') : [];
    expect(states).toEqual(ids.map(() => 'success'));
    expect(started.toSorted()).toEqual(ids.toSorted());
  }
});
