/** netlab and containerlab in one service: which of them a job is for, and what each of them keeps from the other. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Labs } from '../../../src/labs/labs.ts';
import type { JobLabs } from '../../../src/labs/job-labs.ts';
import type { CommandRecord } from '../../../src/labs/model/command-record.ts';
import { failureOf } from '../../support/failure-of.ts';
import { machineOfTwoLabs, type MachineOfLabs } from '../../support/machine-of-labs.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
let machine: MachineOfLabs;
/** With the lab `one` of netlab, and `two` of containerlab. */
let ofNetlab: string;
let ofContainerlab: string;
let labs: Labs;
let forJobs: JobLabs;

beforeEach(() => {
  ({ machine, ofNetlab, ofContainerlab, labs, forJobs } = machineOfTwoLabs(root));
});

const job = (changes: Partial<CommandRecord> = {}): CommandRecord => ({
  action: 'up',
  workdir: machine.place('labs/new'),
  instance: null,
  startedAt: null,
  request: {},
  cli: 'netlab',
  ...changes,
});

test('each of them is there for itself, too, by its name', async () => {
  expect(labs.clis().map(([name, cli]) => [name, cli?.file])).toEqual([
    ['netlab', machine.at('bin/netlab')],
    ['containerlab', machine.at('bin/containerlab')],
  ]);
  const containerlab = labs.only('containerlab');
  expect(containerlab.members).toEqual([labs.members[1]]);
  expect((await containerlab.listWithNodes({ fresh: false })).value.map(({ id }) => id)).toEqual(['two']);
  expect(() => labs.only('engine')).toThrow('use one of "netlab", "containerlab"');
  const { labs: alone } = machine.labs();
  expect(alone.only('netlab')).toBe(alone);
  expect([labs.members[0]?.isAlone, alone.members[0]?.isAlone]).toEqual([false, true]);
});

