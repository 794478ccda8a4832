import { describe, expect, test } from '@jest/globals';
import { errorsOf, labOf, readingOf, textsOf } from '../../../support/topologies.ts';

/** The values of a file, or every error. */
function read(text: string): unknown {
  const { source, findings } = readingOf(text);
  return findings.hasErrors ? textsOf(findings.errors) : source.root;
}

describe('a file as values', () => {
  test.each<[string, unknown]>([
    ['a: [1, x, null, {b: }]', { a: [1, 'x', null, { b: null }] }],
    ['{a: , 7: x, on: y, ~: z, 0x1f: w}', { a: null, 7: 'x', on: 'y', '~': 'z', '0x1f': 'w' }],
    ['{a: 2001-01-01}', { a: expect.anything() }],
    ['a.b.c: 1', { a: { b: { c: 1 } } }],
    ['{a: {b: 1}, a.c: 2}', { a: { b: 1, c: 2 } }],
    ['{a.c: 2, a: {b: 1}}', { a: { c: 2, b: 1 } }],
    ['{.a: 1, a.: 2, .: 3}', { '.a': 1, 'a.': 2, '.': 3 }],
    ['{a: &x {b: 1}, c: *x, d: [*x]}', { a: { b: 1 }, c: { b: 1 }, d: [{ b: 1 }] }],
    ['{a: &x {b: 1, c: 2}, d: {<<: *x, c: 3}}', { a: { b: 1, c: 2 }, d: { c: 3, b: 1 } }],
    [
      '{a: &x {b: 1}, c: &y {b: 2, d: 3}, e: {<<: [*x, *y]}}',
      { a: { b: 1 }, c: { b: 2, d: 3 }, e: { b: 1, d: 3 } },
    ],
    ['{a: {? b, c}}', { a: { b: null, c: null } }],
  ])('%s', (text, values) => expect(read(text)).toEqual(values));

  test.each<[string, string[]]>([
    ['', ['1:1 the file is empty']],
    ['# nothing', ['1:1 the file is empty']],
    ['- a', ['1:1 a topology must be a map with nodes and links']],
    [
      'a: [\n a,\n b\nc: }\n',
      ['4:1 a ] is missing, or a line in the brackets is not indented enough, with spaces'],
    ],
    ['a: 1\n---\nb: 2', ['2:1 only one YAML document is allowed: "---" begins another']],
    ['a: !!python/name:os.system x', ['1:4 Unresolved tag: tag:yaml.org,2002:python/name:os.system']],
    ['a: *n', ['1:4 the alias *n has no anchor &n before it']],
    ['a: &n {b: *n}', ['1:11 the alias *n has no anchor &n before it']],
    ['? [b]\n: 1\n? {c: d}\n: 2', ['1:3 a key must be a word', '3:3 a key must be a word']],
    ['{a: {b: 1}, a: {c: 2}}', ['1:13 duplicate key "a"']],
    ['{a: {b: 1}, a.b: 2}', ['1:13 duplicate key "b"']],
    ['{a.b: 1, a.b: 2}', ['1:10 duplicate key "b"']],
    ['{a: 1, a.b: 2}', ['1:8 duplicate key "a"']],
    ['{a.b: 2, a: 1}', ['1:10 duplicate key "a"']],
    ['{a: {<<: , b: 1}}', ['1:10 only maps can be merged with <<']],
    ['{a: &x [7, 8], b: {<<: *x}}', ['1:24 only maps can be merged with <<']],
  ])('%j is wrong', (text, errors) => expect(read(text)).toEqual(errors));

  test('that is not YAML causes the error of the parser, cut if it is long', () => {
    const sentence = 'Unresolved tag: !';
    const long = (length: number) => 'b'.repeat(length - sentence.length);
    expect(read(`a: !${long(200)} x`)).toEqual([`1:4 ${sentence}${long(200)}`]);
    expect(read(`a: !${long(201)} x`)).toEqual([`1:4 ${sentence}${long(200)}…`]);
  });
});

describe('places', () => {
  /** The offsets of a key and its value. */
  function places(text: string, ...path: (string | number)[]): [unknown, unknown] {
    const { source } = readingOf(text);
    const last = path.pop()!;
    const container = path.reduce<unknown>(
      (value, part) => (value as Record<string, unknown>)[part],
      source.root,
    );
    return [source.keyAt(container as object, last), source.valueAt(container as object, last)];
  }

  test.each<[string, (string | number)[], [number, number]]>([
    ['{a: 1, b: 2}', ['b'], [7, 10]],
    ['{a: [x, {b: 1}]}', ['a', 1, 'b'], [9, 12]],
    ['{a.b.c: 1}', ['a', 'b', 'c'], [1, 8]],
    ['{a.b: 1, a: {c: 2}}', ['a'], [9, 12]],
    ['{a: {c: 2}, a.b: 1}', ['a', 'b'], [12, 17]],
    ['{a: &x {b: 1}, c: {<<: *x}}', ['c', 'b'], [8, 11]],
    ['{a: &x {b: 1}, c: *x}', ['c'], [15, 18]],
    ['{a: 1}', ['z'], [0, 0]],
  ])('%s: %j', (text, path, expected) => expect(places(text, ...path)).toEqual(expected));
});

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
      message: /^1:1 the file has 9\.\d MiB; the limit is 1 MiB$/,
    },
    { name: 'brackets', text: '['.repeat(400_000), message: /^1:102 more than 100 levels of nesting$/ },
    {
      name: 'braces',
      text: `a:\n  b: ${'{a: '.repeat(50_000)}`,
      message: /^2:\d+ more than 100 levels of nesting$/,
    },
    { name: 'dashes', text: '- '.repeat(50_000), message: /^1:203 more than 100 levels/ },
    { name: 'colons', text: 'a: '.repeat(50_000), message: /^1:304 more than 100 levels/ },
    {
      name: 'dots',
      text: `a: {${'a.'.repeat(50_000)}a: 1}`,
      message: /^1:5 a key with dots has at most 32 parts$/,
    },
    {
      name: 'indentation',
      text: Array.from({ length: 1000 }, (_, level) => `${' '.repeat(level)}a:`).join('\n'),
      message: /^102:102 more than 100 levels/,
    },
  ])('$name', ({ text, message }) => {
    expect(errorsOf(text)).toEqual([expect.stringMatching(message)]);
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
});
