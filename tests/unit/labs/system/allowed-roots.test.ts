import { expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AllowedRoots } from '../../../../src/labs/system/allowed-roots.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

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

test('those that are no directories now are told as they were configured', () => {
  const [gone, file] = [path.join(root, 'gone'), path.join(root, 'file')];
  writeFileSync(file, '');
  expect(new AllowedRoots([gone, path.join(root, 'link'), file]).missing()).toEqual([gone, file]);
});

test('workspaces are allowed whatever the roots are, but for what the service keeps there', () => {
  const places = { directory: '/spaces', ownDirectory: '/spaces/.own' };
  const roots = new AllowedRoots([path.join(root, 'labs')], places);
  const asked = ['/spaces/one', path.join(root, 'labs/one'), '/spaces/.own/x', '/etc'];
  expect(asked.map((place) => roots.allows(place))).toEqual([true, true, false, false]);
  const anywhere = new AllowedRoots([], places);
  expect(asked.map((place) => anywhere.allows(place))).toEqual([true, true, false, true]);
});

test('who may use a part is refused the rest, in words that do not tell of the roots', () => {
  const roots = new AllowedRoots([root]).narrowedTo((place) => place.endsWith('/one'));
  expect(roots.allows(path.join(root, 'labs/one'))).toBe(true);
  expect(roots.allows('/etc/one')).toBe(false);
  expect(() => roots.check(path.join(root, 'labs'), 'dir')).toThrow('you may use');
});
