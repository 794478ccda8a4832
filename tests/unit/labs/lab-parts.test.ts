/** netlab and containerlab as one: who is asked about which lab, and what is said when one of them fails. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AllLabs } from '../../../src/labs/all-labs.ts';
import { ofEach, ownerAmong } from '../../../src/labs/lab-parts.ts';
import { AppError } from '../../../src/lib/app-error.ts';
import { failureOf } from '../../support/failure-of.ts';
import { machineOfTwoLabs, type MachineOfLabs } from '../../support/machine-of-labs.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const fresh = { fresh: true };
let machine: MachineOfLabs;
/** With the lab `one` of netlab, and `two` of containerlab. */
let ofNetlab: string;
let ofContainerlab: string;
let labs: AllLabs;

beforeEach(() => {
  ({ machine, ofNetlab, ofContainerlab, labs } = machineOfTwoLabs(root));
});

describe('the lab CLI that has a lab', () => {
  const ownerOf = async (id: string, isFresh?: boolean) => (await ownerAmong(labs.members)(id, isFresh)).name;

  test('is the one that tells of it; of one that nobody knows, the first', async () => {
    expect([await ownerOf('one'), await ownerOf('two'), await ownerOf('three')]).toEqual([
      'netlab',
      'containerlab',
      'netlab',
    ]);
    expect(machine.runsOf('containerlab')).toHaveLength(1);
    expect(await ownerOf('two', true)).toBe('containerlab');
    expect(machine.runsOf('containerlab')).toHaveLength(2);
  });

  test('is the only one, without a look', async () => {
    const alone = machine.labs();
    expect(await ownerAmong(alone.members)('two')).toBe(alone.members[0]);
    expect(machine.runsOf('netlab')).toEqual([]);
    expect(() => ownerAmong([])).toThrow('there is no lab CLI');
  });

  test('cannot be told when it may be one that fails, unless another one has the lab', async () => {
    machine.hook('netlab', 'echo broken >&2; exit 1');
    expect(await ownerOf('two')).toBe('containerlab');
    const { code, message, extra } = await failureOf(ownerAmong(labs.members)('one'));
    expect([code, extra]).toEqual(['lab-cli-failed', { output: ['broken'] }]);
    expect(message).toMatch(/^netlab: .*broken$/);
  });
});

describe('what each answers', () => {
  test('is told together; of one alone, as it is', async () => {
    expect(await ofEach(labs.members, async ({ name }) => Promise.resolve(name))).toEqual([
      'netlab',
      'containerlab',
    ]);
    const failure = new Error('as it is');
    await expect(ofEach(labs.members.slice(0, 1), async () => Promise.reject(failure))).rejects.toBe(failure);
  });

  test('names the one that fails, and keeps what else is known', async () => {
    const options = { retryAfterSeconds: 7, errors: [{ field: 'x', message: 'y' }], extra: { a: 1 } };
    const refusal = new AppError('workspace-busy', 'wait', options);
    const failing = (error: unknown) =>
      ofEach(labs.members, async ({ name }) => {
        if (name === 'containerlab') throw error;
        return Promise.resolve(name);
      });
    expect(await failureOf(failing(refusal))).toMatchObject({
      message: 'containerlab: wait',
      code: 'workspace-busy',
      ...options,
    });
    expect((await failureOf(failing(new AppError('conflict', 'no')))).retryAfterSeconds).toBeUndefined();
    const other = new Error('broken');
    await expect(failing(other)).rejects.toBe(other);
    await expect(failing('a word')).rejects.toThrow('a word');
  });
});

describe('the status', () => {
  test('of all is that of the first, and of one lab that of its own lab CLI', async () => {
    expect(JSON.parse((await labs.status.all('json', fresh)).body.toString())).toHaveProperty('one');
    const document = async (id: string) =>
      JSON.parse((await labs.status.instance(id, 'json', { fresh: false })).body.toString()) as object;
    expect(await document('one')).toHaveProperty('nodes');
    expect(await document('two')).toHaveProperty('two');
    expect(labs.status.documentOf(new Map())).toHaveProperty('warning');
  });

  test('lists the labs of all, each as one of its own lab CLI', async () => {
    const told = (await labs.status.list()).map(({ id, cli, directory }) => [id, cli, directory]);
    expect(told).toEqual([
      ['one', 'netlab', ofNetlab],
      ['two', 'containerlab', ofContainerlab],
    ]);
    await labs.status.list();
    expect(machine.runsOf('netlab')).toHaveLength(1);
    await labs.status.list(true);
    expect([machine.runsOf('netlab').length, machine.runsOf('containerlab').length]).toEqual([2, 2]);
  });

  test('was seen once all have told', async () => {
    const [netlab, containerlab] = labs.members;
    await netlab?.status.list();
    expect(labs.status.lastSeen).toBeUndefined();
    await containerlab?.status.list();
    const seen = [netlab, containerlab].map((one) => one?.status.lastSeen?.atMs ?? 0);
    expect(labs.status.lastSeen).toEqual({
      atMs: Math.min(...seen),
      labs: ['started', 'starting'],
      nodes: [],
    });
    await labs.status.instance('one', 'json', fresh);
    expect(labs.status.lastSeen?.nodes).toEqual(['up']);
  });

  test('is out of date when that of any is', () => {
    const { version } = labs.status;
    labs.members[1]?.noteChange();
    expect(labs.status.version).not.toBe(version);
  });

  test('tells starts by the lab CLI that told of the lab', async () => {
    const [one, two] = await labs.status.list();
    expect(
      labs.status.startOf({ cli: 'netlab', entry: { log: ['2026-01-02T03:04:05Z: starting lab'] } }),
    ).toEqual({
      mark: '2026-01-02T03:04:05Z: starting lab',
      atMs: Date.parse('2026-01-02T03:04:05Z'),
    });
    expect(labs.status.startOf({ cli: 'nope', entry: one?.entry ?? {} })).toBeUndefined();
    expect(two && labs.status.startOf(two)).toEqual(two && labs.members[1]?.status.startOf(two));
  });
});

