import { expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileSizeNow } from '../../../src/lib/file-size.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const file = path.join(temporaryDirectory(), 'file');

test('the size is in bytes, and null where there is no file', () => {
  expect(fileSizeNow(file)).toBeNull();
  writeFileSync(file, '€');
  expect(fileSizeNow(file)).toBe(3);
});
