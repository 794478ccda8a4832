import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { User } from '../../../../src/access/model/user.ts';
import { UserDirectory } from '../../../../src/access/users/user-directory.ts';
import { Disposer } from '../../../../src/lib/async/disposal.ts';
import { eventually } from '../../../support/eventually.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { usersFile } from '../../../support/users-file.ts';

const root = temporaryDirectory();
const running = new Disposer();
afterEach(() => running.dispose());

const own: User = {
  name: 'root',
  role: 'admin',
  workdirs: null,
  password: { kind: 'plain', text: 'secret' },
  tokens: [],
};

const sha256 = 'ab'.repeat(32);
const ci = `users:
  - name: ci
    role: operator
    tokens: [{ id: tok_8f3a, sha256: "${sha256}", note: nightly, expiresAt: 2027-01-01T00:00:00Z }]
    workdirs: [/labs/ci]
`;
const eva = 'users: [{ name: eva, role: viewer }]\n';

function directoryOf(file: string | undefined, ...[user]: [User?]) {
  const log = new MemoryLogger();
  const users = new UserDirectory({ own: user, file, log });
  return { users, log };
}

/** Writes as an editor should: a whole file in the place of the old one. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** A directory that is watched, and what was announced. */
async function watched(text: string) {
  const file = usersFile(root, text);
  const { users, log } = directoryOf(file, own);
  await users.load();
  const changes: (User | undefined)[] = [];
  users.onChange(() => changes.push(users.byName('eva')));
  running.add(users.watch());
  return { file, users, log, changes };
}

describe('the users', () => {
  test('of the file come to that of LAB_API_USER', async () => {
    const { users } = directoryOf(usersFile(root, ci), own);
    await users.load();
    const token = { id: 'tok_8f3a', sha256, note: 'nightly', expiresAtMs: Date.UTC(2027, 0, 1) };
    const user = { name: 'ci', role: 'operator', workdirs: ['/labs/ci'], password: null, tokens: [token] };
    expect(users.byName('root')).toBe(own);
    expect(users.byName('ci')).toEqual(user);
    expect(users.byTokenId('tok_8f3a')).toEqual({ user, token });
    expect(users.byTokenId('tok_0000')).toBeUndefined();
    // No property that every object has.
    expect(users.byName('constructor')).toBeUndefined();
  });

  test('none at all are logged', async () => {
    const { users, log } = directoryOf(usersFile(root, 'users: []'));
    await users.load();
    expect(log.entries).toMatchObject([
      { level: 'warn', message: 'no user can log in: the users file has no users' },
    ]);
  });

  test('every problem of the file is told with the file', async () => {
    const file = usersFile(root, 'users:\n  - { name: root, role: boss }\n');
    const { users } = directoryOf(file, own);
    await expect(users.load()).rejects.toMatchObject({
      name: 'UsersFileError',
      problems: [`${file}: line 2: user "root": role: must be one of viewer, operator, admin`],
    });
    expect(users.byName('root')).toBe(own);
  });
});

