import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {
  addToken,
  addUser,
  removeToken,
  removeUser,
  changeUser,
} from '../../../../src/access/users/change-users.ts';
import { editUsersFile, usersIn } from '../../../../src/access/users/edit-users-file.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let directory = '';
let file = '';

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'edit-'));
  file = path.join(directory, 'users.yaml');
});

const hash = '$2y$05$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e';
const sha256 = '1'.repeat(64);
const start = `# Ours.
users:
  # Runs the machines.
  - name: ops # Olga
    role: admin
    password: "${hash}"

  - { role: viewer, name: eva } # on one line
`;
const newUser = (name: string) => ({ name, role: 'viewer', password: undefined, workdirs: null }) as const;
const token = (id: string, expiresAtMs: number | null = null) => ({ id, sha256, note: 'x: y', expiresAtMs });
const text = (): string => readFileSync(file, 'utf8');

describe('a change', () => {
  test('keeps comments, order and what it does not touch', async () => {
    writeFileSync(file, start, { mode: 0o600 });
    await editUsersFile(file, (document) => {
      addUser(document, { ...newUser('ci'), role: 'operator', password: hash, workdirs: ['/labs/ci'] });
      addToken(document, 'ci', token('tok_12345678', Date.UTC(2027, 0, 1)));
    });
    expect(text()).toBe(`${start}  - name: ci
    role: operator
    password: ${hash}
    workdirs:
      - /labs/ci
    tokens:
      - id: tok_12345678
        sha256: "${sha256}"
        note: "x: y"
        expiresAt: 2027-01-01T00:00:00.000Z
`);
    await editUsersFile(file, (document) => {
      expect(removeToken(document, 'tok_12345678')).toBe('ci');
      removeUser(document, 'ci');
    });
    expect(text()).toBe(start);
  });

  test('of a password, where there was one and where there was none', async () => {
    writeFileSync(file, start, { mode: 0o600 });
    const other = hash.replace('$05', '$06');
    const { users } = await editUsersFile(file, (document) => {
      changeUser(document, 'ops', { password: other });
      changeUser(document, 'eva', { password: other });
    });
    expect(users.map(({ password }) => password)).toEqual([
      { kind: 'hash', hash: other },
      { kind: 'hash', hash: other },
    ]);
    expect(text()).toContain('- name: ops # Olga');
  });

  test('takes a removed user out of all groups', async () => {
    const groups = (members: string, others: string): string => `groups:
  - name: course # of this term
    members: ${members}
    leaders: [ ops ]
  - name: guests
    members:${others}
`;
    writeFileSync(file, start + groups('[ eva, ops, eva ]', '\n      - sam\n      - eva'), { mode: 0o600 });
    const { result } = await editUsersFile(file, (document) => removeUser(document, 'eva'));
    expect(result).toEqual(['course', 'guests']);
    expect(text()).toContain(groups('[ ops ]', '\n      - sam'));
    const { result: led } = await editUsersFile(file, (document) => removeUser(document, 'ops'));
    expect(led).toEqual(['course']);
    expect(text()).toContain(groups('[]', '\n      - sam').replace('[ ops ]', '[]'));
  });

  test('of an empty list makes no long line of it', async () => {
    writeFileSync(file, 'users: []\n', { mode: 0o600 });
    await editUsersFile(file, (document) => addUser(document, newUser('eva')));
    expect(text()).toBe('users:\n  - name: eva\n    role: viewer\n');
  });
});

