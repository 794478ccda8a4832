/** netlab and containerlab in one service: which of them answers for a lab, and the error when one of them fails. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Labs } from '../../../src/labs/labs.ts';
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
  test('a list fails with its name and its output, and the lists of the others do not', async () => {
    machine.hook('containerlab', 'echo broken >&2; exit 1');
    for (const asked of [labs.list(true), labs.listWithNodes(fresh)]) {
      const { code, message, extra } = await failureOf(asked);
      expect([code, extra]).toEqual(['lab-cli-failed', { output: ['broken'] }]);
      expect(message).toMatch(/^containerlab: /);
    }
    expect((await labs.only('netlab').list(true)).map(({ id }) => id)).toEqual(['one']);
    // With one lab CLI alone, its own sentence.
    expect((await failureOf(labs.only('containerlab').list(true))).message).not.toMatch(/^containerlab: /);
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

  test('was seen once all have told', async () => {
    const [netlab, containerlab] = labs.members;
    await netlab?.status.list();
    expect(labs.lastSeen).toBeUndefined();
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
