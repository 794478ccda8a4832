import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { LabCli } from '../../../../src/labs/drivers/lab-driver.ts';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import { Reports } from '../../../../src/labs/results/reports.ts';
import { writeProgram } from '../../../support/programs.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = realpathSync(temporaryDirectory());
let machine: string;
let cli: LabCli;

beforeEach(() => {
  machine = mkdtempSync(path.join(root, 'machine-'));
  const file = writeProgram(path.join(machine, 'tools/netlab'), 'pwd; echo "$COLUMNS" "$AS" "$@"');
  writeProgram(path.join(machine, 'tools/helper'), 'echo "helper $LAB_API_PASSWORD$AS $*"');
  cli = { name: 'netlab', file, binDirs: [path.join(machine, 'tools')], driver: netlab };
});

function reports({ words = [], shutdown }: { words?: readonly string[]; shutdown?: AbortSignal } = {}) {
  const user = { name: 'lab', uid: 7, gid: 7, home: '/', commandPrefix: words, programs: [] };
  return new Reports({
    env: { PATH: '/usr/bin:/bin', LAB_API_PASSWORD: 'x' },
    statusTimeoutMs: 30_000,
    shutdown: shutdown ?? new AbortController().signal,
    ...(words.length > 0 && { runAs: user }),
  });
}

const asLab = ['/usr/bin/env', 'AS=lab'];

describe('a run of the lab CLI', () => {
  test('is one in the directory of the service, with tables that are wide enough to read', async () => {
    const { exitCode, stdout } = await reports().report(cli, ['status', '--all']);
    expect([exitCode, stdout.toString()]).toEqual([0, `${process.cwd()}\n200  status --all\n`]);
  });

  test('for a table that is not to be broken into lines is one in its directory, as wide as it takes', async () => {
    const { stdout } = await reports().list(cli, machine, ['validate', '--list']);
    expect(stdout.toString()).toBe(`${machine}\n20000  validate --list\n`);
  });

  test('for a check is that of the status, while that runs and no job has changed a lab', async () => {
    const all = reports();
    const told = all.status(cli, ['inspect', '--all'], 1);
    const ask = async (args: readonly string[], epoch: number, sinceMs?: number) =>
      all.check(cli, machine, args, [epoch, sinceMs]);
    const [same, other, changed] = await Promise.all([
      ask(['inspect', '--all'], 1),
      ask(['inspect'], 1),
      ask(['inspect', '--all'], 2),
    ]);
    expect(same).toBe(await told);
    // Where it has ended, only what has asked before it began takes it.
    expect(await ask(['inspect', '--all'], 1, 0)).toBe(same);
    const late = await ask(['inspect', '--all'], 1, performance.now());
    const own = [other, changed, late, await ask(['inspect', '--all'], 1)];
    for (const { stdout } of own) expect(stdout.toString()).toContain(`${machine}\n20000  inspect`);
  });

  test('is one of the user that jobs run as', async () => {
    const { stdout } = await reports({ words: asLab }).list(cli, machine, ['x']);
    expect(stdout.toString()).toBe(`${machine}\n20000 lab x\n`);
  });
});

describe('another program', () => {
  test('is looked for beside the lab CLI, too, and learns nothing that is the business of the service', async () => {
    const { stdout } = await reports().look(cli, 'helper', ['a', 'b']);
    expect(stdout.toString()).toBe('helper  a b\n');
  });

  test('is run as the user that jobs run as', async () => {
    const { stdout } = await reports({ words: asLab }).look(cli, 'helper', ['a']);
    expect(stdout.toString()).toBe('helper lab a\n');
  });

  test('is run without a lab CLI, when it is on the PATH of the service', async () => {
    expect((await reports().look(undefined, 'echo', ['a'])).stdout.toString()).toBe('a\n');
    expect((await reports().look(undefined, 'helper', [])).spawnError).toContain('ENOENT');
  });
});

test('nothing goes on once the service ends', async () => {
  writeProgram(cli.file, 'exec sleep 1000');
  const ended = reports({ shutdown: AbortSignal.abort() });
  expect((await ended.report(cli, [])).ended).toBe('aborted');
  expect((await ended.look(undefined, 'sleep', ['1000'])).ended).toBe('aborted');
});
