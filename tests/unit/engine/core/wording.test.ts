import { expect, test } from '@jest/globals';
import type { EngineContext } from '../../../../src/engine/core/engine-context.ts';
import { EngineError, Interrupted } from '../../../../src/engine/core/engine-error.ts';
import type { Lab } from '../../../../src/engine/core/lab.ts';
import { counted, sayUnlessQuiet, sizeInWords } from '../../../../src/engine/core/wording.ts';

test.each([
  [0, '0 nodes'],
  [1, '1 node'],
  [2, '2 nodes'],
])('%i of them', (count, words) => expect(counted(count, 'node')).toBe(words));

test('some nouns have a plural of their own', () => {
  expect(counted(2, 'address', 'addresses')).toBe('2 addresses');
  expect(counted(1, 'address', 'addresses')).toBe('1 address');
});

test('the size of a lab', () => {
  expect(sizeInWords({ nodes: [{}, {}], links: [{}] } as unknown as Lab)).toBe('2 nodes, 1 link');
});

test('progress is printed unless it is not wanted', () => {
  const printed: string[] = [];
  const context = { out: (text: string) => printed.push(text) } as unknown as EngineContext;
  sayUnlessQuiet(context, { quiet: false })('loud');
  sayUnlessQuiet(context, { quiet: true })('not a word');
  expect(printed).toEqual(['loud']);
});

test('errors of the engine have their own names', () => {
  const error = new EngineError('no');
  expect(error).toMatchObject({ name: 'EngineError', message: 'no', details: [] });
  expect(new EngineError('no', ['because']).details).toEqual(['because']);
  const interrupted = new Interrupted('SIGINT', 130);
  expect(interrupted).toMatchObject({ name: 'Interrupted', exitCode: 130 });
  expect(interrupted.message).toContain('SIGINT');
});
