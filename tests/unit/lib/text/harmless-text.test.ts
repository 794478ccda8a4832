import { describe, expect, test } from '@jest/globals';
import { harmlessText, jsonLine } from '../../../../src/lib/text/harmless-text.ts';

describe('harmless text', () => {
  test.each([
    ['a line feed and what looks like a new line', 'a\nb', String.raw`a\u000ab`],
    ['a carriage return, which hides what came before', 'a\rb', String.raw`a\u000db`],
    ['an escape', '\u001b[31m', String.raw`\u001b[31m`],
    ['an 8-bit escape', '\u009b31m', String.raw`\u009b31m`],
    ['DEL and NUL', '\u007f\0', String.raw`\u007f\u0000`],
    ['separators of lines and paragraphs', '\u2028\u2029', String.raw`\u2028\u2029`],
    ['marks that turn the direction', '\u202egpj.exe\u2066\u200f', String.raw`\u202egpj.exe\u2066\u200f`],
  ])('has no %s', (_what, text, harmless) => {
    expect(harmlessText(text)).toBe(harmless);
  });

  test('leaves words of all languages as they are', () => {
    const text = 'Größe — 東京 ✓ 👩‍🔬 "quoted" \\';
    expect(harmlessText(text)).toBe(text);
  });

  test('as JSON means what it did, on one line', () => {
    const value = { path: '/a\n{"forged":1}\u009b2J\u2028\u202e', list: ['\u0000', '\ud800'] };
    const line = jsonLine(value);
    expect(line).toMatch(/^[\u0020-\u007e]+\n$/);
    expect(JSON.parse(line)).toEqual(value);
  });
});
