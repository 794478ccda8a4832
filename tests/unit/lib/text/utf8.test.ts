import { describe, expect, test } from '@jest/globals';
import { unfinishedBytes } from '../../../../src/lib/text/utf8.ts';

test.each([
  { name: 'a whole character of four bytes', bytes: [0xf0, 0x9f, 0x98, 0x80], expected: 0 },
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
