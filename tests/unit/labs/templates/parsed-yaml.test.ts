import { expect, test } from '@jest/globals';
import { parsedYaml } from '../../../../src/labs/templates/parsed-yaml.ts';

const nested = (levels: number): string => `a: ${'['.repeat(levels)}${']'.repeat(levels)}`;

test('a text that nests too deep is not parsed, whoever would parse it', async () => {
  for (const text of [nested(101), `x: &y 1\n${nested(101)}`])
    await expect(parsedYaml(text)).rejects.toThrow('it has more than 100 levels of nesting');
  expect(JSON.stringify(await parsedYaml(nested(100)))).toBe(`{"a":${nested(100).slice(3)}}`);
});

test.each([
  ['a: 1', { a: 1 }],
  ['a: &x 1\nb: *x', { a: 1, b: 1 }],
  ['a: 1\na: 2', { a: 2 }],
  ['', null],
])('%j', async (text, value) => {
  expect(await parsedYaml(text)).toEqual(value);
});

test('a mistake is told as the parser tells it', async () => {
  await expect(parsedYaml('a: [1')).rejects.toThrow('Flow sequence');
});
