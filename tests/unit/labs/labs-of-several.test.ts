/** netlab and containerlab in one service: which of them answers for a lab, and the error when one of them fails. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { Labs } from '../../../src/labs/labs.ts';
import { eventually } from '../../support/eventually.ts';
import { failureOf } from '../../support/failure-of.ts';
import { machineOfTwoLabs, type MachineOfLabs } from '../../support/machine-of-labs.ts';
import { writeProgram } from '../../support/programs.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const fresh = { fresh: true };
let machine: MachineOfLabs;
/** With the lab `one` of netlab, and `two` of containerlab. */
let ofNetlab: string;
let ofContainerlab: string;
let labs: Labs;

beforeEach(() => {
  ({ machine, ofNetlab, ofContainerlab, labs } = machineOfTwoLabs(root));
});

describe('the lab CLI that has a lab', () => {
  const having = async (id: string, isFresh?: boolean) => (await labs.having(id, isFresh)).name;

  test('is the one that lists it; for an unknown id, the first', async () => {
    expect([await having('one'), await having('two'), await having('three')]).toEqual([
      'netlab',
      'containerlab',
      'netlab',
    ]);
    expect(machine.runsOf('containerlab')).toHaveLength(1);
    expect(await having('two', true)).toBe('containerlab');
    expect(machine.runsOf('containerlab')).toHaveLength(2);
  });

  test('is unknown when it may be one that fails, unless another one has the lab', async () => {
    machine.hook('netlab', 'echo broken >&2; exit 1');
    expect(await having('two')).toBe('containerlab');
    const { code, message, extra } = await failureOf(labs.having('one'));
    expect([code, extra]).toEqual(['lab-cli-failed', { output: ['broken'] }]);
    expect(message).toMatch(/^netlab: .*broken$/);
  });
});

describe('when one lab CLI fails', () => {
  beforeEach(() => machine.hook('containerlab', 'echo broken >&2; exit 1'));

  test('the labs of the other are listed, and the list names the one that failed', async () => {
    const { value, missingClis } = await labs.listWithNodes(fresh);
    expect([value.map(({ id }) => id), missingClis]).toEqual([['one'], ['containerlab']]);
    const told = await labs.told();
    expect([told.labs.map(({ id }) => id), told.missingClis]).toEqual([['one'], ['containerlab']]);
    expect(labs.lastSeen?.labs).toEqual(['started']);
  });

  test('its labs are shown as it told them last', async () => {
    machine.hook('containerlab', '');
    expect((await labs.listWithNodes(fresh)).missingClis).toEqual([]);
    machine.hook('containerlab', 'exit 1');
    machine.netlabHas({});
    const { value, missingClis } = await labs.listWithNodes(fresh);
    expect([value.map(({ id }) => id), missingClis]).toEqual([['two'], ['containerlab']]);
    // For leases, a lab that is not listed is gone.
    expect(await failureOf(labs.list(true))).toMatchObject({ code: 'lab-cli-failed' });
  });

  test('and no other answers, the list fails with its name and its output', async () => {
    machine.hook('netlab', 'echo broken >&2; exit 1');
    for (const ask of [async () => labs.listWithNodes(fresh), async () => labs.told()]) {
      const { code, message, extra } = await failureOf(ask());
      expect([code, extra]).toEqual(['lab-cli-failed', { output: ['broken'] }]);
      expect(message).toMatch(/^netlab: /);
    }
    // With one lab CLI alone, its own sentence.
    const alone = await failureOf(labs.only('containerlab').listWithNodes(fresh));
    expect(alone.message).not.toMatch(/^containerlab: /);
  });
});

