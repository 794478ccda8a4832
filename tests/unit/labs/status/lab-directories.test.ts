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
