import { describe, expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { checkBelowWorkdir } from '../../../../src/labs/drivers/contained-path.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const workdir = path.join(root, 'lab');
mkdirSync(path.join(workdir, 'inside/deep'), { recursive: true });
mkdirSync(path.join(root, 'outside'));
symlinkSync('../outside', path.join(workdir, 'out'));
symlinkSync('inside', path.join(workdir, 'in'));
symlinkSync('.', path.join(workdir, 'self'));
symlinkSync('nowhere', path.join(workdir, 'dangling'));
symlinkSync('../../outside', path.join(workdir, 'inside/out'));

describe('may be written', () => {
  test.each([
    'new',
    'inside',
    'inside/deep/new/file',
    './inside/../new',
    'in',
    'in/deep',
    path.join(workdir, 'new'),
  ])('%s', async (value) => expect(await checkBelowWorkdir(workdir, value, 'output')).toBeUndefined());
});

describe('may not', () => {
  test.each(['.', '', '..', '../outside', 'inside/../..', '/etc/passwd', `${workdir}2/x`, workdir])(
    '%j, which does not lie below',
    async (value) => {
      const error = await failureOf(checkBelowWorkdir(workdir, value, 'output'));
      expect(error).toMatchObject({ code: 'invalid-request', errors: [{ field: 'output' }] });
      expect(error.message).toContain(workdir);
    },
  );

  test.each(['out', 'out/new', 'inside/out', 'in/out/new', 'self', 'self/new', 'dangling'])(
    '%s, through a link that leads out, to the top, or nowhere',
    async (value) => {
      const error = await failureOf(checkBelowWorkdir(workdir, value, 'output'));
      expect(error.message).toContain('symbolic link');
    },
  );
});