test('a topology is listed for the one whose files are called so, else the one that can run it, else the first', async () => {
  const place = machine.place('topologies');
  const files = {
    'c.clab.yml': 'name: c\ntopology: { nodes: { h1: {} } }\n',
    'b.yml': 'nodes: [a]\n',
    'a.yml': 'name: a\ntopology: { nodes: { h1: {} } }\n',
    'd.yml': '- nothing\n',
    // Called so, and broken: nobody else's.
    'e.clab.yml': 'nodes: [a]\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(place, name), text);
  const told = async (from: Labs) =>
    (await from.templates(place, false)).map(({ name, cli, valid }) => [name, cli, valid]);
  expect(await told(labs)).toEqual([
    ['a.yml', 'netlab', false],
    ['b.yml', 'netlab', true],
    ['c.clab.yml', 'containerlab', true],
    ['d.yml', 'netlab', false],
    ['e.clab.yml', 'containerlab', false],
  ]);
  const { labs: turned } = machine.labs({ cli: 'containerlab', moreClis: ['netlab'] });
  expect((await told(turned)).map(([name]) => name)).toEqual(Object.keys(files).toSorted());
  expect((await told(labs.only('netlab'))).map(([, cli]) => cli)).not.toContain('containerlab');
});

describe('a plan', () => {
  test('is that of the lab CLI that has the lab', async () => {
    expect(await forJobs.plan({ action: 'down', workdir: ofNetlab, options: {} })).toMatchObject({
      cli: 'netlab',
      instance: 'one',
      workdir: ofNetlab,
    });
    writeFileSync(path.join(ofContainerlab, 'two.clab.yml'), 'name: two\n');
    const planned = await forJobs.plan({ action: 'down', workdir: ofContainerlab, options: {} });
    expect(planned).toMatchObject({ cli: 'containerlab', instance: 'two' });
    expect(planned.command('').slice(0, 2)).toEqual([machine.at('bin/containerlab'), 'destroy']);
  });

  test('asks containerlab once, for the choice of a lab CLI and for the check of its labs', async () => {
    const workdir = machine.place('labs/new');
    writeFileSync(path.join(workdir, 'new.clab.yml'), 'name: new\n');
    const request = { action: 'up', workdir, topologyPath: 'new.clab.yml', options: {} } as const;
    expect(await forJobs.plan(request)).toMatchObject({ cli: 'containerlab', instance: 'new' });
    expect(machine.runsOf('containerlab')).toEqual(['inspect --details --format json --all']);
    expect(machine.runsOf('netlab')).toEqual([]);
  });

  test('of down finds the lab of an "up" that left nothing which a status lists', async () => {
    const workdir = machine.place('labs/killed');
    const topology = machine.at('saved.yml');
    writeFileSync(topology, 'name: three\n');
    const command = ['containerlab', 'deploy', '--topo', topology];
    const start = { cli: null, workdir, instance: 'three', command, mayBeUnlisted: true };
    const findStart = async () => start;
    const scope = { allows: () => true, mayNameUnknown: false };
    for (const where of [{ workdir, options: {} }, { options: { instance: 'three' } }]) {
      const planned = await forJobs.plan({ action: 'down', ...where }, scope, findStart);
      expect(planned).toMatchObject({ cli: 'containerlab', instance: 'three', workdir });
      expect(planned.command('').slice(1)).toEqual(['destroy', '--topo', topology, '--name', 'three']);
    }
    const named = { action: 'down', options: { instance: 'three' } } as const;
    const unknown = { code: 'instance-not-found' };
    const elsewhere = { ...scope, allows: (place: string) => place !== workdir };
    expect(await failureOf(forJobs.plan(named, elsewhere, findStart))).toMatchObject(unknown);
    const isGone = async () => ({ ...start, mayBeUnlisted: false });
    expect(await failureOf(forJobs.plan(named, scope, isGone))).toMatchObject(unknown);
    const collect = { ...named, action: 'collect' } as const;
    expect(await failureOf(forJobs.plan(collect, scope, findStart))).toMatchObject(unknown);
  });

  test('tells nothing of a lab that whoever asks may not use', async () => {
    const scope = { allows: (place: string) => place !== ofContainerlab, mayNameUnknown: false };
    const down = { action: 'down', options: { instance: 'two' } } as const;
    expect(await failureOf(forJobs.plan(down, scope))).toMatchObject({ code: 'instance-not-found' });
    // No option of netlab: whether it is refused says whose the job would be.
    const graceful = { action: 'down', options: { instance: 'two', graceful: true } } as const;
    expect((await failureOf(forJobs.plan(graceful, scope))).code).toBe('invalid-request');
    expect(await forJobs.plan(graceful, { ...scope, allows: () => true })).toMatchObject({
      cli: 'containerlab',
    });
    expect((await failureOf(forJobs.plan({ ...down, cli: 'netlab' }))).code).toBe('conflict');
    expect((await failureOf(forJobs.plan({ ...down, cli: 'netlab' }, scope))).code).toBe(
      'instance-not-found',
    );
  });
});

describe('right before it starts, a job', () => {
  test('of up is kept from a directory that has a lab of another one by now', async () => {
    const up = job({ workdir: ofContainerlab });
    expect(await forJobs.whyNotBeside(up, [])).toBe(
      `the lab "two" of containerlab is in ${ofContainerlab} now: a directory has one lab at a time`,
    );
    expect(await forJobs.whyNotBeside(job({ workdir: ofNetlab }), [])).toBeUndefined();
    expect(await forJobs.whyNotBeside({ ...up, action: 'create' }, [])).toBeUndefined();
    expect(await machine.labs().forJobs.whyNotBeside(up, [])).toBeUndefined();
  });

  test('waits for those of its own lab CLI alone', async () => {
    const down = job({ action: 'down', instance: 'two', workdir: ofContainerlab, cli: 'containerlab' });
    const running = { ...down, id: 'job-1', workdir: '/elsewhere' };
    expect(await forJobs.whyNotBeside(down, [running])).toContain('another job is at work on a lab "two"');
    expect(await forJobs.whyNotBeside(down, [{ ...running, cli: 'netlab' }])).toBeUndefined();
  });

  test('does not start when its lab CLI is none of the service any more', async () => {
    const why =
      '"engine" is none of the lab CLIs of this server any more ("netlab", "containerlab"): add it to LAB_API_CLIS, and restart the service';
    expect(await forJobs.whyNotBeside(job({ cli: 'engine' }), [])).toBe(why);
    expect(() => forJobs.assertThere('engine')).toThrow(
      expect.objectContaining({ code: 'lab-cli-missing', message: why }),
    );
    // What nobody knows was no lab CLI at any time.
    expect(await forJobs.whyNotBeside(job({ cli: 'strange' }), [])).toBeUndefined();
    for (const name of [null, 'netlab', 'containerlab'])
      expect(() => forJobs.assertThere(name)).not.toThrow();
  });
});

test('the lab in a directory is that of any of them, once all have been asked', async () => {
  expect(() => labs.labIn(machine.at('labs'))).not.toThrow();
  expect(() => labs.labIn(ofContainerlab)).toThrow(expect.objectContaining({ code: 'workspace-busy' }));
  await labs.seeAll();
  expect([ofNetlab, ofContainerlab, machine.place('labs/new')].map((place) => labs.labIn(place))).toEqual([
    'one',
    'two',
    undefined,
  ]);
  expect(labs.onRecord().labs).toMatchObject([{ id: 'one' }, { id: 'two', directory: ofContainerlab }]);
  labs.noteChange();
  expect(() => labs.labIn(ofContainerlab)).toThrow(expect.objectContaining({ code: 'workspace-busy' }));
});

describe('what is said of a job is said by the lab CLI that it was accepted for', () => {
  const [ofFirst, ofSecond, ofNone] = [{}, { cli: 'containerlab' }, { cli: 'strange' }];
  const ending = { exitCode: 3, signal: null };
  const sentence = (of: object) =>
    forJobs.errorSentence({ action: 'up', workdir: '/labs', ...of }, ending, '');

  test('by the one whose program was started, where the record does not name it', () => {
    const command = ['/opt/bin/containerlab', 'deploy'];
    expect(sentence({ cli: null, command })).toBe(sentence(ofSecond));
    expect(sentence({ command: ['/opt/bin/wrapper', 'up'] })).toBe(sentence(ofFirst));
    expect(sentence({ ...ofFirst, cli: 'netlab', command })).toBe(sentence(ofFirst));
  });

  test('also by one that the service had before; by the first, where nobody wrote it down', () => {
    const [first, second] = ['netlab', 'containerlab'].map((name) => `${name} up failed with exit code 3`);
    const told = [ofFirst, ofSecond, ofNone, { cli: null }].map((of) => sentence(of));
    expect(told).toEqual([first, second, first, first]);
    expect(sentence({ cli: 'engine' })).not.toBe(first);
  });

  test('how it ended, what it printed, what it made, and what is left', async () => {
    expect([ofFirst, ofSecond].map((of) => forJobs.isSuccess({ action: 'validate', ...of }, 3))).toEqual([
      true,
      false,
    ]);
    const request = { collectTar: 'x' };
    expect(forJobs.madeBy({ action: 'collect', request, ...ofFirst })).toContainEqual({
      kind: 'file',
      path: 'x',
    });
    const started = { ...job(), ...ofSecond, action: 'exec', command: ['exec'], startedAt: null } as const;
    expect(forJobs.resultReader(started)?.end({ exitCode: 0 }).result).toBeNull();
    expect(forJobs.resultReader({ ...started, action: 'up' })).toBeUndefined();
    const failed = { node: 'h1', output: '', truncated: false, exitCode: 3 };
    const result = { kind: 'outputs', complete: true, nodes: [failed] } as const;
    expect(forJobs.doubt(ofFirst, { ...result, nodes: [failed] })).toBeUndefined();
    expect(forJobs.doubt(ofSecond, { ...result, nodes: [failed] })).toContain('h1');
    expect(forJobs.cleanupHint({ ...job(), ...ofFirst }, '')).toContain('"down" with "cleanup"');
    const collect = job({ action: 'collect' });
    expect(await forJobs.verify(collect, 'skipping: no hosts matched\n')).toContain('found no lab');
    expect(await forJobs.verify({ ...collect, ...ofSecond }, 'skipping: no hosts matched\n')).toBeUndefined();
  });
});
