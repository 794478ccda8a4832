import { describe, expect, test } from '@jest/globals';
import { optionSchemas } from '../../../../src/labs/model/options.ts';

const accepts = (name: keyof typeof optionSchemas, given: unknown): boolean =>
  optionSchemas[name].safeParse(given).success;

const entries = (count: number): Readonly<Record<string, number>> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index]));

describe('what is accepted', () => {
  test.each([
    { name: 'device', given: 'frr', expected: true },
    { name: 'device', given: '', expected: false },
    { name: 'device', given: '-x', expected: false },
    { name: 'device', given: 'a\0', expected: false },
    { name: 'device', given: 'x'.repeat(4096), expected: true },
    { name: 'device', given: 'x'.repeat(4097), expected: false },
    { name: 'plugin', given: ['one', 'two'], expected: true },
    { name: 'plugin', given: ['-x'], expected: false },
    { name: 'plugin', given: Array.from({ length: 101 }, () => 'x'), expected: false },
    { name: 'set', given: { a: 'x', b: 1, c: true }, expected: true },
    { name: 'set', given: { a: '-1' }, expected: true },
    { name: 'set', given: { '-a': 'x' }, expected: false },
    { name: 'set', given: { 'a=b': 'x' }, expected: false },
    { name: 'set', given: { a: ['x'] }, expected: false },
    { name: 'set', given: JSON.parse('{"__proto__":1}'), expected: false },
    { name: 'set', given: '__proto__', expected: false },
    { name: 'set', given: entries(200), expected: true },
    { name: 'set', given: entries(201), expected: false },
    { name: 'multilabId', given: 200, expected: true },
    { name: 'multilabId', given: 'auto', expected: true },
    { name: 'multilabId', given: 0, expected: false },
    { name: 'multilabId', given: 201, expected: false },
    { name: 'instance', given: 'x', expected: true },
    { name: 'instance', given: 7, expected: true },
    { name: 'instance', given: 'a/b', expected: false },
    { name: 'instance', given: '--all', expected: false },
    { name: 'noConfig', given: 'true', expected: false },
    { name: 'command', given: ['ping', '-c1', ''], expected: true },
    { name: 'command', given: 'ping h2', expected: false },
    { name: 'command', given: [], expected: false },
    { name: 'command', given: [''], expected: false },
    { name: 'command', given: ['-c1'], expected: false },
    { name: 'command', given: ['echo', 'a\0'], expected: false },
    { name: 'collectTar', given: 'host:file.tar', expected: false },
    { name: 'collectSuffix', given: '/../../x', expected: false },
    { name: 'nodeFilter', given: 'r1', expected: true },
    { name: 'nodeFilter', given: [], expected: false },
  ] as const)('$name: $given $expected', ({ name, given, expected }) => {
    expect(accepts(name, given)).toBe(expected);
  });

  test('a number as an instance becomes text, and one plugin a list', () => {
    expect(optionSchemas.instance.parse(7)).toBe('7');
    expect(optionSchemas.plugin.parse('one')).toEqual(['one']);
  });

  test('no key disappears: one that zod would leave out is named', () => {
    const { error } = optionSchemas.set.safeParse(JSON.parse('{"__proto__":1}'));
    expect(error?.issues[0]?.message).toContain('"__proto__"');
  });
});