describe('a change of the file', () => {
  test('is taken, and told once it is', async () => {
    const { file, users, log, changes } = await watched(ci);
    replace(file, eva);
    await eventually('the change', () => changes.length > 0);
    expect(changes).toEqual([users.byName('eva')]);
    expect(users.byName('ci')).toBeUndefined();
    expect(users.byTokenId('tok_8f3a')).toBeUndefined();
    expect(log.entries).toEqual([
      { level: 'info', message: 'the users file was read again', fields: { file } },
    ]);
  });

  test('that changes no user is not told', async () => {
    const { file, users, log, changes } = await watched(ci);
    replace(file, `# a comment\n${ci}`);
    await users.reload();
    expect(changes).toEqual([]);
    expect(log.entries).toEqual([]);
  });

  test('that breaks it leaves the users who they were, and is told once until it is mended', async () => {
    const { file, users, log, changes } = await watched(ci);
    const cause = `${file}: line 1: user "eva": role: must be one of viewer, operator, admin`;
    const message = 'the users file is of no use; the users stay who they were';
    replace(file, 'users: [{ name: eva }]\n');
    await eventually('the complaint', () => log.entries.length > 0);
    await users.reload();
    await users.reload();
    expect(log.entries).toEqual([{ level: 'error', message, fields: { cause } }]);
    expect(users.byTokenId('tok_8f3a')?.user.name).toBe('ci');
    expect(changes).toEqual([]);

    replace(file, eva);
    await eventually('the change', () => changes.length > 0);
    expect(log.entries.at(-1)).toMatchObject({ level: 'info', message: 'the users file was read again' });

    replace(file, 'users: [{ name: eva }]\n');
    await eventually('the complaint', () => log.errors().length === 2);
  });

  test('that removes it leaves the users who they were', async () => {
    const { file, users, log } = await watched(ci);
    rmSync(file);
    await eventually('the complaint', () => log.entries.length > 0);
    expect(log.entries[0]?.fields).toEqual({
      cause: `${file} is not there; "lab user add" makes it`,
    });
    expect(users.byName('ci')).toBeDefined();
    replace(file, eva);
    await eventually('the change', () => users.byName('eva'));
  });

  test('behind a link that is put elsewhere is taken, as Kubernetes does it', async () => {
    const { file, users, changes } = await watched(ci);
    const directory = path.dirname(file);
    for (const [name, text] of [['one', ci] as const, ['two', eva] as const]) {
      mkdirSync(path.join(directory, name));
      writeFileSync(path.join(directory, name, 'users.yaml'), text);
    }
    symlinkSync('one', path.join(directory, '..data'));
    symlinkSync('..data/users.yaml', `${file}.link`);
    renameSync(`${file}.link`, file);
    await users.reload();
    expect(changes).toEqual([]);
    symlinkSync('two', path.join(directory, '..data.new'));
    renameSync(path.join(directory, '..data.new'), path.join(directory, '..data'));
    await eventually('the change', () => users.byName('eva'));
  });

  test('after the other is taken up to the last, although many read at once', async () => {
    const { file, users } = await watched(ci);
    for (let round = 0; round < 20; round += 1) {
      replace(file, round % 2 === 0 ? eva : ci);
      void users.reload();
    }
    replace(file, eva);
    await users.reload();
    expect(users.byName('eva')).toBeDefined();
    expect(users.byName('ci')).toBeUndefined();
  });

  test('is told to everybody who listens, although one of them fails', async () => {
    const { file, users, log, changes } = await watched(ci);
    users.onChange(() => {
      throw new Error('it does not work');
    });
    const told: string[] = [];
    const end = users.onChange(() => told.push('another'));
    replace(file, eva);
    await users.reload();
    expect({ told, changes: changes.length }).toEqual({ told: ['another'], changes: 1 });
    expect(log.errors()).toEqual(['a change of users was not taken']);
    end();
    replace(file, ci);
    await users.reload();
    expect(told).toEqual(['another']);
  });

  test('that cannot be seen, because there is no directory, is told', async () => {
    const file = path.join(root, 'gone', 'users.yaml');
    const { users, log } = directoryOf(file, own);
    running.add(users.watch());
    expect(log.entries).toMatchObject([
      { level: 'warn', message: 'the users file cannot be watched; use SIGHUP', fields: { file } },
    ]);
    await users.reload();
    expect(log.errors()).toEqual(['the users file is of no use; the users stay who they were']);
    expect(users.byName('root')).toBe(own);
  });
});

describe('a guest', () => {
  const guest = { name: 'sam', role: 'operator', subject: 's1' } as const;

  test('who comes while the file is read again is no change of the file', async () => {
    const { users } = directoryOf(usersFile(root, ci));
    await users.load();
    const reading = users.reload();
    // The reading has begun then, and cannot have ended: that takes the event loop.
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    users.admit(guest);
    let changes = 0;
    users.onChange(() => (changes += 1));
    await reading;
    expect(changes).toBe(0);
    expect(users.byName('sam')).toMatchObject(guest);
  });

  test('leaves when the file has an entry for the same person', async () => {
    const file = usersFile(root, ci);
    const { users } = directoryOf(file);
    await users.load();
    users.admit(guest);
    replace(file, 'users: [{ name: sam.b, role: viewer, subject: s1 }]\n');
    await users.reload();
    expect(users.byName('sam')).toBeUndefined();
    expect(() => users.admit(guest)).toThrow('"sam" has the subject of "sam.b"');
    expect(users.admit({ ...guest, name: 'sam.b' })).toMatchObject({ role: 'viewer' });
  });

  test('does not come as the user of LAB_API_USER, who is in no file', () => {
    const { users } = directoryOf(undefined, own);
    expect(() => users.admit({ ...guest, name: 'root' })).toThrow('it is the one of LAB_API_USER');
  });
});
