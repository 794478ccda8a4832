/** Which lab lives in which directory, as the list of all labs tells it. */
import { beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import { LabStatus } from '../../../../src/labs/status/lab-status.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const [real, link, gone] = ['real', 'link', 'gone'].map((name) => path.join(root, name)) as [
  string,
  string,
  string,
];
mkdirSync(real);
symlinkSync(real, link);

let labs: Record<string, Record<string, unknown>>;
let runs: number;
let status: LabStatus;

beforeEach(() => {
  labs = { homeless: {}, linked: { dir: link }, away: { dir: gone } };
  runs = 0;
  status = new LabStatus({
    driver: () => netlab,
    runCli: async () => {
      runs += 1;
      const stdout = Buffer.from(JSON.stringify(labs));
      return { exitCode: 0, signal: null, ended: null, spawnError: null, stdout, stderr: Buffer.alloc(0) };
    },
    maxAgeMs: 60_000,
    stateFile: () => undefined,
    epoch: () => 0,
  });
});

test('a lab is found by the real path of its directory', async () => {
  expect(await status.instanceIn(real)).toBe('linked');
  expect(await status.instanceIn(link)).toBeUndefined();
  expect(await status.instanceIn(root)).toBeUndefined();
});

test('a directory that is gone goes by the name that it had', async () =>
  expect(await status.instanceIn(gone)).toBe('away'));

test('a lab tells its directory as the lab CLI does, or none', async () => {
  expect(await status.directoryOf('linked')).toBe(link);
  expect(await status.directoryOf('homeless')).toBeUndefined();
  expect(await status.directoryOf('nobody')).toBeUndefined();
});

test('the directories are asked for anew when that is wanted, and only then', async () => {
  expect(await status.directories(false)).toEqual([link, gone]);
  delete labs['away'];
  expect(await status.directories(false)).toEqual([link, gone]);
  expect(await status.instanceIn(gone)).toBe('away');
  expect(await status.directoryOf('away')).toBe(gone);
  expect(runs).toBe(1);
  expect(await status.directories(true)).toEqual([link]);
  expect(runs).toBe(2);
});
