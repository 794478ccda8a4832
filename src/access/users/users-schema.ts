/** The schema of a users file (docs/access.md), and the users that it yields. */
import path from 'node:path';
import * as z from 'zod';
import { groupNamePattern, type Group } from '../model/groups.ts';
import { roles } from '../model/role.ts';
import { isWithoutUnit, parseDuration } from '../../lib/text/duration.ts';
import { parseSize } from '../../lib/text/size.ts';
import type { GroupLimits, Limits, ServerLimits, UserLimits } from '../model/quotas.ts';
import { parseSshKey } from '../../lib/net/ssh-key.ts';
import type { KeptPassword, Token, User, UserKey } from '../model/user.ts';
import { hashProblem } from '../passwords/password-hash.ts';

const nameMax = 128;
/** A client offers them one after the other, and each that is unknown costs it a turn. */
const maxKeys = 32;

/** Returns the mistake in a user's name (`must …`); undefined if there is none. */
export function userNameProblem(name: string): string | undefined {
  if (name === '' || name.length > nameMax) return `must have 1 to ${nameMax} characters`;
  // In a path of a URL, these are directories.
  if (name === '.' || name === '..') return 'must not be "." or ".."';
  if (name.trim() !== name) return 'must not begin or end with a space';
  // RFC 7617, section 2: the first colon ends the user name, so such a user could never log in.
  if (name.includes(':')) return 'must not contain a colon';
  // Names are printed in logs and on terminals, where such characters have effects.
  return /\p{C}/u.test(name) ? 'must not contain control or invisible characters' : undefined;
}

/** YAML reads 1234 and true as a number and a boolean. */
function unquoted(input: unknown): string | undefined {
  const isRead = typeof input === 'number' || typeof input === 'boolean';
  return isRead ? 'must be text: put it in quotes' : undefined;
}

/** A schema of text without a `problem`. */
function text(problem: (value: string) => string | undefined) {
  return z.string({ error: ({ input }) => unquoted(input) }).superRefine((value, context) => {
    const message = problem(value);
    if (message !== undefined) context.addIssue(message);
  });
}

const matching = (form: RegExp, message: string) => text((value) => (form.test(value) ? undefined : message));

const token = z
  .strictObject({
    id: matching(/^tok_[0-9a-f]{4,32}$/, 'must be "tok_" and 4 to 32 hexadecimal digits'),
    sha256: matching(/^[0-9a-f]{64}$/i, 'must be the 64 hexadecimal digits of a SHA-256'),
    note: matching(/^\P{C}{0,200}$/u, 'must be one line of at most 200 characters').nullish(),
    expiresAt: z.iso
      .datetime({ offset: true, error: 'must be a time with its zone, like 2027-01-01T00:00:00Z' })
      .nullish(),
  })
  .transform(({ id, sha256, note, expiresAt }): Token => ({
    id,
    sha256: sha256.toLowerCase(),
    note: note ?? null,
    expiresAtMs: expiresAt ? Date.parse(expiresAt) : null,
  }));

const key = z.string({ error: ({ input }) => unquoted(input) }).transform((line, context): UserKey => {
  const parsed = parseSshKey(line);
  if (!('problem' in parsed)) return parsed;
  context.addIssue(parsed.problem);
  return z.NEVER;
});

const password = text((hash) => {
  const problem = hashProblem(hash);
  return problem && `${problem}; "lab user passwd" writes one`;
}).transform((hash): KeptPassword => ({ kind: 'hash', hash }));

