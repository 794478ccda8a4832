import { expect, test } from '@jest/globals';
import * as z from 'zod';
import { listOf, mappingOf, understood } from '../../../../src/labs/system/first-mistake.ts';

const schema = z.object({
  list: listOf(z.object({ name: z.string(), parts: listOf(z.int()) })),
  map: mappingOf(z.object({ index: z.coerce.number() })).optional(),
});

test('what is as the schema says is taken', () => {
  const list = [{ name: 'a', parts: [1, 2], other: true }];
  expect(understood(schema, { list })).toEqual({ list: [{ name: 'a', parts: [1, 2] }] });
  const { map } = understood(schema, { list: [], map: { b: { index: '2' }, constructor: { index: 1 } } });
  expect([...(map ?? [])]).toEqual([
    ['b', { index: 2 }],
    ['constructor', { index: 1 }],
  ]);
});

test.each([
  [{ list: Array.from({ length: 100_000 }, () => 0) }, /list\[0\]$/],
  [
    {
      list: [
        { name: 'a', parts: [] },
        { name: 'b', parts: [1, 'x', 'y'] },
      ],
    },
    /list\[1\]\.parts\[1\]$/,
  ],
  [{ list: [], map: { a: { index: 1 }, b: 0, c: 0 } }, /map\.b$/],
  [{ list: {} }, /expected array\n.*list$/],
  [{ list: [], map: [] }, /expected record\n.*map$/],
])('%j: one mistake is named, with its place', (value, words) => {
  expect(() => understood(schema, value)).toThrow(words);
});
