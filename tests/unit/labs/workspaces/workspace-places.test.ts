import { describe, expect, test } from '@jest/globals';
import { checkWorkspaceName, WorkspacePlaces } from '../../../../src/labs/workspaces/workspace-places.ts';

describe('a workspace', () => {
  test.each(['a', '7', 'course-2.b_c', 'auto2', 'automatic', 'a'.repeat(63)])('may be called %s', (name) => {
    expect(() => checkWorkspaceName(name)).not.toThrow();
  });

  test.each([
    '',
    '.',
    '..',
    '.lab-api',
    '-rf',
    '_x',
    'Course',
    'a/b',
    'a b',
    'a\n',
    '\na',
    'a\0',
    'é',
    'a'.repeat(64),
  ])('may not be called %j', (name) => {
    expect(() => checkWorkspaceName(name)).toThrow(
      expect.objectContaining({
        code: 'invalid-request',
        errors: [expect.objectContaining({ field: 'name' })],
      }),
    );
  });

  test('may not be called "auto", which stands for one that is called after its job', () => {
    expect(() => checkWorkspaceName('auto', 'workspace')).toThrow(
      expect.objectContaining({
        code: 'invalid-request',
        message: expect.stringContaining('"auto"'),
        errors: [expect.objectContaining({ field: 'workspace' })],
      }),
    );
  });
});

describe('of a directory, the workspace is', () => {
  const places = new WorkspacePlaces('/data/workspaces');

  test.each(['course', 'course/', 'course/a', 'course/a/b', 'course/other'])('"course" for %s', (below) => {
    expect(places.nameOf(`/data/workspaces/${below}`)).toBe('course');
  });

  test.each([
    ['that of all workspaces', '/data/workspaces'],
    ['one above', '/data'],
    ['the root', '/'],
    ['one beside that begins the same', '/data/workspaces-old/course'],
    ['one beside', '/data/jobs/course'],
    ['one that a path leads out to', '/data/workspaces/../jobs'],
    ['that of the service', '/data/workspaces/.lab-api'],
    ['one of the service', '/data/workspaces/.lab-api/incoming/course'],
    ['one with a name that no workspace has', '/data/workspaces/Course/course'],
  ])('none for %s', (_, directory) => {
    expect(places.nameOf(directory)).toBeNull();
  });

  test('the one that it was before, after the directory of all has got its real path', () => {
    const moved = new WorkspacePlaces('/link');
    moved.directory = '/real';
    expect([moved.nameOf('/link/course'), moved.nameOf('/real/course')]).toEqual([null, 'course']);
    expect(moved.pathOf('course')).toBe('/real/course');
    expect(moved.ownDirectory).toBe('/real/.lab-api');
  });
});
