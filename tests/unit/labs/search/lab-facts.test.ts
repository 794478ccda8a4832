import { expect, test } from '@jest/globals';
import { deferred } from '../../../../src/lib/async/deferred.ts';
import type { LabTopology } from '../../../../src/labs/drivers/topology.ts';
import { LabFacts } from '../../../../src/labs/search/lab-facts.ts';
import { eventually } from '../../../support/eventually.ts';
import { bareNode } from '../../../support/bare-node.ts';

const directory = '/labs/demo';
const withNodes = (count: number): LabTopology => ({
  nodes: Array.from({ length: count }, (_, id) => bareNode(`n${id}`)),
  links: [],
});

test('a snapshot is read once for all who ask, and again when it is another one', async () => {
  let stamp = '1';
  const reads: string[] = [];
  const facts = new LabFacts(() => ({
    place: async () => Promise.resolve({ directory, stamp }),
    of: async (id) => {
      reads.push(id);
      return Promise.resolve({ directory, stamp, topology: withNodes(1) });
    },
  }));
  await Promise.all(Array.from({ length: 50 }, async () => facts.of('demo')));
  await facts.of('demo');
  expect(reads).toEqual(['demo']);
  stamp = '2';
  await facts.of('demo');
  expect(reads).toHaveLength(2);
});

test('two labs are read at a time, whatever the number of searches, and all of them get a failure', async () => {
  const gate = deferred<void>();
  let running = 0;
  let most = 0;
  const facts = new LabFacts(() => ({
    place: async () => Promise.resolve({ directory, stamp: '1' }),
    of: async (id) => {
      running += 1;
      most = Math.max(most, running);
      await gate.promise;
      running -= 1;
      if (id === '7') throw new Error('it cannot be read');
      return { directory, stamp: '1', topology: withNodes(1) };
    },
  }));
  const asked = Array.from({ length: 40 }, (_, n) =>
    facts.of(String(n % 20)).catch((error: unknown) => error),
  );
  await eventually('two are under way', async () => Promise.resolve(running === 2 ? true : undefined));
  gate.resolve();
  const answers = await Promise.all(asked);
  expect(most).toBe(2);
  expect(answers.filter((answer) => answer instanceof Error)).toHaveLength(2);
  await expect(facts.of('7')).rejects.toThrow('it cannot be read');
});

test('of more than fits, those that were searched last are kept', async () => {
  const reads: string[] = [];
  const facts = new LabFacts(() => ({
    place: async () => Promise.resolve({ directory, stamp: '1' }),
    of: async (id) => {
      reads.push(id);
      return Promise.resolve({ directory, stamp: '1', topology: withNodes(90_000) });
    },
  }));
  for (const id of ['a', 'b', 'a', 'c', 'a']) await facts.of(id);
  expect(reads).toEqual(['a', 'b', 'c']);
  await facts.of('b');
  expect(reads).toEqual(['a', 'b', 'c', 'b']);
});
