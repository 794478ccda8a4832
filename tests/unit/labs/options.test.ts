import { describe, expect, test } from '@jest/globals';
import { cliOptions } from '../../../src/labs/options.ts';

const accepts = (name: keyof typeof cliOptions, given: unknown): boolean =>
  cliOptions[name].schema.safeParse(given).success;

describe('what is accepted', () => {
  test.each([
    ['device', 'frr', true],
    ['device', '', false],
    ['device', '-x', false],
    ['device', 'a\0', false],
    ['device', 'x'.repeat(4097), false],
    ['device', 1, false],
    ['plugin', 'one', true],
    ['plugin', ['one', 'two'], true],
    ['plugin', ['-x'], false],
    ['plugin', Array.from({ length: 101 }, () => 'x'), false],
    ['set', { a: 'x', b: 1, c: true }, true],
    ['set', { a: '-1' }, true],
    ['set', { '-a': 'x' }, false],
    ['set', { 'a=b': 'x' }, false],
    ['set', { a: ['x'] }, false],
    ['set', { a: 'x\0' }, false],
    ['multilabId', 200, true],
    ['multilabId', 0, false],
    ['multilabId', 201, false],
    ['multilabId', 1.5, false],
    ['instance', 'x', true],
    ['instance', 7, true],
    ['instance', 'a/b', false],
    ['instance', '--all', false],
    ['instance', -1, false],
    ['noConfig', 'true', false],
    ['quiet', true, true],
  ] as const)('%s: %j %s', (name, given, expected) => {
    expect(accepts(name, given)).toBe(expected);
  });

  test('a number as an instance becomes text', () => {
    expect(cliOptions.instance.schema.parse(7)).toBe('7');
  });
});
