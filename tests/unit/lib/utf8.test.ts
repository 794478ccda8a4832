import { describe, expect, test } from '@jest/globals';
import { unfinishedBytes } from '../../../src/lib/utf8.ts';

test.each([
  ['nothing', [], 0],
  ['ASCII', [0x61], 0],
  ['a whole character of two bytes', [0xc3, 0xa9], 0],
  ['a whole character of four bytes', [0xf0, 0x9f, 0x98, 0x80], 0],
  ['1 of 2', [0x61, 0xc3], 1],
  ['1 of 3', [0xe2], 1],
  ['2 of 3', [0x61, 0xe2, 0x82], 2],
  ['1 of 4', [0xf0], 1],
  ['2 of 4', [0xf0, 0x9f], 2],
  ['3 of 4', [0x61, 0xf0, 0x9f, 0x98], 3],
  ['a stray continuation byte', [0x61, 0x80], 0],
  ['continuation bytes alone', [0x80, 0x80, 0x80, 0x80], 0],
  ['one continuation byte too many', [0xc3, 0xa9, 0xa9], 0],
  ['a byte that begins nothing', [0xff], 0],
  ['an overlong lead', [0xc0], 0],
  ['a lead beyond U+10FFFF', [0xf5], 0],
])('%s', (_name, bytes, expected) => {
  expect(unfinishedBytes(Uint8Array.from(bytes))).toBe(expected);
});

describe('text cut at any byte', () => {
  const text = 'aé€😀z—ß👩‍🚀\n日本語';
  const bytes = Buffer.from(text);

  test.each(Array.from({ length: bytes.length + 1 }, (_, cut) => cut))(
    'at byte %d is a prefix of the text',
    (cut) => {
      const part = bytes.subarray(0, cut);
      const kept = part.subarray(0, part.length - unfinishedBytes(part));
      const decoded = new TextDecoder('utf-8', { fatal: true }).decode(kept);
      expect(text.startsWith(decoded)).toBe(true);
      expect(part.length - kept.length).toBeLessThanOrEqual(3);
    },
  );
});
