import { expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { exists } from '../../../../src/lib/files/exists.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const file = path.join(directory, 'file');
writeFileSync(file, '');

test('a file and a directory exist, and what nobody made does not', async () => {
  const answers = await Promise.all([file, directory, path.join(directory, 'none')].map(exists));
  expect(answers).toEqual([true, true, false]);
});

test('where the system cannot tell, nor does this', async () => {
  await expect(exists(path.join(file, 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});
