/** A users file of an administrator, an operator and a viewer, and what each logs in with. */
import { expect } from '@jest/globals';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { hashSync } from 'bcryptjs';
import { hashPassword } from '../../src/access/passwords/password-hash.ts';
import type { Reply } from './http-client.ts';
import { makeGround, startService, type RunningService } from './service.ts';
import { usersFile } from './users-file.ts';

export function basic(user: string, password: string): { Authorization: string } {
  return { Authorization: `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}` };
}

export function bearer(secret: string): { Authorization: string } {
  return { Authorization: `Bearer ${secret}` };
}

const sha256 = (secret: string): string => createHash('sha256').update(secret).digest('hex');

export const passwords = { ops: 'ops: p\u00e4ss \u2713', vera: 'vera pass' } as const;
export const tokens = { ci: 'tok_0000000c_secret-of-ci', old: 'tok_0000000d_secret-of-old' } as const;

interface Entry {
  readonly name: string;
  readonly role: string;
  readonly password?: string;
  readonly workdirs?: readonly string[];
  readonly keys?: readonly string[];
  readonly tokens?: readonly {
    readonly id: string;
    readonly sha256: string;
    readonly note?: string;
    readonly expiresAt?: string;
  }[];
}

const idOf = (secret: string): string => secret.slice(0, 'tok_00000000'.length);

export interface Team {
  readonly file: string;
  readonly env: Record<string, string>;
  /** Writes the file anew, with other users. */
  change: (edit: (users: readonly Entry[]) => readonly Entry[]) => void;
}

/** `ops` (admin, scrypt), `vera` (viewer, bcrypt) and `ci` (operator, two tokens, one of them expired). */
export async function makeTeam(root: string): Promise<Team> {
  const users: readonly Entry[] = [
    { name: 'ops', role: 'admin', password: await hashPassword(passwords.ops) },
    { name: 'vera', role: 'viewer', password: hashSync(passwords.vera, 4) },
    {
      name: 'ci',
      role: 'operator',
      tokens: [
        { id: idOf(tokens.ci), sha256: sha256(tokens.ci) },
        { id: idOf(tokens.old), sha256: sha256(tokens.old), expiresAt: '2020-01-01T00:00:00Z' },
      ],
    },
  ];
  // JSON is YAML.
  const file = usersFile(root, JSON.stringify({ users }));
  return {
    file,
    env: { LAB_API_USERS_FILE: file },
    change: (edit) => writeFileSync(file, JSON.stringify({ users: edit(users) })),
  };
}

/** What an administrator sends to log in. */
export const login = { user: 'ops', password: passwords.ops };

/** What a browser sends from now on that has logged in with these words. */
export async function logIn(
  to: Pick<RunningService, 'post'>,
  words: object = login,
): Promise<{ Cookie: string }> {
  const reply = await to.post('/session', words);
  expect(reply).toMatchObject({ status: 200 });
  return { Cookie: reply.headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
}

/** A service with a team of its own, whose tests change it. */
export async function teamService(): Promise<{ team: Team; service: RunningService }> {
  const team = await makeTeam(makeGround().root);
  return { team, service: await startService({ env: team.env }) };
}

/** Sends a request such as `PATCH /users/vera`, as `ops` unless given. */
export async function send(
  to: RunningService,
  call: string,
  { body, as = basic(login.user, login.password) }: { body?: unknown; as?: Record<string, string> } = {},
): Promise<Reply> {
  const [method = '', target = ''] = call.split(' ');
  return to.request(target, {
    method,
    headers: as,
    ...(body !== undefined && { body }),
  });
}
