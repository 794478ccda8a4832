import { describe, expect, test } from '@jest/globals';
import { EscapeStripper } from '../../../../src/lib/text/escape-stripper.ts';

function stripped(text: string, at = text.length): string {
  const [stripper, bytes] = [new EscapeStripper(), Buffer.from(text)];
  return Buffer.concat([
    stripper.strip(bytes.subarray(0, at)),
    stripper.strip(bytes.subarray(at)),
  ]).toString();
}

const cases: readonly (readonly [string, string, string])[] = [
  ['plain text', 'Grüße 三 😀\t\r\n', 'Grüße 三 😀\t\r\n'],
  ['colours', 'a\x1b[31;1mred\x1b[0m b', 'ared b'],
  ['256 colours with colons', '\x1b[38:5:208mx\x1b[m', 'x'],
  ['moves of the cursor and questions', '\x1b[2K\x1b[?25l\x1b[1Gx\x1b[6n', 'x'],
  ['a title that ends with BEL', '\x1b]0;lab\x07x', 'x'],
  ['a link that ends with ESC \\', '\x1b]8;;http://h/\x1b\\link\x1b]8;;\x1b\\.', 'link.'],
  ['a device control string', '\x1bPq#0\x1b\\x', 'x'],
  ['a character set, and two letters', '\x1b(Bx\x1bcy\x1b7z', 'xyz'],
  ['the one-character forms', 'a\u009b31mb\u009d0;t\x07c\u00a0\u00c2\u0085', 'abc\u00a0\u00c2\u0085'],
  ['a sequence within a sequence', '\x1b[3\x1b[31mx', 'x'],
  ['ESC before a line feed', 'a\x1b\nb', 'a\nb'],
  ['parameters that are cut by a line feed', 'a\x1b[31\nb', 'a\nb'],
  ['a string without an end hides its line alone', 'a\x1b]0;title\nb', 'a\nb'],
  ['ESC before a character of several bytes', '\x1bä', 'ä'],
];

describe.each(cases)('%s', (_what, text, expected) => {
  test('is what it should be, wherever the pieces are cut', () => {
    const size = Buffer.byteLength(text);
    const results = Array.from({ length: size + 1 }, (_, at) => stripped(text, at));
    expect(new Set(results)).toEqual(new Set([expected]));
  });
});

test.each([
  ['a\x1b', 1],
  ['a\x1b[31', 4],
  ['a\x1b]0;title', 9],
  ['\x1b[31m\x1b[', 2],
  ['a\x1b[0m', 0],
  ['\x1b]0;t\x07', 0],
])('%j: %i bytes wait for the end of their sequence', (text, held) => {
  const stripper = new EscapeStripper();
  stripper.strip(Buffer.from(text));
  expect(stripper.heldBytes).toBe(held);
});

test('bytes that are no text stay as they are', () => {
  const bytes = Buffer.from([0xff, 0xc2, 0x41, 0xc2, 0x1b, 0x5b, 0x6d, 0x00]);
  expect([...new EscapeStripper().strip(bytes)]).toEqual([0xff, 0xc2, 0x41, 0xc2, 0x00]);
});
