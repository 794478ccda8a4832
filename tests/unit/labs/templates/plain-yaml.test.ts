import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { wholeYaml } from '../../../../src/labs/templates/parsed-yaml.ts';
import { plainYaml } from '../../../../src/labs/templates/plain-yaml.ts';
import { writtenYaml } from '../../../support/written-yaml.ts';

/** The order of keys is part of it. */
async function expectSame(text: string): Promise<void> {
  const plain = plainYaml(text);
  const whole = await wholeYaml(text).catch((error: unknown) => error);
  expect({ text, value: plain }).toEqual({ text, value: whole });
  expect(JSON.stringify(plain)).toBe(JSON.stringify(whole));
}

describe('what is read, as the parser reads it', () => {
  test.each([
    ['a: 1', { a: 1 }],
    ['---\na: 1\n', { a: 1 }],
    ['# c\n\na: b # c\n  # c\nb: c#d\n', { a: 'b', b: 'c#d' }],
    ['a:\nb: # c\nc: null\nd: Null', { a: null, b: null, c: null, d: null }],
    ['a: true\nb: FALSE\nc: yes\nd: tRue', { a: true, b: false, c: 'yes', d: 'tRue' }],
    [
      'a: 0\nb: 65000\nc: 10.0.0.1\nd: 10.0.0.0/8\ne: 12:30',
      { a: 0, b: 65000, c: '10.0.0.1', d: '10.0.0.0/8', e: '12:30' },
    ],
    ['a:   two  words  \nb: 2001:db8::1\nc: ../x', { a: 'two  words', b: '2001:db8::1', c: '../x' }],
    [`a: "x # y: ['" # c\nb: 'say "no"'\nc: ""`, { a: `x # y: ['`, b: 'say "no"', c: '' }],
    [
      'a: []\nb: {}\nc: [ r1, 2, [ true ], { d: "e f", g: [] } ] # c',
      { a: [], b: {}, c: ['r1', 2, [true], { d: 'e f', g: [] }] },
    ],
    ['a:\n  b:\n    c: 1\n  d: 2\ne: 3', { a: { b: { c: 1 }, d: 2 }, e: 3 }],
    ['a:\n- b\n-  c\nd:\n  - e', { a: ['b', 'c'], d: ['e'] }],
    ['a:\n- b: 1\n  c:\n  - d\n-   e:\n      f: 2', { a: [{ b: 1, c: ['d'] }, { e: { f: 2 } }] }],
    ['a: |\n  # one\n\n    two \n  three: 3\n\n\nb: 1', { a: '# one\n\n  two \nthree: 3\n', b: 1 }],
    ['a:\n- b: |\n   x\n  c: 1', { a: [{ b: 'x\n', c: 1 }] }],
    ['a: |\n  x', { a: 'x\n' }],
    ['a: 1.50\nb: ::/0\nc: :x\nd: [ 65000:1, 25.10 ]', { a: 1.5, b: '::/0', c: ':x', d: ['65000:1', 25.1] }],
    ['a:\n  [ b ] # c\nd:\n- e:\n    { f: g }', { a: ['b'], d: [{ e: { f: 'g' } }] }],
    ['a: 1\nb: 2\na: 3\n7: x', { a: 3, b: 2, 7: 'x' }],
  ])('%j', async (text, value) => {
    expect(plainYaml(text)).toEqual(value);
    await expectSame(text);
  });
});

/** A line each; ⏎, → and ␍ stand for what would be seen badly. */
const forTheParser = String.raw`
# c
a
- a
[a]
{a: 1}
 a: 1⏎b: 2
a: 1⏎ b: 2
a: 1⏎---⏎b: 2
---⏎---⏎a: 1
a: 1⏎...
a:→b
a: é
a: 1␍⏎b: 2
a: "\n"
a: 'it''s'
a: "b" c
a: "b
"a": b
? a
<<: a
a: &b c
a: *b
a: !b c
a: ~
a: >⏎  b
a: |-⏎  b
a: |⏎b: 1
a: |⏎  b⏎ c: 1
a: |⏎  b⏎   ⏎
a: |⏎⏎  b
a: 01
a: 1e3
a: 0x1f
a: -1
a: +1
a: 1.
a: 1.5.
a: .5
a: [::1]
a: 1234567890123456
a: 2024-01-01
a: 0o7
a: b: c
a: b:
a : b
a:b
a: - b
a: b⏎  c
a:⏎  b
a:⏎  - b⏎ c: 1
a:⏎  b: 1⏎ c: 2
a:⏎- b⏎  c
a:⏎-⏎  b
a:⏎- - b
a:⏎  - b⏎  c: 1
- a: 1⏎- b: 2
a:⏎- b: 1⏎ - c
a: [b, ]
a: [b c]
a: [b: c]
a: [b
a: [b]]
a: [b]#c
a: [b]: c
a: {b}
a: {b: }
a: {b:c}
a: {"b": c}
a: {b: c} d
a: ["b"c]
a: [⏎ b]
true: 1
01: 1
1.5: 1
toString: 1
__proto__: 1
a: {constructor: 1}
a: {01: 1}
`
  .slice(1, -1)
  .split('\n')
  .map((line) => line.replaceAll('⏎', '\n').replaceAll('→', '\t').replaceAll('␍', '\r'));

test.each(['', '\u{FEFF}a: 1', ...forTheParser])('%j is for the parser', (text) => {
  expect(plainYaml(text)).toBeUndefined();
});

test('what is long is for the parser', () => {
  const [key, word] = ['x'.repeat(101), 'x'.repeat(1001)];
  for (const text of [
    `${key}: 1`,
    `a: ${word}`,
    `a: "${word}"`,
    `a: [${key}]`,
    `a: ["${key}"]`,
    `a: {${key}: 1}`,
  ])
    expect(plainYaml(text)).toBeUndefined();
});

test('both say the same of whatever is read here', async () => {
  const texts = Array.from({ length: 20_000 }, (_, seed) => writtenYaml(seed));
  const read = [...new Set(texts)].filter((text) => plainYaml(text) !== undefined);
  for (const text of read) await expectSame(text);
  expect(read.length).toBeGreaterThan(1_000);
});

test('the examples are read here, all of them', async () => {
  const root = path.resolve(__dirname, '../../../../examples');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('topology.yml'),
  );
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) await expectSame(readFileSync(path.join(root, file), 'utf8'));
});
