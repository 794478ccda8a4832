import { expect, test } from '@jest/globals';
import { AppError } from '../../../../src/lib/app-error.ts';
import { asDiskError } from '../../../../src/labs/workspaces/disk-error.ts';

const ofSystem = (code: string): Error => Object.assign(new Error(`${code}: write`), { code });

test.each(['ENOSPC', 'EDQUOT'])('a disk that says %s is told as full, for a minute', (code) => {
  const cause = ofSystem(code);
  expect(asDiskError(cause)).toMatchObject({ code: 'disk-full', retryAfterSeconds: 60, cause });
});

test.each(['EIO', 'EROFS', 'EMFILE'])('what passes, as %s, is told as a fault, for some seconds', (code) => {
  const cause = ofSystem(code);
  expect(asDiskError(cause)).toMatchObject({ code: 'storage-fault', retryAfterSeconds: 10, cause });
});

test('nothing of the path or the call is told to clients', () => {
  for (const code of ['ENOSPC', 'EIO'])
    expect(asDiskError(ofSystem(code))).toMatchObject({
      message: expect.not.stringMatching(/ENOSPC|EIO|write/),
    });
});

test.each([
  ['a file that is missing', ofSystem('ENOENT')],
  ['what was refused already', new AppError('payload-too-large', 'too large')],
  ['a mistake of the program', new TypeError('x is no function')],
  ['what is no error', 'ENOSPC'],
])('%s is given back as it is', (_, error) => {
  expect(asDiskError(error)).toBe(error);
});
