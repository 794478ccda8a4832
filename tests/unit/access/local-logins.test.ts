import type { Group } from '../../../src/access/model/groups.ts';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { LoginOutcome } from '../../../src/access/model/logins.ts';
import type { Principal } from '../../../src/access/model/principal.ts';
import type { KeptPassword, User } from '../../../src/access/model/user.ts';
import { FailedLogins } from '../../../src/access/failed-logins.ts';
import { LocalLogins } from '../../../src/access/local-logins.ts';
import { PasswordChecks } from '../../../src/access/passwords/password-checks.ts';
import { deferred } from '../../../src/lib/async/deferred.ts';
import { ChangingUsers, sessionsIn, noBrowser } from '../../support/logins.ts';

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const secret = 'tok_00000001_secret';
const token = {
  id: 'tok_00000001',
  sha256: createHash('sha256').update(secret).digest('hex'),
  note: null,
  expiresAtMs: null,
};
const ann: User = {
  name: 'ann',
  role: 'operator',
  workdirs: ['/labs'],
  password: { kind: 'plain', text: 'right' },
  tokens: [token],
};
const bob: User = { ...ann, name: 'bob', tokens: [] };

function loginsWith(isPassword: (kept: KeptPassword, text: string) => Promise<boolean> = async () => true) {
  const users = new ChangingUsers([ann, bob]);
  const checks = new PasswordChecks({ isPassword, decoy: () => undefined });
  const sessions = sessionsIn();
  const logins = new LocalLogins({
    users,
    checks,
    sessions,
    uses: { note: () => undefined },
    failures: new FailedLogins(),
  });
  const known = (outcome: LoginOutcome): Principal => {
    if (outcome.kind !== 'known') throw new Error(`the login was ${outcome.kind}`);
    return outcome.principal;
  };
  const byPassword = async (): Promise<Principal> => known(await logins.byPassword('ann', 'right', 'a'));
  const byToken = (): Principal => known(logins.byToken(secret, 'a'));
  return { users, logins, sessions, byPassword, byToken };
}

/** One of each kind: by what ann may be known. */
async function everyWay() {
  const rig = loginsWith();
  const [password, byToken] = [await rig.byPassword(), rig.byToken()];
  const proxy = rig.logins.byProxy('ann');
  const ofPassword = await rig.logins.beginSession(password, noBrowser);
  const ofToken = await rig.logins.beginSession(byToken, noBrowser);
  if (!proxy) throw new Error('ann is not known');
  const principals = {
    password,
    token: byToken,
    proxy,
    session: ofPassword.principal,
    sessionOfToken: ofToken.principal,
  };
  const revoked = (): string[] =>
    Object.entries(principals).flatMap(
      ([
        name,
        {
          revoked: { aborted },
        },
      ]) => (aborted ? [name] : []),
    );
  return { ...rig, principals, revoked, secrets: [ofPassword.secret, ofToken.secret] as const };
}

