import { describe, expect, test } from '@jest/globals';
import { errorsOf, labOf } from '../../../support/topologies.ts';

describe('files that are meant badly, or by mistake', () => {
  test('aliases of aliases of aliases', () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const inner = level === 0 ? 'x' : `*l${level - 1}`;
      return `l${level}: &l${level} [${Array<string>(10).fill(inner).join(', ')}]`;
    });
    const errors = errorsOf(levels.join('\n'));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/the aliases of this file expand to too many values$/);
  });

  test.each([
    {
      name: '10 MB',
      text: `nodes:\n${'  node: {role: router}\n'.repeat(450_000)}`,
      message: /^1:1 the file has 9\.\d MiB; a topology may have 1 MiB$/,
    },
    { name: 'brackets', text: '['.repeat(400_000), message: /^1:101 more than 100 levels of nesting$/ },
    {
      name: 'braces',
      text: `a:\n  b: ${'{a: '.repeat(50_000)}`,
      message: /^2:\d+ more than 100 levels of nesting$/,
    },
    { name: 'dashes', text: '- '.repeat(50_000), message: /^1:201 more than 100 levels/ },
    { name: 'colons', text: 'a: '.repeat(50_000), message: /^1:302 more than 100 levels/ },
    {
      name: 'indentation',
      text: Array.from({ length: 1000 }, (_, level) => `${' '.repeat(level)}a:`).join('\n'),
      message: /^102:101 more than 100 levels/,
    },
  ])('$name', ({ text, message }) => {
    expect(errorsOf(text)).toEqual([expect.stringMatching(message)]);
  });

  test('another kind of file: at most 100 errors and a count', () => {
    const text = Array.from({ length: 500 }, (_, index) => `word${index}: 1`).join('\n');
    const errors = errorsOf(text);
    expect(errors).toHaveLength(101);
    expect(errors.at(-1)).toMatch(/… and 401 more errors$/);
  });

  test('bytes of all kinds do no more than give errors', () => {
    const text = Array.from({ length: 20_000 }, (_, index) => String.fromCharCode((index * 7919) % 256)).join(
      '',
    );
    expect(errorsOf(text).length).toBeGreaterThan(0);
  });

  test('names that JavaScript has for itself are names', () => {
    const lab = labOf(
      '{nodes: {__proto__: {role: router}, constructor: , toString: }, links: [__proto__-constructor]}',
    );
    expect(lab.nodes.map(({ name }) => name)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(errorsOf('nodes: {a: {__proto__: 1, constructor: 2}}')).toHaveLength(1);
  });

  test('1,000 nodes with an error each are read to the end', () => {
    const nodes = Array.from({ length: 1000 }, (_, index) => `  n${index}: {rolle: x}`).join('\n');
    expect(errorsOf(`nodes:\n${nodes}\n`).at(-1)).toMatch(/and 900 more errors/);
  });
});
