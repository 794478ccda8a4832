import { expect, test } from '@jest/globals';
import { findExcess } from '../../../../src/lib/text/json-bounds.ts';

const excessOf = (text: string) => findExcess(Buffer.from(text));

test.each([
  ['100 levels', '['.repeat(100) + ']'.repeat(100)],
  ['brackets side by side', `[${'{},'.repeat(1_000)}[]]`],
  ['brackets in a string', `["${'['.repeat(1_000)}", "\\"${'{'.repeat(1_000)}\\\\"]`],
  ['a string that never ends', `["${'['.repeat(1_000)}`],
  ['a string that ends in a backslash', '["\\'],
  ['no text', ''],
])('%s may be parsed', (_name, text) => expect(excessOf(text)).toBeUndefined());

test.each([
  ['101 levels', '['.repeat(101), 'more than 100 levels'],
  ['levels of both kinds', '{"a":['.repeat(51), 'more than 100 levels'],
  ['levels behind strings', `["\\"", ${'['.repeat(100)}`, 'more than 100 levels'],
  ['two million values', `[${'0,'.repeat(2_000_000)}0]`, 'more than 2000000 values'],
  ['two million empty ones', `[${'[]'.repeat(2_000_000)}]`, 'more than 2000000 values'],
])('%s are too many', (_name, text, words) => expect(excessOf(text)).toContain(words));
