import { describe, expect, test } from '@jest/globals';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { User } from '../../../../src/access/model/user.ts';
import { sessionsIn, noBrowser } from '../../../support/logins.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { emptyPlace, temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const newDirectory = (): string => emptyPlace(root).directory;

const user = (name: string): User => ({
  name,
  role: 'viewer',
  workdirs: null,
  password: { kind: 'hash', hash: '$scrypt$x' },
  tokens: [],
});
const login = { user: user('ann'), token: undefined, browser: noBrowser };

describe('sessions', () => {
  test('are those of the last service again, once they were begun', async () => {
    const directory = newDirectory();
    const { secret, session } = await sessionsIn(directory).begin(login);
    const after = sessionsIn(directory);
    await after.open();
    expect(after.find(secret)).toEqual(session);
    expect(after.isUnchanged(session, secret, login)).toBe(true);
    await after.end(session.id);
    const last = sessionsIn(directory);
    await last.open();
    expect(last.find(secret)).toBeUndefined();
  });

  test('are found by the whole secret alone', async () => {
    const sessions = sessionsIn(newDirectory());
    const { secret, session } = await sessions.begin(login);
    for (const other of ['', session.id, `${session.id}_`, secret.slice(0, -1), `${secret}x`, ` ${secret}`])
      expect(sessions.find(other)).toBeUndefined();
    expect(sessions.find(secret)).toBe(session);
  });

  test('know whether the user is another, by a hash that needs the secret', async () => {
    const sessions = sessionsIn(newDirectory());
    const { secret, session } = await sessions.begin(login);
    const others: readonly User[] = [
      { ...login.user, role: 'admin' },
      { ...login.user, workdirs: [] },
      { ...login.user, password: null },
      user('bob'),
    ];
    for (const other of others)
      expect(sessions.isUnchanged(session, secret, { user: other, token: undefined })).toBe(false);
    expect(sessions.isUnchanged(session, `${secret}x`, login)).toBe(false);
  });

  test('of one user are 32: the oldest end, and those of others stay', async () => {
    const sessions = sessionsIn(newDirectory());
    const ended: string[] = [];
    sessions.onEnd((id) => ended.push(id));
    const other = await sessions.begin({ user: user('bob'), token: undefined, browser: noBrowser });
    const own = [];
    for (let count = 0; count < 34; count += 1) own.push(await sessions.begin(login));
    expect(ended).toEqual(own.slice(0, 2).map(({ session }) => session.id));
    expect(sessions.find(other.secret)).toBe(other.session);
  });

  test('that begin at once do not end each other', async () => {
    const sessions = sessionsIn(newDirectory());
    const begun = await Promise.all(Array.from({ length: 50 }, () => sessions.begin(login)));
    expect(begun.filter(({ secret }) => sessions.find(secret) === undefined)).toEqual([]);
    await sessions.begin(login);
    expect(begun.filter(({ secret }) => sessions.find(secret) !== undefined)).toHaveLength(31);
  });

  test('that are over are dropped from the file', async () => {
    const directory = newDirectory();
    const before = sessionsIn(directory, { ttlMs: -1 });
    const { secret } = await before.begin(login);
    expect(before.find(secret)).toBeUndefined();
    const after = sessionsIn(directory);
    await after.open();
    await after.begin(login);
    const { sessions } = JSON.parse(readFileSync(path.join(directory, 'sessions.json'), 'utf8')) as {
      sessions: unknown[];
    };
    expect(sessions).toHaveLength(1);
  });

  test('cannot begin when the disk refuses, and end all the same', async () => {
    const directory = path.join(newDirectory(), 'data');
    mkdirSync(directory);
    const sessions = sessionsIn(directory);
    const { secret, session } = await sessions.begin(login);
    rmSync(directory, { recursive: true });
    await expect(sessions.begin(login)).rejects.toMatchObject({ code: 'storage-fault' });
    await expect(sessions.end(session.id)).rejects.toMatchObject({ code: 'storage-fault' });
    expect(sessions.find(secret)).toBeUndefined();
    mkdirSync(directory);
    await sessions.begin(login);
    const { sessions: kept } = JSON.parse(readFileSync(path.join(directory, 'sessions.json'), 'utf8')) as {
      sessions: unknown[];
    };
    expect(kept).toHaveLength(1);
  });

  test('that cannot be understood are set aside, and somebody is told', async () => {
    const directory = newDirectory();
    await sessionsIn(directory).begin(login);
    const log = new MemoryLogger();
    writeFileSync(path.join(directory, 'sessions.json'), '{"sessions":');
    const after = sessionsIn(directory, { log });
    await after.open();
    expect(log.errors()).toHaveLength(1);
    expect(readdirSync(directory)).toEqual([expect.stringMatching(/^sessions\.json\.damaged-\d+$/)]);
  });
});