describe('the file', () => {
  test('is made, for its owner alone, whatever the umask is', async () => {
    await expect(editUsersFile(file, () => undefined)).rejects.toThrow(
      `${file} is not there; "lab user add" makes it`,
    );
    await editUsersFile(file, (document) => addUser(document, newUser('eva')), { isMadeWhenAbsent: true });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(text()).toMatch(/^# The users of lab-api .*\nusers:\n {2}- name: eva\n {4}role: viewer\n$/);
    expect(readdirSync(directory)).toEqual(['users.yaml']);
  });

  test('is alone again after an edit that was killed', async () => {
    writeFileSync(file, start, { mode: 0o600 });
    writeFileSync(`${file}.0123456789abcdef.tmp`, 'half of');
    for (const name of ['tmp', 'bak', 'old.tmp']) mkdirSync(`${file}.${name}`);
    await editUsersFile(file, (document) => removeUser(document, 'eva'));
    expect(readdirSync(directory)).toEqual(['', '.bak', '.old.tmp', '.tmp'].map((end) => `users.yaml${end}`));
  });

  test('keeps its mode, and stays behind its link', async () => {
    writeFileSync(file, start);
    chmodSync(file, 0o640);
    const link = path.join(directory, 'link.yaml');
    symlinkSync('users.yaml', link);
    await editUsersFile(link, (document) => removeUser(document, 'eva'));
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(text()).not.toContain('eva');
  });

  const asRoot = process.getuid?.() === 0 ? test : test.skip;
  asRoot('belongs to whom it did; one that root makes, to whoever has the directory', async () => {
    chownSync(directory, 12_345, 12_346);
    await editUsersFile(file, (document) => addUser(document, newUser('eva')), { isMadeWhenAbsent: true });
    expect(statSync(file)).toMatchObject({ uid: 12_345, gid: 12_346 });
    chownSync(file, 12_345, 0);
    await editUsersFile(file, (document) => removeUser(document, 'eva'));
    expect(statSync(file)).toMatchObject({ uid: 12_345, gid: 0 });
  });

  test.each([
    [
      'addUser',
      (name: string) =>
        `${JSON.stringify(name)} is there already; "lab user passwd" changes a password, "lab user role" a role`,
    ],
    ['removeUser', () => 'there is no user "nobody" in this file'],
    ['removeToken', () => 'there is no token "tok_0000" in this file'],
  ] as const)('is as it was when it refuses %s', async (what, sentence) => {
    writeFileSync(file, start, { mode: 0o600 });
    const { ino } = statSync(file);
    const edit = editUsersFile(file, (document) => {
      changeUser(document, 'eva', { password: hash });
      if (what === 'addUser') addUser(document, newUser('ops'));
      else if (what === 'removeUser') removeUser(document, 'nobody');
      else removeToken(document, 'tok_0000');
    });
    await expect(edit).rejects.toMatchObject({ name: 'UsersFileError', message: sentence('ops') });
    expect({ text: text(), ino: statSync(file).ino }).toEqual({ text: start, ino });
  });

  test('is as it was when the change would break it', async () => {
    writeFileSync(file, start, { mode: 0o600 });
    await expect(editUsersFile(file, (document) => addUser(document, newUser('a:b')))).rejects.toThrow(
      'user "a:b": name: must not contain a colon',
    );
    expect(text()).toBe(start);
  });

  test('that is broken is left to whoever broke it', async () => {
    writeFileSync(file, 'users: [{ name: eva }]\n', { mode: 0o600 });
    await expect(editUsersFile(file, (document) => addUser(document, newUser('x')))).rejects.toThrow(
      `${file}: line 1: user "eva": role: must be one of viewer, operator, admin`,
    );
    expect(text()).toBe('users: [{ name: eva }]\n');
  });

  test('does not become larger than the service would read', async () => {
    writeFileSync(file, `${start}#${'x'.repeat(256 * 1024 - start.length - 20)}\n`, { mode: 0o600 });
    await expect(editUsersFile(file, (document) => addUser(document, newUser('another')))).rejects.toThrow(
      `${file} would be larger than 256 KiB`,
    );
    expect(await usersIn(file)).toHaveLength(2);
  });

  test('that others may write is not believed', async () => {
    writeFileSync(file, start);
    chmodSync(file, 0o666);
    await expect(usersIn(file)).rejects.toThrow('may be written by others');
  });

  test('is not made where others may put another one in its place', async () => {
    const shared = path.join(directory, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o775);
    const place = path.join(shared, 'users.yaml');
    await expect(editUsersFile(place, () => undefined, { isMadeWhenAbsent: true })).rejects.toThrow(
      `${place} would be in a directory, ${shared}, that may be written by others: run "chmod go-w" on it`,
    );
    expect(existsSync(place)).toBe(false);
  });

  test('whose directory is not there, or that cannot be put in its place, says so', async () => {
    const lost = path.join(directory, 'gone', 'users.yaml');
    await expect(editUsersFile(lost, () => undefined, { isMadeWhenAbsent: true })).rejects.toThrow(
      `the directory of ${lost} cannot be opened: ENOENT`,
    );
    mkdirSync(path.join(directory, 'x.yaml'));
    await expect(usersIn(path.join(directory, 'x.yaml'))).rejects.toThrow('is not a plain file');
  });
});

test('of many changes at once, none is lost', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `user${at}`);
  await Promise.all(
    names.map(async (name) =>
      editUsersFile(file, (document) => addUser(document, newUser(name)), { isMadeWhenAbsent: true }),
    ),
  );
  expect((await usersIn(file)).map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  expect(readdirSync(directory)).toEqual(['users.yaml']);
});
