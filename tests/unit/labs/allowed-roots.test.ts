import { expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { AllowedRoots } from '../../../src/labs/allowed-roots.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
mkdirSync(path.join(root, 'labs/one'), { recursive: true });
symlinkSync(path.join(root, 'labs'), path.join(root, 'link'));

test('without roots everything is allowed', () => {
  expect(() => new AllowedRoots([]).check('/etc', 'workdir')).not.toThrow();
});

test.each(['labs', 'link', 'link/../labs/'])('%s allows itself and what is below', (name) => {
  const roots = new AllowedRoots(['/missing/root', path.join(root, name)]);
  expect(() => roots.check(path.join(root, 'labs'), 'workdir')).not.toThrow();
  expect(() => roots.check(path.join(root, 'labs/one'), 'workdir')).not.toThrow();
});

test.each(['/', '/etc', root, path.join(root, 'labs2'), path.join(root, 'labs..')])(
  '%s is refused by name',
  (outside) => {
    const roots = new AllowedRoots([path.join(root, 'labs')]);
    expect(() => roots.check(outside, 'workdir')).toThrow(
      expect.objectContaining({
        code: 'forbidden-path',
        message: expect.stringContaining('workdir: must lie inside'),
        errors: [{ field: 'workdir', message: expect.any(String) }],
      }),
    );
  },
);

test('a root that appears later counts', () => {
  const roots = new AllowedRoots([path.join(root, 'late')]);
  expect(() => roots.check(path.join(root, 'labs/one'), 'dir')).toThrow();
  symlinkSync(path.join(root, 'labs'), path.join(root, 'late'));
  expect(() => roots.check(path.join(root, 'labs/one'), 'dir')).not.toThrow();
});
