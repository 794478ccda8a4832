import { describe, expect, test } from '@jest/globals';
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
  const places = { workspaces: { directory: '/spaces', ownDirectory: '/spaces/.own' } };
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

describe('the data directory of the service', () => {
  const dataDir = path.join(root, 'data');
  for (const name of ['jobs/job-1', 'labs/one', 'workspaces/mine', 'course'])
    mkdirSync(path.join(dataDir, name), { recursive: true });
  symlinkSync(dataDir, path.join(root, 'link-to-data'));
  const workspaces = {
    directory: path.join(dataDir, 'workspaces'),
    ownDirectory: path.join(dataDir, 'workspaces/.lab-api'),
  };
  const inside = (name: string): string => path.join(dataDir, name);
  const own = { workspaces, dataDir: path.join(root, 'link-to-data'), serverDirectory: inside('labs') };
  const refusal = (roots: AllowedRoots, place: string): string => {
    try {
      roots.checkDirectory(place, 'workdir');
      return '';
    } catch (error) {
      expect(error).toMatchObject({ code: 'forbidden-path', errors: [{ field: 'workdir' }] });
      return (error as Error).message;
    }
  };

  test.each([[[]], [[root]], [[dataDir]]])('is refused with the roots %j, and what is in it', (given) => {
    const roots = new AllowedRoots(given, own);
    for (const name of ['', 'jobs', 'jobs/job-1', 'course', 'workspaces/.lab-api'])
      expect(refusal(roots, inside(name))).toContain(
        'must not lie in the data directory of the server; use another',
      );
  });

  test('is open where labs are: workspaces, the directory of the server, and a root below it', () => {
    const roots = new AllowedRoots([root, inside('course')], own);
    for (const name of ['workspaces/mine', 'labs', 'labs/one', 'course'])
      expect(refusal(roots, inside(name))).toBe('');
  });

  test('is refused to the server too if it was started in it', () => {
    const roots = new AllowedRoots([], { ...own, serverDirectory: dataDir });
    expect(refusal(roots, dataDir)).toContain('must not lie in');
  });

  test.each([root, path.dirname(root), '/'])(
    'makes no working directory of %s, which contains it',
    (above) => {
      expect(refusal(new AllowedRoots([], own), above)).toContain('must not contain the data directory');
      expect(() => new AllowedRoots([], own).check(above, 'dir')).not.toThrow();
      expect(refusal(new AllowedRoots([], { ...own, serverDirectory: above }), above)).toBe('');
    },
  );
});
