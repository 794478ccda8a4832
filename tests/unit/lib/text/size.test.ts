import { expect, test } from '@jest/globals';
import { formatSize, parseSize } from '../../../../src/lib/text/size.ts';

test.each([
  ['0', 0],
  ['1024', 1024],
  ['10b', 10],
  ['1k', 1024],
  ['1KiB', 1024],
  ['1kB', 1000],
  ['512MiB', 512 * 1024 ** 2],
  ['5MB', 5_000_000],
  ['1GiB', 1024 ** 3],
  ['1G', 1024 ** 3],
  ['1gb', 1e9],
  ['1.5 GiB', 1.5 * 1024 ** 3],
  ['2TiB', 2 * 1024 ** 4],
  [' 7 ', 7],
])('%j is %d bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test.each(['', 'GiB', '-1', '1 PiB', '1e3', '1.', 'constructor', '1constructor', '1MiB1', '9999999TiB'])(
  '%j is none',
  (text) => {
    expect(parseSize(text)).toBeUndefined();
  },
);

test.each([
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [1024, '1 KiB'],
  [1_610_612_736, '1.5 GiB'],
  [1024 ** 4, '1 TiB'],
  [5000 * 1024 ** 4, '5000 TiB'],
])('%d bytes read as %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});
