/** Services that are processes of their own, of the built program, and want the same data directory. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { DataDirBusy, ownDataDir } from '../../../../src/jobs/store/data-dir-owner.ts';
import { findProcess } from '../../../../src/lib/processes/processes.ts';
import { eventually } from '../../../support/eventually.ts';
import { fixtureProgram } from '../../../support/programs.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const owners: ChildProcess[] = [];
const pids: number[] = [];

function newDirectory(): string {
  return mkdtempSync(path.join(root, 'data-'));
}

/** Another service, as a process of its own, and its first words. */
async function startService(
  directory: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ child: ChildProcess; words: string }> {
  const child = spawn(process.execPath, [fixtureProgram('owns-data-dir.mjs'), directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  owners.push(child);
  const [words] = (await once(child.stdout, 'data')) as [Buffer];
  const ready = /^ready (\d+)/.exec(words.toString());
  if (ready) pids.push(Number(ready[1]));
  return { child, words: words.toString().trim() };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

afterEach(async () => {
  for (const child of owners.splice(0)) await kill(child);
  for (const pid of pids.splice(0)) {
    process.kill(pid, 'SIGKILL');
    await eventually('the job to be gone', () => findProcess(pid) === undefined);
  }
});

test('the second service is refused and told who has it; the first keeps it', async () => {
  const directory = newDirectory();
  const { child } = await startService(directory);
  await expect(ownDataDir(directory)).rejects.toThrow(
    `the data directory ${directory} is in use by the service with process id ${child.pid}; stop it`,
  );
  const second = await startService(directory);
  expect(second.words).toMatch(/^DataDirBusy: /);
  expect(second.words).toContain(`process id ${child.pid};`);
  await expect(ownDataDir(directory)).rejects.toBeInstanceOf(DataDirBusy);
});

test('of two that start at once, exactly one gets it', async () => {
  const directory = newDirectory();
  const services = await Promise.all([1, 2, 3, 4].map(async () => startService(directory)));
  const words = services.map((service) => service.words.split(/[ :]/)[0] ?? '').toSorted();
  expect(words).toEqual(['DataDirBusy', 'DataDirBusy', 'DataDirBusy', 'ready']);
});

test('a killed service gives it up at once, though its jobs live on', async () => {
  const directory = newDirectory();
  const { child } = await startService(directory);
  await kill(child);
  expect(findProcess(pids[0] ?? 0)).toBeDefined();
  const release = await ownDataDir(directory);
  const { words } = await startService(directory);
  expect(words).toContain(`process id ${process.pid};`);
  await release();
  expect((await startService(directory)).words).toMatch(/^ready /);
});

describe('without flock', () => {
  const programs = mkdtempSync(path.join(root, 'programs-'));
  const sleep = ['/bin/sleep', '/usr/bin/sleep'].find((file) => existsSync(file))!;
  symlinkSync(realpathSync(sleep), path.join(programs, 'sleep'));
  const env = { PATH: programs };

  test('the process that is noted decides, for as long as it lives', async () => {
    const directory = newDirectory();
    const { child, words } = await startService(directory, env);
    expect(words).toMatch(/^ready /);
    expect((await startService(directory, env)).words).toContain(`process id ${child.pid};`);
    await kill(child);
    expect((await startService(directory, env)).words).toMatch(/^ready /);
  });
});