const workdir = matching(/^\//, 'must be an absolute path').transform((directory) => path.resolve(directory));

/** As its field is written in a users file, and whether it is a limit. */
const count = z
  .union([z.int().min(0), z.literal('unlimited')], { error: 'must be a whole number from 0, or "unlimited"' })
  .transform((value) => (value === 'unlimited' ? Infinity : value));

/** A limit that is written with its unit. */
function measured(parse: (text: string) => number | undefined, example: string) {
  return z.union([z.string(), z.number()]).transform((value, context): number => {
    if (value === 'unlimited') return Infinity;
    const parsed = isWithoutUnit(String(value)) && value !== 0 ? undefined : parse(String(value));
    if (parsed !== undefined) return parsed;
    context.addIssue(`must be an amount with its unit, like ${example}, or "unlimited"`);
    return z.NEVER;
  });
}

/** The longest that a request can ask for. */
const maxLeaseMs = 36_500 * 86_400_000;

const lease = measured(parseDuration, '8h').refine(
  (ms) => ms === Infinity || (ms >= 1_000 && ms <= maxLeaseMs),
  'must be from 1s to 36500d, or "unlimited"',
);

const limitFields = {
  labs: count.nullish(),
  nodes: count.nullish(),
  jobs: count.nullish(),
  workspaces: measured(parseSize, '10GiB').nullish(),
};

interface WrittenLimits {
  readonly labs?: number | null | undefined;
  readonly nodes?: number | null | undefined;
  readonly jobs?: number | null | undefined;
  readonly workspaces?: number | null | undefined;
  readonly lease?: number | null | undefined;
}

/** A field that is null stands for none. */
function limitsOf({ workspaces: workspaceBytes, lease: leaseMs, ...counts }: WrittenLimits): UserLimits {
  const given = Object.entries({ ...counts, workspaceBytes, leaseMs });
  return Object.fromEntries(given.filter(([, value]) => typeof value === 'number'));
}

const limits = z.strictObject(limitFields).transform((written): Limits => limitsOf(written));

const userLimits = z
  .strictObject({ ...limitFields, lease: lease.nullish() })
  .transform((written) => limitsOf(written));

const groupQuotas = z
  .strictObject({ each: userLimits.nullish(), together: limits.nullish() })
  .transform(({ each, together }): GroupLimits => ({ ...(each && { each }), ...(together && { together }) }));

const roleQuotas = z
  .strictObject({ viewer: userLimits.nullish(), operator: userLimits.nullish(), admin: userLimits.nullish() })
  .transform((written): NonNullable<ServerLimits['roles']> =>
    Object.fromEntries(Object.entries(written).filter(([, given]) => given)),
  );

const serverQuotas = z
  .strictObject({ server: limits.nullish(), roles: roleQuotas.nullish() })
  .transform(({ server, roles: ofRoles }): ServerLimits => ({
    ...(server && { server }),
    ...(ofRoles && { roles: ofRoles }),
  }));

const user = z
  .strictObject({
    name: text(userNameProblem),
    role: z.enum(roles),
    password: password.nullish(),
    tokens: z.array(token).nullish(),
    keys: z.array(key).max(maxKeys, `must have at most ${maxKeys} keys`).nullish(),
    workdirs: z.array(workdir).nullish(),
    locked: z.boolean().nullish(),
    // OpenID Connect Core 1.0, section 2: a `sub` has at most 255 ASCII characters.
    subject: matching(/^[\x20-\x7e]{1,255}$/, 'must be the 1 to 255 ASCII characters of a "sub"').nullish(),
    quotas: userLimits.nullish(),
  })
  .transform(({ name, role, workdirs, locked, subject, ...rest }): User => ({
    name,
    role,
    workdirs: workdirs ?? null,
    password: rest.password ?? null,
    tokens: rest.tokens ?? [],
    ...(rest.keys?.length && { keys: rest.keys }),
    ...(locked && { isLocked: true }),
    ...(subject && { subject }),
    ...(rest.quotas && { quotas: rest.quotas }),
  }));

const maxLeaders = 100;

const group = z
  .strictObject({
    name: matching(
      groupNamePattern,
      'must have 1 to 63 letters, digits and . _ -, and begin with a letter, a digit or _',
    ),
    members: z.array(text(userNameProblem)),
    leaders: z
      .array(text(userNameProblem))
      .max(maxLeaders, `must have at most ${maxLeaders} names`)
      .nullish(),
    quotas: groupQuotas.nullish(),
  })
  .transform(({ name, members, leaders, quotas }): Group => ({
    name,
    members,
    leaders: leaders ?? [],
    ...(quotas && { quotas }),
  }));

/** The fields of each level, for the hint about a misspelled one. */
export const fieldsAt = {
  file: ['users', 'groups', 'quotas'],
  user: ['name', 'role', 'password', 'tokens', 'keys', 'workdirs', 'locked', 'subject', 'quotas'],
  token: ['id', 'sha256', 'note', 'expiresAt'],
  group: ['name', 'members', 'leaders', 'quotas'],
  groupQuotas: ['each', 'together'],
  serverQuotas: ['server', 'roles'],
  roles,
  sharedLimits: ['labs', 'nodes', 'jobs', 'workspaces'],
  limits: ['labs', 'nodes', 'jobs', 'workspaces', 'lease'],
} as const;

const file = z.strictObject({
  users: z.array(user),
  groups: z
    .array(group)
    .nullish()
    .transform((groups) => groups ?? []),
  quotas: serverQuotas.nullish().transform((quotas) => quotas ?? {}),
});

/** The users, the groups and the quotas of a users file. */
export type UsersFile = Readonly<z.infer<typeof file>>;

/** The schema of a file. No user in it may have the name `own`, which is the one of LAB_API_USER. */
export function usersSchema(own: string | undefined) {
  return file.superRefine(({ users, groups }, context) => {
    const [names, ids] = [new Set<string>(), new Set<string>()];
    const keyOwners = new Map<string, string>();
    for (const [at, { name, tokens, keys = [] }] of users.entries()) {
      if (name === own)
        context.addIssue({
          code: 'custom',
          path: ['users', at, 'name'],
          message: 'is that of LAB_API_USER, who is an administrator already',
        });
      if (names.has(name))
        context.addIssue({ code: 'custom', path: ['users', at, 'name'], message: 'is here twice' });
      names.add(name);
      for (const [number, { fingerprint }] of keys.entries()) {
        const owner = keyOwners.get(fingerprint);
        const message = owner === name ? 'is here twice' : `is a key of ${JSON.stringify(owner)} as well`;
        if (owner !== undefined)
          context.addIssue({ code: 'custom', path: ['users', at, 'keys', number], message });
        keyOwners.set(fingerprint, name);
      }
      for (const [number, { id }] of tokens.entries()) {
        const place = ['users', at, 'tokens', number, 'id'];
        if (ids.has(id)) context.addIssue({ code: 'custom', path: place, message: 'is here twice' });
        ids.add(id);
      }
    }
    const groupNames = new Set<string>();
    for (const [at, { name }] of groups.entries()) {
      if (groupNames.has(name))
        context.addIssue({ code: 'custom', path: ['groups', at, 'name'], message: 'is here twice' });
      groupNames.add(name);
    }
  });
}