test('the list has the labs of all, and each is asked of its own lab CLI', async () => {
  const { value, ageMs } = await labs.list.all(fresh);
  expect(value.map(({ id, cli }) => `${cli}: ${id}`)).toEqual(['netlab: one', 'containerlab: two']);
  expect(ageMs).toBeGreaterThanOrEqual(0);
  expect((await labs.list.one('two', fresh)).value).toMatchObject({
    cli: 'containerlab',
    nodes: [{ name: 'r1' }],
  });
  expect((await labs.list.one('one', fresh)).value).toMatchObject({ cli: 'netlab', nodes: [{ name: 'h1' }] });
});

test('topologies, pictures and tests are those of its own lab CLI', async () => {
  writeFileSync(path.join(ofNetlab, 'netlab.snapshot.pickle'), '{"nodes": {"h1": {"id": 1}}, "links": []}');
  expect((await labs.topologies.of('one')).topology.nodes).toMatchObject([{ name: 'h1' }]);
  expect(await labs.topologies.directoryOf('two')).toBe(ofContainerlab);
  // It was not deployed by containerlab here: what it would read is not there.
  for (const asked of [labs.topologies.of('two'), labs.pictures.svg('two', { withState: false })])
    expect((await failureOf(asked)).message).toContain('clab-two');
  expect((await failureOf(labs.tests.of('two'))).message).toContain('containerlab');
  expect((await failureOf(labs.tests.of('one'))).code).toBe('lab-cli-failed');
});

test('a node is looked for in the lab of its own lab CLI', async () => {
  const name = { lab: 'two', node: 'nope' };
  const { signal } = new AbortController();
  const command = { command: ['id'], timeoutMs: 1_000, stdin: '' };
  const capture = { ifname: 'eth1', filter: '', packets: 1, timeMs: 1_000, snaplen: 64 };
  const rates = { lossPercent: 0, duplicatePercent: 0, corruptPercent: 0, rateKbps: 0 };
  const asked = [
    labs.nodes.exec(name, command, signal),
    labs.nodes.capture(name, capture, signal),
    labs.nodes.log(name, { follow: false, tail: 1 }, signal),
    labs.nodes.impairment(name, 'eth1', signal),
    labs.nodes.impair(name, 'eth1', { delayMs: 10, jitterMs: 0, ...rates }, signal),
    labs.nodes.mend(name, 'eth1', signal),
    labs.nodes.terminal(name, { columns: 80, rows: 24 }),
    labs.nodes.checkTerminal(name),
  ];
  for (const one of asked) {
    const { code, message } = await failureOf(one);
    expect([code, message]).toEqual(['node-not-found', expect.stringContaining('r1')]);
  }
});

test('a layout is put beside the topology by the lab CLI that has the lab there', async () => {
  await labs.seeAll();
  const layout = { nodes: { r1: { x: 1, y: 2 } }, links: {} };
  const file = path.join(ofContainerlab, 'two.clab.yml.annotations.json');
  writeFileSync(path.join(ofContainerlab, 'two.clab.yml'), 'name: two\n');
  writeFileSync(file, '{"nodeAnnotations":[{"id":"r1","position":{"x":5,"y":5}}]}');
  expect(await labs.layouts.get(ofContainerlab)).toEqual({ nodes: { r1: { x: 5, y: 5 } }, links: {} });
  const put = labs.layouts.put(
    ofContainerlab,
    layout,
    () => undefined,
    (place) => place !== file,
  );
  await put;
  expect(await labs.layouts.get(ofContainerlab)).toEqual(layout);
  expect(await machine.labs().layouts.get(ofContainerlab)).toEqual(layout);
  expect(readdirSync(machine.at('data/layouts'))).toHaveLength(1);
});
