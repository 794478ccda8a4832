/** What clients ask about a lab, a topology, or the lab CLI itself, through the labs of one lab CLI. */
import { beforeEach, expect, test } from '@jest/globals';
import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { netlab } from '../../../src/labs/drivers/netlab/netlab.ts';
import type { CliLabs } from '../../../src/labs/cli-labs.ts';
import { eventually } from '../../support/eventually.ts';
import { failureOf } from '../../support/failure-of.ts';
import { MachineOfLabs } from '../../support/machine-of-labs.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
let machine: MachineOfLabs;
let workdir: string;

beforeEach(() => {
  machine = new MachineOfLabs(root);
  workdir = machine.place('labs/one');
  machine.netlabHas({ other: machine.place('labs/other'), one: workdir });
});

const labsOf = (changes: Parameters<MachineOfLabs['labs']>[0] = {}): CliLabs =>
  machine.labs(changes).labs.members[0]!;
const table = '│ Test │ Description │ Nodes │ Devices │ Wait │\n│ ping │ │ h1 │ │ 3 │\n';

test('its topology and its tests are read in its directory', async () => {
  writeFileSync(path.join(workdir, 'netlab.snapshot.pickle'), '{"nodes": {"h1": {"id": 1}}, "links": []}');
  writeFileSync(path.join(workdir, 'tests.txt'), table);
  const labs = labsOf();
  expect((await labs.topologies.of('one')).topology).toMatchObject({ nodes: [{ name: 'h1' }], links: [] });
  expect(await labs.tests.of('one')).toMatchObject([{ name: 'ping', nodes: ['h1'], waitSeconds: 3 }]);
  expect((await failureOf(labs.topologies.of('three'))).code).toBe('instance-not-found');
  expect((await failureOf(labs.topologies.of('other'))).code).toBe('topology-not-found');
});

test('it is described without a wait', async () => {
  const labs = labsOf();
  expect(labs.describe()).toMatchObject({ name: 'netlab', version: null, driver: netlab, isThere: true });
  expect(await eventually('its version', () => labs.describe().version ?? undefined)).toBe('26.10');
  renameSync(machine.at('bin/netlab'), machine.at('netlab'));
  expect(labs.describe()).toMatchObject({ name: 'netlab', version: null, driver: netlab, isThere: false });
  expect(await labs.version()).toBeUndefined();
});

test('what it is called to run as another user stands before it', async () => {
  const words = ['/usr/bin/env', 'MARK=as-lab'];
  const runAs = { name: 'lab', uid: 1, gid: 1, home: machine.at('home'), commandPrefix: words, programs: [] };
  machine.hook('netlab', `[ "$MARK $USER" = 'as-lab lab' ] || exit 1`);
  const labs = labsOf({ runAs });
  expect(await labs.version()).toBe('26.10');
  expect((await labs.status.list()).map(({ id }) => id)).toEqual(['other', 'one']);
  expect(labs.runAs).toBe(runAs);
  expect(labs.sharedDirectory()).toBe(machine.at('data/ids'));
});

test('a topology that needs a program is looked at with the PATH that the lab CLI has', async () => {
  const topology = 'provider: clab\nnodes: { h1: { device: linux }, h2: { device: linux } }\n';
  for (const name of ['a.yml', 'b.yml']) writeFileSync(path.join(workdir, name), topology);
  const runnable = async (labs: CliLabs) => (await labs.templates(workdir, false)).map((one) => one.runnable);
  // Beside it: the directory is on its PATH, and not on that of the service.
  const labs = labsOf({ cli: machine.at('bin/netlab'), env: { ...machine.env, PATH: '/nowhere' } });
  expect(await runnable(labs)).toEqual([true, true]);
  renameSync(machine.at('bin/containerlab'), machine.at('containerlab'));
  expect(await runnable(labs)).toEqual([false, false]);
});

test('a lab that whoever asks may not use is not there for him, also where a link leads to it', async () => {
  const link = machine.at('labs/link');
  symlinkSync(workdir, link);
  machine.netlabHas({ one: link, gone: machine.at('labs/gone') });
  const plan = async (instance: string, allows: (place: string) => boolean, mayNameUnknown = false) =>
    labsOf().plan({ action: 'down', options: { instance } }, { allows, mayNameUnknown });
  expect(await plan('one', (place) => place === workdir)).toMatchObject({ workdir });
  expect((await failureOf(plan('one', (place) => place === link))).code).toBe('instance-not-found');
  expect((await failureOf(plan('gone', (place) => place === machine.at('labs/gone')))).code).toBe(
    'workdir-not-found',
  );
  expect((await failureOf(plan('gone', () => false))).code).toBe('instance-not-found');
});

test('that a job may have changed something, is looked at when somebody asks, unless nothing else tells', async () => {
  const labs = labsOf();
  await labs.status.list();
  labs.noteChange();
  await labs.status.list();
  labs.noteChange();
  expect(machine.runsOf('netlab')).toHaveLength(2);
  await labs.places.seeAll();
  expect(machine.runsOf('netlab')).toHaveLength(2);
});