describe('when one lab CLI hangs', () => {
  const hang = (name: 'netlab' | 'containerlab'): void =>
    machine.hook(name, `until [ -e '${machine.at('go')}' ]; do sleep 0.05; done`);
  const release = (): void => writeFileSync(machine.at('go'), '');
  let impatient: Labs;

  beforeEach(() => {
    impatient = new Labs(labs.members, 1);
  });
  afterEach(release);

  test('the labs of the other are listed, and the list names the one that hangs', async () => {
    hang('containerlab');
    const { value, missingClis } = await impatient.listWithNodes(fresh);
    expect([value.map(({ id }) => id), missingClis]).toEqual([['one'], ['containerlab']]);
    release();
    expect((await labs.listWithNodes(fresh)).missingClis).toEqual([]);
  });

  test.each([
    ['one', 'containerlab'],
    ['two', 'netlab'],
  ] as const)('the lab %s of the other is found while %s hangs', async (id, name) => {
    hang(name);
    expect((await impatient.having(id)).name).not.toBe(name);
    expect(await impatient.find(id, false)).toMatchObject({ id });
  });

  test('a lab that only it can have is waited for', async () => {
    hang('netlab');
    const asked = impatient.having('one');
    await eventually('containerlab was asked', () => machine.runsOf('containerlab').length === 1);
    release();
    expect((await asked).name).toBe('netlab');
  });

  test('a lab that it told of is not taken for one of the same id of the other', async () => {
    machine.containerlabHas({ one: ofContainerlab });
    expect((await labs.having('one')).name).toBe('netlab');
    hang('netlab');
    const asked = impatient.having('one', true);
    await eventually('netlab was asked', () => machine.runsOf('netlab').length === 2);
    release();
    expect((await asked).name).toBe('netlab');
  });

  test('the service starts, and knows where the labs of the other are', async () => {
    hang('containerlab');
    await impatient.open();
    expect(impatient.labIn(ofNetlab)).toBe('one');
    expect(() => impatient.labIn(ofContainerlab)).toThrow(
      expect.objectContaining({ code: 'workspace-busy' }),
    );
    release();
    await impatient.seeAll();
    expect(impatient.labIn(ofContainerlab)).toBe('two');
  });
});

test('Docker is asked once for the nodes of all labs of netlab, and not for those of containerlab', async () => {
  machine.netlabHas({ one: ofNetlab, three: machine.place('labs/three') });
  for (const id of ['one', 'three']) {
    const node = { provider: 'clab', provider_name: `clab-${id}-h1`, status: 'Up 4 seconds' };
    writeFileSync(machine.at(`home/.netlab/${id}.json`), JSON.stringify({ nodes: { h1: node } }));
  }
  const docker = `echo "$*" >>'${machine.at('docker.runs')}'; printf '/clab-one-h1\\trunning\\t1\\n'; echo 'No such container: clab-three-h1' >&2; exit 1`;
  writeProgram(machine.at('bin/docker'), docker);
  const { value } = await labs.listWithNodes(fresh);
  expect(value.map(({ id, state }) => `${id} ${state}`)).toEqual([
    'one started',
    'three missing',
    'two starting',
  ]);
  const runs = readFileSync(machine.at('docker.runs'), 'utf8').trim().split('\n');
  expect(runs).toEqual([expect.stringMatching(/^container inspect .* clab-one-h1 clab-three-h1$/)]);
});

describe('the status', () => {
  test('lists the labs of all, each as one of its own lab CLI', async () => {
    const told = (await labs.list()).map(({ id, cli, directory }) => [id, cli, directory]);
    expect(told).toEqual([
      ['one', 'netlab', ofNetlab],
      ['two', 'containerlab', ofContainerlab],
    ]);
    await labs.list();
    expect(machine.runsOf('netlab')).toHaveLength(1);
    await labs.list(true);
    expect([machine.runsOf('netlab').length, machine.runsOf('containerlab').length]).toEqual([2, 2]);
  });

  test('is known of the lab CLIs that have answered', async () => {
    const [netlab, containerlab] = labs.members;
    expect(labs.lastSeen).toBeUndefined();
    await netlab?.status.list();
    expect(labs.lastSeen).toMatchObject({ labs: ['started'] });
    await containerlab?.status.list();
    const seen = [netlab, containerlab].map((one) => one?.status.lastSeen?.atMs ?? 0);
    expect(labs.lastSeen).toEqual({
      atMs: Math.min(...seen),
      labs: ['started', 'starting'],
      nodes: [],
    });
    await labs.members[0]?.status.instance('one', 'json', fresh);
    expect(labs.lastSeen?.nodes).toEqual(['up']);
  });
});
