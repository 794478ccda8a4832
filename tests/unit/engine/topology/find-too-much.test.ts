import { expect, test } from '@jest/globals';
import { findTooMuch } from '../../../../src/engine/topology/find-too-much.ts';

const mebibyte = 1_048_576;

test.each([
  ['', undefined],
  ['nodes: [a]\n', undefined],
  ['a'.repeat(mebibyte), undefined],
  ['a'.repeat(mebibyte + 1), { offset: 0, message: 'the file has 1.0 MiB; the limit is 1 MiB' }],
  ['a'.repeat(mebibyte * 2.5), { offset: 0, message: 'the file has 2.5 MiB; the limit is 1 MiB' }],
  ['['.repeat(101), { offset: 100, message: 'more than 100 levels of nesting' }],
])('case %#', (text, expected) => expect(findTooMuch(text)).toEqual(expected));
