import { expect, test } from '@jest/globals';
import { isTransient } from '../../../src/lib/is-transient.ts';

test.each(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EIO', 'ENOSPC', 'EDQUOT', 'EROFS'])(
  '%s may pass',
  (code) => {
    expect(isTransient(Object.assign(new Error(code), { code }))).toBe(true);
  },
);

test.each([Object.assign(new Error('x'), { code: 'ENOENT' }), new Error('EIO'), undefined, 'EIO'])(
  '%j is about what was asked for',
  (error) => expect(isTransient(error)).toBe(false),
);
