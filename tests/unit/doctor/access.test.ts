import { describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkAudit, checkPassword, checkRoots, checkUsers } from '../../../src/doctor/access.ts';
import { subjectOf } from '../../support/doctor.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { usersFile } from '../../support/users-file.ts';

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
      detail: `every client that reaches ${bind} can run programs on this machine`,
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

describe('the audit', () => {
  const check = async (file: string) => checkAudit(subjectOf({ LAB_API_AUDIT_FILE: file }));

  test('without a file is a hint, and no failure', async () => {
    expect(await check('')).toEqual({
      kind: 'skipped',
      detail: expect.stringMatching(/^LAB_API_AUDIT_FILE is not set: .* in the log of the service/),
    });
  });

  test('has a file that is there, or that the service can make; the check makes none', async () => {
    const file = path.join(root, 'audit.jsonl');
    expect(await check(file)).toEqual({ kind: 'ok', detail: file });
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, '');
    expect(await check(file)).toEqual({ kind: 'ok', detail: file });
  });

  test('with a file that stops the start says why', async () => {
    const [link, directory] = [path.join(root, 'audit-link'), path.join(root, 'audit-directory')];
    symlinkSync('/dev/null', link);
    mkdirSync(directory);
    for (const [file, why] of [
      [link, 'it is a link'],
      [directory, 'it is a directory'],
      [path.join(root, 'nowhere/audit.jsonl'), 'its directory does not exist'],
    ] as const)
      expect(await check(file)).toMatchObject({
        kind: 'failed',
        detail: expect.stringContaining(`${file} cannot be written: ${why}`),
        remedy: expect.stringContaining('LAB_API_AUDIT_FILE'),
      });
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

describe('the users file', () => {
  const check = async (text: string, env: Record<string, string> = {}) => {
    const file = usersFile(root, text);
    return { file, finding: await checkUsers(subjectOf({ LAB_API_USERS_FILE: file, ...env })) };
  };
  const own = { LAB_API_USER: 'root', LAB_API_PASSWORD: 'secret secret secret' };

  test('need not be', async () => {
    expect(await checkUsers(subjectOf({}))).toMatchObject({ kind: 'skipped' });
  });

  test('is counted', async () => {
    const { file, finding } = await check('users: [{ name: ops, role: admin }, { name: eva, role: viewer }]');
    expect(finding).toEqual({ kind: 'ok', detail: `${file}: 2 users, 1 administrator` });
  });

  test('without an administrator is one for readers, unless LAB_API_USER is one', async () => {
    const text = 'users: [{ name: eva, role: viewer }]';
    expect((await check(text, own)).finding).toMatchObject({ kind: 'ok' });
    const { file, finding } = await check(text);
    expect(finding).toEqual({
      kind: 'warning',
      detail: `${file}: 1 user, no administrator`,
      remedy: 'run "lab user add NAME --role admin"',
    });
  });

  test('that the service would refuse is red', async () => {
    const { file, finding } = await check('users: [{ name: root, role: viewer }]', own);
    expect(finding).toEqual({
      kind: 'failed',
      detail: `${file}: line 1: user "root": name: is that of LAB_API_USER, who is an administrator already`,
      remedy: 'correct it: the service does not start with this error (docs/access.md)',
    });
  });

  test('is a login as good as a password', () => {
    const subject = subjectOf({ LAB_API_BIND: '0.0.0.0', LAB_API_USERS_FILE: '/etc/users.yaml' });
    expect(checkPassword(subject)).toEqual({ kind: 'ok', detail: 'on: the users of LAB_API_USERS_FILE' });
  });
});
