import { describe, expect, test } from '@jest/globals';
import { unfinishedBytes } from '../../../../src/lib/text/utf8.ts';

test.each([
  { name: 'nothing', bytes: [], expected: 0 },
  { name: 'ASCII', bytes: [0x61], expected: 0 },
  { name: 'a whole character of two bytes', bytes: [0xc3, 0xa9], expected: 0 },
  { name: 'a whole character of four bytes', bytes: [0xf0, 0x9f, 0x98, 0x80], expected: 0 },
  { name: '1 of 2', bytes: [0x61, 0xc3], expected: 1 },
  { name: '1 of 3', bytes: [0xe2], expected: 1 },
  { name: '2 of 3', bytes: [0x61, 0xe2, 0x82], expected: 2 },
  { name: '1 of 4', bytes: [0xf0], expected: 1 },
  { name: '2 of 4', bytes: [0xf0, 0x9f], expected: 2 },
  { name: '3 of 4', bytes: [0x61, 0xf0, 0x9f, 0x98], expected: 3 },
  { name: 'a stray continuation byte', bytes: [0x61, 0x80], expected: 0 },
  { name: 'continuation bytes alone', bytes: [0x80, 0x80, 0x80, 0x80], expected: 0 },
  { name: 'one continuation byte too many', bytes: [0xc3, 0xa9, 0xa9], expected: 0 },
  { name: 'a byte that begins nothing', bytes: [0xff], expected: 0 },
  { name: 'an overlong lead', bytes: [0xc0], expected: 0 },
  { name: 'a lead beyond U+10FFFF', bytes: [0xf5], expected: 0 },
])('$name', ({ bytes, expected }) => {
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