describe('a principal', () => {
  test('is the same for every request with one credential, so that nothing grows with their number', async () => {
    const { byPassword, byToken, logins } = loginsWith();
    const [one, other] = [await byPassword(), await byPassword()];
    expect(one).toBe(other);
    expect(one).toMatchObject({ name: 'ann', role: 'operator', workdirs: ['/labs'], loggedInBy: 'password' });
    expect(byToken()).toBe(byToken());
    const { secret: session, principal } = await logins.beginSession(one, noBrowser);
    expect(logins.bySession(session)).toBe(principal);
    expect(principal).toMatchObject({ name: 'ann', loggedInBy: 'session' });
  });

  const everything = ['password', 'token', 'proxy', 'session', 'sessionOfToken'];

  test.each<[string, readonly User[], readonly string[]]>([
    ['nothing that matters is changed', [{ ...ann }, { ...bob, role: 'admin' }], []],
    ['the user is removed', [bob], everything],
    ['the role is another', [{ ...ann, role: 'viewer' }, bob], everything],
    ['the directories are others', [{ ...ann, workdirs: null }, bob], everything],
    [
      'the password is another',
      [{ ...ann, password: { kind: 'plain', text: 'new' } }, bob],
      ['password', 'session'],
    ],
    ['the token is revoked', [{ ...ann, tokens: [] }, bob], ['token', 'sessionOfToken']],
    [
      'the token is another of the same id',
      [{ ...ann, tokens: [{ ...token, sha256: 'f'.repeat(64) }] }, bob],
      ['token', 'sessionOfToken'],
    ],
    ['there is one more token', [{ ...ann, tokens: [{ ...token, id: 'tok_2' }, token] }, bob], []],
  ])('is revoked when it holds no more: %s', async (_what, users, expected) => {
    const rig = await everyWay();
    rig.users.become(users);
    expect(rig.revoked()).toEqual(expected);
  });

  test('is revoked when its user leaves a group, or a member leaves one that they lead, and not when one is joined', async () => {
    const rig = await everyWay();
    const course = { name: 'course', members: ['bob'], leaders: ['ann'] };
    const team = { name: 'team', members: ['ann'], leaders: [] };
    const become = (...groups: readonly Group[]): void => rig.users.become([ann, bob], groups);
    become(course, team);
    become(course, { ...team, members: ['bob', 'ann'] });
    expect(rig.revoked()).toEqual([]);
    become(course, { ...team, members: ['bob'] });
    expect(rig.revoked()).toEqual(everything);

    const other = await everyWay();
    const lead = (...groups: readonly Group[]): void => other.users.become([ann, bob], groups);
    lead(course);
    lead({ ...course, members: ['eva', 'bob'] });
    expect(other.revoked()).toEqual([]);
    lead({ ...course, members: ['bob'] });
    expect(other.revoked()).toEqual(everything);
  });

  test('is a new one after that, with what the user may now', async () => {
    const { users, byPassword } = loginsWith();
    const before = await byPassword();
    users.become([{ ...ann, role: 'viewer' }]);
    const after = await byPassword();
    expect(after).not.toBe(before);
    expect(after).toMatchObject({ role: 'viewer', revoked: { aborted: false } });
  });

  test('is revoked when its token or its session is over, and its session ends no later than its token', async () => {
    jest.useFakeTimers();
    const { users, logins, byToken } = loginsWith();
    users.become([{ ...ann, tokens: [{ ...token, expiresAtMs: Date.now() + 60_000 }] }]);
    const principal = byToken();
    const { secret: session, principal: ofSession } = await logins.beginSession(principal, noBrowser);
    expect(logins.endsAtMs(ofSession)).toBe(logins.endsAtMs(principal));
    jest.advanceTimersByTime(59_999);
    expect([principal.revoked.aborted, ofSession.revoked.aborted]).toEqual([false, false]);
    jest.advanceTimersByTime(2);
    expect([principal.revoked.aborted, ofSession.revoked.aborted]).toEqual([true, true]);
    expect(logins.byToken(secret, 'a')).toMatchObject({ kind: 'barred', user: 'ann', locksOut: false });
    expect(logins.bySession(session)).toBeUndefined();
  });

  test('of a session is revoked by its logout, and no other', async () => {
    const { logins, principals, revoked, secrets } = await everyWay();
    await logins.endSession(secrets[0]);
    expect(revoked()).toEqual(['session']);
    expect(logins.bySession(secrets[0])).toBeUndefined();
    expect(logins.bySession(secrets[1])).toBe(principals.sessionOfToken);
    // Of no session: there is nothing to log out of.
    await logins.endSession(secret);
    expect(revoked()).toEqual(['session']);
  });
});

