import { describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkPassword, checkRoots } from '../../../src/doctor/access.ts';
import { subjectOf } from '../../support/doctor.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();

describe('the password', () => {
  const check = (bind: string, password?: string) =>
    checkPassword(
      subjectOf({
        LAB_API_BIND: bind,
        ...(password !== undefined && { LAB_API_USER: 'lab', LAB_API_PASSWORD: password }),
      }),
    );

  test.each(['127.0.0.1', '127.9.9.9', '::1', 'localhost'])('may be missing on %s', (bind) => {
    expect(check(bind)).toMatchObject({ kind: 'ok' });
  });

  test.each(['0.0.0.0', '::', '192.0.2.1'])('must not be missing on %s', (bind) => {
    expect(check(bind)).toEqual({
      kind: 'warning',
      detail: `anybody who reaches ${bind} can run programs on this machine`,
      remedy: expect.stringContaining('LAB_API_PASSWORD'),
    });
  });

  test('must not be missing when the settings ask for one', () => {
    const finding = checkPassword(subjectOf({ LAB_API_REQUIRE_AUTH: 'true' }));
    expect(finding).toMatchObject({
      kind: 'failed',
      detail: expect.stringMatching(/^LAB_API_REQUIRE_AUTH: /),
      remedy: expect.stringMatching(/^set LAB_API_USER and LAB_API_PASSWORD/),
    });
  });

  test('that is short: says what is long enough, and not what it is', () => {
    const finding = check('127.0.0.1', 'secret7');
    expect(finding).toEqual({
      kind: 'warning',
      detail: 'the password has 7 characters',
      remedy: expect.stringContaining('16 characters or more'),
    });
    expect(JSON.stringify(finding)).not.toContain('secret7');
    expect(check('0.0.0.0', 'secret78')).toEqual({ kind: 'ok', detail: 'on' });
  });
});

describe('allowed roots', () => {
  const check = (roots: string) => checkRoots(subjectOf({ LAB_API_ROOTS: roots }));

  test('are directories, or are told', () => {
    const file = path.join(root, 'file');
    writeFileSync(file, '');
    expect(check('').kind).toBe('skipped');
    expect(check(root)).toEqual({ kind: 'ok', detail: root });
    expect(check(`${root}:${root}/none:${file}`)).toEqual({
      kind: 'warning',
      detail: `not a directory: ${root}/none, ${file}`,
      remedy: expect.any(String),
    });
  });
});
