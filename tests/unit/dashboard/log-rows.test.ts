import { describe, expect, test } from '@jest/globals';
import { plainText } from '../../../web/dashboard/src/pages/job/log/ansi.ts';
import { LogRows, textOf, longestRowBytes } from '../../../web/dashboard/src/pages/job/log/log-rows.ts';

const roomy = { bytes: 1e9, rows: 1e6 };
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textsOf = (rows: LogRows): string[] => rows.rows.map(textOf);
const numbersOf = (rows: LogRows): (number | undefined)[] => rows.rows.map((row) => rows.numberOf(row));

function cutAt(bytes: Uint8Array, ...places: number[]): Uint8Array[] {
  const edges = [0, ...places, bytes.length];
  return edges.slice(1).map((end, index) => bytes.slice(edges[index], end));
}

describe('rows of a log', () => {
  const text = 'first\nzweite Zeile: äöü €\r\n\n🚀 fourth\nnot ended';

  test('do not depend on the pieces in which the bytes arrive, even within a character', () => {
    const bytes = bytesOf(text);
    const whole = new LogRows(0, roomy);
    whole.append(bytes);
    expect(textsOf(whole)).toEqual(['first', 'zweite Zeile: äöü €', '', '🚀 fourth', 'not ended']);
    for (let at = 1; at < bytes.length; at += 1) {
      const rows = new LogRows(0, roomy);
      for (const part of cutAt(bytes, at)) rows.append(part);
      expect(textsOf(rows)).toEqual(textsOf(whole));
      expect(rows.end).toBe(bytes.length);
    }
  });

  test('have offsets and numbers', () => {
    const rows = new LogRows(0, roomy);
    rows.append(bytesOf('ab\nc'));
    rows.append(bytesOf('d\nef\n'));
    expect(rows.rows.map(({ offset }) => offset)).toEqual([0, 3, 6]);
    expect(numbersOf(rows)).toEqual([1, 2, 3]);
    expect([0, 2, 3, 8, 100].map((offset) => rows.indexOfOffset(offset))).toEqual([0, 0, 1, 2, 2]);
    expect([1, 3, 4].map((number) => rows.indexOfNumber(number))).toEqual([0, 2, -1]);
  });

  test('grow at the top, from within a line, up to the beginning', () => {
    const bytes = bytesOf('one\ntwo\nthree\nfour\nfive\n');
    const rows = new LogRows(14, roomy);
    rows.append(bytes.slice(14));
    expect(numbersOf(rows)).toEqual([undefined, undefined]);
    rows.prepend(bytes.slice(5, 14));
    expect(textsOf(rows)).toEqual(['three', 'four', 'five']);
    expect(rows.start).toBe(8);
    rows.prepend(bytes.slice(0, 8));
    expect(textsOf(rows)).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(numbersOf(rows)).toEqual([1, 2, 3, 4, 5]);
  });

  test('keep their numbers when rows above are dropped and read again', () => {
    const bytes = bytesOf('one\ntwo\nthree\nfour\nfive\n');
    const rows = new LogRows(0, { bytes: 11, rows: 10 });
    rows.append(bytes);
    expect(rows.trimTop()).toBe(3);
    expect(textsOf(rows)).toEqual(['four', 'five']);
    expect(numbersOf(rows)).toEqual([4, 5]);
    rows.prepend(bytes.slice(3, 14));
    expect(numbersOf(rows)).toEqual([2, 3, 4, 5]);
    expect(rows.trimBottom()).toBe(2);
    expect(textsOf(rows)).toEqual(['two', 'three']);
    expect(rows.end).toBe(14);
    rows.append(bytes.slice(14));
    expect(numbersOf(rows)).toEqual([2, 3, 4, 5]);
  });

  test('an incomplete line is dropped with the bottom, and read again', () => {
    const rows = new LogRows(0, { bytes: 1000, rows: 1 });
    rows.append(bytesOf('one\ntw'));
    expect(rows.trimBottom()).toBe(1);
    expect(rows.end).toBe(4);
    rows.append(bytesOf('two\n'));
    expect(textsOf(rows)).toEqual(['one', 'two']);
  });

  test('a very long line has several rows and one number', () => {
    const line = '€'.repeat(longestRowBytes);
    const rows = new LogRows(0, roomy);
    for (const part of cutAt(bytesOf(`${line}\nend\n`), 5, 10_000)) rows.append(part);
    expect(rows.rows.length).toBe(5);
    expect(textsOf(rows).slice(0, -1).join('')).toBe(line);
    expect(rows.rows.every(({ from, to }) => to - from <= longestRowBytes)).toBe(true);
    expect(numbersOf(rows)).toEqual([1, 1, 1, 1, 2]);
    expect(rows.rows.map(({ isRest }) => isRest)).toEqual([false, true, true, true, false]);
  });

  test('colours continue in the next line, also after earlier lines are read', () => {
    const bytes = bytesOf('\u001B[31mred\nstill red\nplain\u001B[0m again\nplain\n');
    const rows = new LogRows(9, roomy);
    rows.append(bytes.slice(9));
    expect(rows.rows.map(({ colours }) => colours)).toEqual(['', '', '']);
    rows.prepend(bytes.slice(0, 9));
    expect(rows.rows.map(({ colours }) => colours)).toEqual(['', '31', '31', '']);
    expect(rows.rows.map(textOf).map(plainText)).toEqual(['red', 'still red', 'plain again', 'plain']);
  });

  test('bytes that are not UTF-8 are shown as such', () => {
    const rows = new LogRows(0, roomy);
    rows.append(new Uint8Array([0x61, 0xff, 0x62, 0x0a]));
    expect(textsOf(rows)).toEqual(['a\uFFFDb']);
  });
});