describe('a key of SSH', () => {
  const key = { type: 'ssh-ed25519', fingerprint: 'SHA256:x', comment: '' };
  const eva: User = { ...bob, name: 'eva', keys: [key] };

  test('logs its user in until it is taken away; an unknown one is no guess', () => {
    const { users, logins } = loginsWith();
    users.become([ann, eva]);
    expect(logins.byKey('SHA256:y')).toBeUndefined();
    const outcome = logins.byKey('SHA256:x');
    if (outcome?.kind !== 'known') throw new Error('the key is known');
    const { principal } = outcome;
    expect(principal).toMatchObject({ name: 'eva', loggedInBy: 'key', revoked: { aborted: false } });
    users.become([ann, { ...eva, tokens: [token], keys: [key, { ...key, fingerprint: 'SHA256:z' }] }]);
    expect(principal.revoked.aborted).toBe(false);
    users.become([ann, { ...eva, keys: [] }]);
    expect(principal.revoked.aborted).toBe(true);
  });

  test('also opens from an address that guessed, and not for a locked user', () => {
    const { users, logins } = loginsWith();
    users.become([ann, eva]);
    for (let guess = 0; guess < 30; guess += 1) logins.byToken('x', 'a');
    expect(logins.byKey('SHA256:x')).toMatchObject({ kind: 'known' });
    users.become([ann, { ...eva, isLocked: true }]);
    expect(logins.byKey('SHA256:x')).toMatchObject({ kind: 'barred', user: 'eva', locksOut: false });
  });
});

describe('what the service asks of itself for a user', () => {
  test('is by a secret that is good until it is given back, also where guesses are locked out', async () => {
    const { logins, principals } = await everyWay();
    for (let guess = 0; guess < 30; guess += 1) logins.byToken('x', 'a');
    const loan = logins.lend(principals.proxy, '192.0.2.7');
    expect(logins.byToken(loan.secret, 'a')).toEqual({ kind: 'known', principal: principals.proxy });
    loan.end();
    expect(logins.byToken(loan.secret, 'b')).toEqual({ kind: 'wrong', locksOut: false });
  });

  test('is refused once the user is another, and is no guess', async () => {
    const { logins, principals, users } = await everyWay();
    const { secret: lent } = logins.lend(principals.password, undefined);
    users.become([bob]);
    for (let look = 0; look < 40; look += 1)
      expect(logins.byToken(lent, 'a')).toEqual({ kind: 'wrong', locksOut: false });
    expect(logins.lockedMs('a')).toBe(0);
  });
});

describe('a login', () => {
  test('is refused when the password is changed while it is looked at', async () => {
    const end = deferred<boolean>();
    const { users, logins } = loginsWith(async () => end.promise);
    const hashed: User = { ...ann, password: { kind: 'hash', hash: 'one' } };
    users.become([hashed]);
    const outcome = logins.byPassword('ann', 'right', 'a');
    users.become([{ ...hashed, password: { kind: 'hash', hash: 'other' } }]);
    end.resolve(true);
    expect(await outcome).toEqual({ kind: 'wrong', locksOut: false });
  });

  test('tells nothing more to an address that is locked out meanwhile, not even that it was right', async () => {
    const end = deferred<boolean>();
    const { users, logins } = loginsWith(async () => end.promise);
    users.become([{ ...ann, password: { kind: 'hash', hash: 'one' } }]);
    const outcome = logins.byPassword('ann', 'right', 'a');
    for (let guess = 0; guess < 30; guess += 1) logins.byToken('x', 'a');
    end.resolve(true);
    expect(await outcome).toMatchObject({ kind: 'locked' });
  });

  test('begins no session when it holds no more', async () => {
    const { users, logins, byPassword } = loginsWith();
    const principal = await byPassword();
    users.become([bob]);
    await expect(logins.beginSession(principal, noBrowser)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('by a session or a proxy begins no further session', async () => {
    const { logins, principals } = await everyWay();
    for (const principal of [principals.session, principals.proxy])
      await expect(logins.beginSession(principal, noBrowser)).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
