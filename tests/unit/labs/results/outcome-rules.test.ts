/** What a lab CLI says of its jobs, with programs that print what a test wants of netlab, containerlab and Docker. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ClaimedSuccess, LabDriver } from '../../../../src/labs/drivers/lab-driver.ts';
import { OutcomeRules } from '../../../../src/labs/results/outcome-rules.ts';
import { machineOfTwoLabs, type MachineOfLabs } from '../../../support/machine-of-labs.ts';
import { printed } from '../../../support/run-result.ts';
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
    const told = ofNetlab.cleanupHint({ action, workdir, startedAt, request: {} }, '');
    expect(told).toEqual(hint === undefined ? undefined : expect.stringContaining(hint));
  });
});

describe('after exit code 0', () => {
  /** Rules of a driver whose checks all fail, and the claims that they got. */
  function doubter() {
    const claims: [string, ClaimedSuccess][] = [];
    const doubt = (check: string) => async (claim: ClaimedSuccess) => {
      claims.push([check, claim]);
      return Promise.resolve(`not ${check}`);
    };
    const resultChecks: LabDriver['resultChecks'] = {
      'lab-is-gone': doubt('gone'),
      'lab-was-found': doubt('found'),
      'nodes-have-started': doubt('started'),
      'nodes-have-stopped': doubt('stopped'),
    };
    const rules = new OutcomeRules({
      findCli: () => undefined,
      requireCli: () => {
        throw new Error('not asked');
      },
      driver: () => ({ resultChecks }) as unknown as LabDriver,
      env: {},
      runs: { look: async (_cli, program) => Promise.resolve(printed(program)) },
      directoriesNow: () => Promise.reject(new Error('no status')),
    });
    return { claims, rules };
  }

  const record = { workdir: '/labs/one', instance: 'one', request: {} };
  const whole = { dryRun: false, ofSomeNodes: false, nodes: [] };

  test.each([
    ['down', {}, 'gone', whole],
    ['down', { dryRun: true }, 'gone', { ...whole, dryRun: true }],
    ['down', { nodeFilter: ['r1'] }, 'gone', { ...whole, ofSomeNodes: true }],
    ['collect', {}, 'found', whole],
    ['start-nodes', { nodes: ['r1', 'r2'] }, 'started', { ...whole, nodes: ['r1', 'r2'] }],
    ['restart-nodes', { nodes: ['r1'] }, 'started', { ...whole, nodes: ['r1'] }],
    ['stop-nodes', { nodes: ['r1'] }, 'stopped', { ...whole, nodes: ['r1'] }],
  ] as const)('%s with %j is checked: %s', async (action, request, check, expected) => {
    const { claims, rules } = doubter();
    expect(await rules.verify({ ...record, action, request }, 'the end')).toBe(`not ${check}`);
    const [[name, claim] = []] = claims;
    expect(name).toBe(check);
    const { workdir: directory, instance } = record;
    expect(claim).toMatchObject({ workdir: directory, instance, logEnd: 'the end', ...expected });
    // A status that fails leaves the directories unknown.
    expect(await claim?.instanceDirs()).toBeUndefined();
    expect(String((await claim?.look('docker', []))?.stdout)).toBe('docker');
  });

  test.each(['up', 'create', 'status', 'validate', 'exec'] as const)('%s needs no check', async (action) => {
    const { claims, rules } = doubter();
    expect(await rules.verify({ ...record, action }, '')).toBeUndefined();
    expect(claims).toEqual([]);
  });
});
