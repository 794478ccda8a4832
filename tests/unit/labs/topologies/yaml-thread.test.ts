import { expect, test } from '@jest/globals';
import { YamlThread } from '../../../../src/labs/topologies/yaml-thread.ts';

test('each text gets its own answer, whatever goes with it', async () => {
  const end = new AbortController();
  const thread = new YamlThread(end.signal);
  const texts = ['a: 1', 'b: [', 'c: { d: *none }', `long: ${'x'.repeat(2_000_000)}`, 'e: 2'];
  const found = await Promise.allSettled(texts.map(async (text) => thread.parse(text)));
  expect(found.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  expect(found[0]).toMatchObject({ value: { a: 1 } });
  expect(found[4]).toMatchObject({ value: { e: 2 } });
  end.abort();
  await expect(thread.parse('f: 3')).rejects.toMatchObject({ loss: 'shutdown' });
});
