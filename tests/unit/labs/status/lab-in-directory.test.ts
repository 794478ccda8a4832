import { expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { findLabIn, type RecordedLab } from '../../../../src/labs/status/lab-in-directory.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const labs = path.join(root, 'labs');
mkdirSync(labs);
symlinkSync('labs', path.join(root, 'link'));

test('the lab in a directory is the first there, or below', () => {
  const lab = (id: string, directory: string): RecordedLab => ({ id, directory, startedAtMs: null });
  const all = () => [lab('1', '/labs/one'), lab('2', '/labs/two/deep')];
  const found = ['/labs/one', '/labs/two', '/labs', '/labs/o', '/labs/one/x'].map((place) =>
    findLabIn(place, all),
  );
  expect(found).toEqual(['1', '2', '1', undefined, undefined]);
  const cause = new Error('unreadable');
  const broken = (): never => {
    throw cause;
  };
  expect(() => findLabIn('/labs', broken)).toThrow(
    expect.objectContaining({ code: 'workspace-busy', cause, retryAfterSeconds: 10 }),
  );
});
