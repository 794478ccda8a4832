/** What a lab CLI says of its jobs, with programs that print what a test wants of netlab, containerlab and Docker. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { OutcomeRules } from '../../../../src/labs/results/outcome-rules.ts';
import { machineOfTwoLabs, type MachineOfLabs } from '../../../support/machine-of-labs.ts';
import { writeProgram } from '../../../support/programs.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let machine: MachineOfLabs;
let ofNetlab: OutcomeRules;
let ofContainerlab: OutcomeRules;
let workdir: string;

beforeEach(() => {
  const made = machineOfTwoLabs(root);
  ({ machine } = made);
  [ofNetlab, ofContainerlab] = made.labs.members.map(({ judge }) => judge) as [OutcomeRules, OutcomeRules];
  workdir = machine.place('labs/new');
});

test('the processes of a job get what its lab CLI needs in its directory, and others do not', () => {
  const job = { workdir };
  expect(ofContainerlab.environment(job)).toEqual({
    ...ofContainerlab.environment(),
    CLAB_LABDIR_BASE: workdir,
    CLAB_VERSION_CHECK: 'disable',
  });
  expect(ofContainerlab.environment()).not.toHaveProperty('CLAB_LABDIR_BASE');
  expect(ofNetlab.environment(job)).toEqual(ofNetlab.environment());
});

describe('what is left of a lab that was taken away', () => {
  const record = (action: 'up' | 'down', request: object = {}) => {
    const topology = path.join(workdir, 'demo.clab.yml');
    writeFileSync(topology, 'name: demo\nmgmt: { network: demo-net }\n');
    const command = ['containerlab', 'destroy', '--topo', topology];
    return { action, workdir, instance: 'demo', request: { ...request }, startedAt: null, command };
  };

  beforeEach(() => {
    // The network is there, and no container uses it.
    writeProgram(machine.at('bin/docker'), '[ "$1" = ps ] || echo demo-net');
  });

  test('is told, also when the lab CLI is gone by now', async () => {
    const told = [expect.stringContaining('the management network "demo-net" is still there')];
    expect(await ofContainerlab.leftBehind(record('down'), '')).toEqual(told);
    const [gone] = machine.labs({ cli: machine.at('gone/containerlab') }).labs.members;
    expect(gone?.findCli()).toBeUndefined();
    expect(await gone?.judge.leftBehind(record('down'), '')).toEqual(told);
  });

  test('is not looked for where none was taken away, nor where the lab CLI leaves nothing', async () => {
    expect(await ofContainerlab.leftBehind(record('down', { dryRun: true }), '')).toEqual([]);
    expect(await ofContainerlab.leftBehind(record('up'), '')).toEqual([]);
    expect(await ofNetlab.leftBehind(record('down'), '')).toEqual([]);
  });
});

test('what a lab CLI says beside its work is no news of a job', () => {
  expect('10:00:00 WARN Failed fetching latest version information').toMatch(ofContainerlab.nonProgress!);
  expect('10:00:00 INFO Creating container').not.toMatch(ofContainerlab.nonProgress!);
  expect(ofNetlab.nonProgress).toBeUndefined();
});

describe('the tests that CI systems read', () => {
  const command = ['netlab', 'validate'];
  const startedAt = '2026-01-02T03:04:05Z';
  const junitOf = (instance: string | null): string | undefined => {
    const record = { action: 'validate', workdir, instance, request: {}, startedAt, command } as const;
    const reader = ofNetlab.resultReader(record);
    for (const line of ['[ping]  Reach [ node(s): h1 ]', '[PASS]  Fine', '', '[SUCCESS] Tests passed: 1'])
      reader?.line(line);
    return reader?.end({ exitCode: 0 }).artifacts.get('junit.xml');
  };

  test('are called after the lab, or after its directory, with when they began', () => {
    expect(junitOf('one')).toMatch(
      /<testsuite name="validate one" tests="1" .* timestamp="2026-01-02T03:04:05Z">/,
    );
    expect(junitOf(null)).toContain(`<testsuite name="validate ${workdir}" `);
  });
});

describe('after an action was ended half-way', () => {
  const noon = new Date('2026-01-02T12:00:00Z');
  const [earlier, later] = ['2026-01-02T11:00:00Z', '2026-01-02T13:00:00Z'];

  test.each<['up' | 'down', string | null, string | undefined]>([
    ['up', earlier, 'half started'],
    ['up', later, undefined],
    ['up', null, 'half started'],
    // It takes away the lab that was there before it.
    ['down', later, 'half stopped'],
    ['down', null, 'half stopped'],
  ])('where a lab was locked at noon, %s of %s is told of: %s', (action, startedAt, hint) => {
    writeFileSync(path.join(workdir, 'netlab.lock'), '');
    utimesSync(path.join(workdir, 'netlab.lock'), noon, noon);
    const told = ofNetlab.cleanupHint({ action, workdir, startedAt }, '');
    expect(told).toEqual(hint === undefined ? undefined : expect.stringContaining(hint));
  });
});
