import { expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { readPem } from '../../../../src/lib/net/pem.ts';
import { emptyPlace, temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();

function written(content: string): string {
  const { file } = emptyPlace(root);
  writeFileSync(file, content);
  return file;
}

test.each([
  ['certificate', 'CERTIFICATE'],
  ['certificate', 'TRUSTED CERTIFICATE'],
  ['key', 'PRIVATE KEY'],
  ['key', 'EC PRIVATE KEY'],
  ['key', 'ENCRYPTED PRIVATE KEY'],
] as const)('a %s with the label %s', (kind, label) => {
  const content = `a comment\n-----BEGIN ${label}-----\n`;
  expect(readPem(written(content), kind).toString()).toBe(content);
});

test('anything else is named', () => {
  const rubbish = written('# README\n');
  for (const kind of ['certificate', 'key'] as const)
    expect(() => readPem(rubbish, kind)).toThrow(`${rubbish} is not a PEM file`);
  const key = written('-----BEGIN PRIVATE KEY-----\n');
  expect(() => readPem(key, 'certificate')).toThrow(`${key} has no certificate in it`);
  expect(() => readPem(`${key}.not`, 'key')).toThrow('ENOENT');
});
