/** What `LabStatus` tells without asking the lab CLI, and when it asks for that behind the scenes. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import { LabStatus } from '../../../../src/labs/status/lab-status.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { repoRoot } from '../../../support/repo-files.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const recorded = (name: string): string =>
  readFileSync(path.join(repoRoot, 'tests/fixtures/netlab', name), 'utf8');

let world: { nowMs: number; epoch: number; all: string; runs: number; told: string[] };
let status: LabStatus;

beforeEach(() => {
  world = { nowMs: 0, epoch: 0, all: recorded('status-all.json'), runs: 0, told: [] };
  status = new LabStatus({
    driver: () => netlab,
    runCli: async (args) => {
      world.runs += 1;
      const output = args.includes('--all') ? world.all : recorded('status-dead-node.json');
      const exitCode = output === 'broken' ? 1 : 0;
      const [stdout, stderr] = [Buffer.from(output), Buffer.alloc(0)];
      return { stdout, stderr, exitCode, signal: null, spawnError: null, ended: null };
    },
    maxAgeMs: 1_000,
    stateFile: () => undefined,
    epoch: () => world.epoch,
    now: () => world.nowMs,
    observer: {
      runEnded: (durationMs) => void world.told.push(durationMs >= 0 ? 'a run' : 'nonsense'),
      failed: (code) => void world.told.push(code),
    },
  });
});

const ask = async (fresh = false): Promise<unknown> => status.all('json', { fresh });

test('nothing at first, and then what the last good answers said', async () => {
  expect(status.lastSeen).toBeUndefined();
  world.nowMs = 5;
  await ask();
  expect(status.lastSeen).toEqual({ atMs: 5, labs: ['started'], nodes: [] });
  await status.instance('default', 'json', { fresh: false });
  expect(status.lastSeen?.nodes).toEqual(['up', 'up', 'up', 'down', 'up']);
  world.all = 'broken';
  await failureOf(ask(true));
  expect(status.lastSeen).toMatchObject({ atMs: 5, labs: ['started'] });
});

describe('is renewed', () => {
  test('once, however often that is asked for, when it is too old or a lab has changed', async () => {
    for (let count = 0; count < 100; count += 1) status.refresh(60_000);
    await ask();
    expect(world.runs).toBe(1);
    world.nowMs = 60_000;
    status.refresh(60_000);
    expect(world.runs).toBe(1);
    world.epoch += 1;
    status.refresh(60_000);
    await ask();
    expect(world.runs).toBe(2);
    world.nowMs = 120_001;
    status.refresh(60_000);
    await ask();
    expect(world.runs).toBe(3);
  });

  test('not again and again by a lab CLI that fails', async () => {
    world.all = 'broken';
    status.refresh(60_000);
    await failureOf(ask());
    world.nowMs = 59_000;
    for (let count = 0; count < 100; count += 1) status.refresh(60_000);
    expect(world.runs).toBe(1);
  });
});

test('who counts is told of each run, and of each failure', async () => {
  await ask();
  expect(world.told).toEqual(['a run']);
  world.all = 'broken';
  await failureOf(ask(true));
  expect(world.told).toEqual(['a run', 'a run', 'lab-cli-failed']);
});

test('the lab in a directory is found by the real path of its own', async () => {
  const [real, link] = ['real', 'link'].map((name) => path.join(root, name)) as [string, string];
  mkdirSync(real);
  symlinkSync(real, link);
  world.all = JSON.stringify({ homeless: {}, linked: { dir: link } });
  expect(await status.instanceIn(real)).toBe('linked');
  for (const other of [link, root]) expect(await status.instanceIn(other)).toBeUndefined();
});
