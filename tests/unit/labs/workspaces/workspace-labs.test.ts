/** Workspaces with a lab CLI that keeps no record of its labs: which there are is what it told last. */
import { beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createLabs } from '../../../../src/labs/create-labs.ts';
import type { JobLabs } from '../../../../src/labs/job-labs.ts';
import type { Labs } from '../../../../src/labs/labs.ts';
import { WorkspacePlaces } from '../../../../src/labs/workspaces/workspace-places.ts';
import { Workspaces } from '../../../../src/labs/workspaces/workspaces.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { writeProgram } from '../../../support/programs.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = realpathSync(temporaryDirectory());
let machine: string;
let labs: Labs;
let forJobs: JobLabs;
let workspaces: Workspaces;

/** What containerlab tells from now on: a lab in each of these directories, called as that is. */
function startLabs(...directories: string[]): void {
  const entries = directories.map((directory) => {
    const name = path.basename(directory);
    const Labels = {
      'clab-node-name': 'n1',
      'clab-node-lab-dir': path.join(directory, `clab-${name}`, 'n1'),
    };
    return [name, [{ Names: [`clab-${name}-n1`], State: 'running', Labels }]];
  });
  writeFileSync(path.join(machine, 'labs.json'), JSON.stringify(Object.fromEntries(entries)));
}

beforeEach(async () => {
  machine = mkdtempSync(path.join(root, 'machine-'));
  startLabs();
  writeProgram(path.join(machine, 'bin/containerlab'), `cat '${machine}/labs.json'`);
  const places = new WorkspacePlaces(path.join(machine, 'workspaces'));
  ({ labs, forJobs } = createLabs({
    cli: 'containerlab',
    env: { PATH: `${machine}/bin:/usr/bin:/bin`, HOME: machine },
    roots: [],
    topologyHosts: [],
    dataDir: '/nowhere',
    statusMaxAgeMs: 60_000,
    statusTimeoutMs: 30_000,
    maxNodeSessions: 8,
    maxTerminals: 8,
    shutdown: new AbortController().signal,
    workspaces: places,
    makeWorkspace: async () => undefined,
  }));
  const big = 1024 ** 3;
  workspaces = new Workspaces({
    places,
    limits: { maxFileBytes: big, maxBytes: big, maxFiles: 100, maxTotalBytes: big, minFreeBytes: 0 },
    use: {
      seeLabs: async () => labs.seeAll(),
      labIn: (directory) => labs.labIn(directory),
      jobIn: () => undefined,
      whileClosed: async (action) => action(),
    },
    log: new MemoryLogger(),
  });
  mkdirSync(places.directory);
  await workspaces.store.prepare();
  await workspaces.make('course', null);
});

test('whoever asks at once, before anybody has looked at the labs, is told that it cannot be told', async () => {
  const directory = workspaces.directoryOf('course');
  const unknown = expect.objectContaining({ code: 'workspace-busy' });
  expect(() => labs.labIn(directory)).toThrow(unknown);
  await labs.seeAll();
  expect(labs.labIn(directory)).toBeUndefined();
  labs.noteChange();
  expect(() => labs.labIn(directory)).toThrow(unknown);
});

test('a workspace is listed with its lab right after something has changed, though nobody asked for the status', async () => {
  expect(await workspaces.list()).toMatchObject([{ name: 'course', lab: null }]);
  startLabs(workspaces.directoryOf('course'));
  labs.noteChange();
  expect(await workspaces.list()).toMatchObject([{ name: 'course', lab: 'course' }]);
});

test('a workspace is removed when its lab is gone, and not before', async () => {
  startLabs(workspaces.directoryOf('course'));
  labs.noteChange();
  await expect(workspaces.remove('course')).rejects.toThrow('the lab "course" lives in "course"');
  startLabs();
  labs.noteChange();
  await workspaces.remove('course');
  expect(await workspaces.list()).toEqual([]);
});

test('a lab may be asked for in a workspace that is yet to be made', async () => {
  const request = { action: 'up', workspace: 'fresh', topology: 'name: fresh\n', options: {} } as const;
  expect(await forJobs.plan(request)).toMatchObject({ workspace: 'fresh', instance: 'fresh' });
});
