import type { Request } from 'express';
import * as z from 'zod';
import type { Browser } from '../../access/model/accounts.ts';
import { anybody, type Principal } from '../../access/model/principal.ts';
import { roleMay, roles } from '../../access/model/role.ts';
import { AppError, fieldError } from '../../lib/app-error.ts';
import type { HttpContext } from '../context.ts';
import { addressOf } from '../request/address.ts';
import { checked } from '../request/checked.ts';
import { principalFrom, refusalOf } from '../request/log-in.ts';
import { clearedCookies, sessionCookie, sessionSecretsOf } from '../request/session-cookie.ts';
import { defineRoute, jsonReply, noParams, noQuery, type Reply } from '../route.ts';
import { newPassword, usersFileErrors } from './users.ts';

const permissions = ['read', 'operate', 'administer'] as const;

const sessionSchema = z
  .object({
    user: z.string().nullable().describe('The name of the user; null on a server without users.'),
    role: z.enum(roles).describe('The role of the user; `admin` on a server without users.'),
    permissions: z
      .array(z.enum(permissions))
      .describe(
        'The permissions of the user. Each route names the one that it needs as `x-permission`, unless it is `public`.',
      ),
    workdirs: z
      .array(z.string())
      .nullable()
      .describe('The only directories that the user may see, besides own workspaces; null for all.'),
    groups: z
      .array(z.string())
      .describe('The groups of the users file that the user is a member or a leader of.'),
    loggedInBy: z
      .enum(['nothing', 'password', 'token', 'key', 'session', 'provider', 'proxy', 'host'])
      .describe('How the user logged in; `nothing` on a server without users.'),
    expiresAt: z.iso
      .datetime()
      .nullable()
      .describe('When the session or the token expires (RFC 3339, UTC); null for never.'),
    tokenId: z
      .string()
      .nullable()
      .describe('The token that the user logged in with, also of a session; null without one.'),
    hasPassword: z
      .boolean()
      .describe('Whether the user has a password in the users file, which `PUT /session/password` changes.'),
  })
  .meta({ id: 'Session', description: 'The user of the request with their role and permissions.' });

function viewOf(principal: Principal, { logins, users }: HttpContext): z.output<typeof sessionSchema> {
  const { name, role, workdirs, loggedInBy } = principal;
  const endsAtMs = logins.endsAtMs(principal);
  return {
    user: name,
    role,
    permissions: permissions.filter((permission) => roleMay(role, permission)),
    workdirs: workdirs && [...workdirs],
    groups: [...users.groups.of(name).groups],
    loggedInBy,
    expiresAt: endsAtMs === null ? null : new Date(endsAtMs).toISOString(),
    tokenId: principal.tokenId ?? null,
    hasPassword: users.byName(name ?? '')?.password?.kind === 'hash',
  };
}

/** Private, and different for each user. */
const notKept = { 'Cache-Control': 'no-store' };

export const getSession = defineRoute({
  method: 'get',
  path: '/session',
  permission: 'read',
  about: 'thisHost',
  tag: 'users',
  operationId: 'getSession',
  summary: 'The current user and their permissions',
  description:
    'For requests with a session, a password or a token. On a server without users, `user` is null and `loggedInBy` is `nothing`.',
  params: noParams,
  query: noQuery,
  replies: { 200: jsonReply('The current user.', sessionSchema, ['Cache-Control']) },
  handler: ({ req, context }) => ({
    kind: 'json',
    status: 200,
    value: viewOf(req.principal ?? anybody, context),
    headers: notKept,
  }),
});

/** Small, because these requests come from clients that are not logged in. */
const maxBytes = 16 * 1024;
const maxWordLength = 2_048;
const word = (what: string) =>
  z
    .string('must be a text')
    .max(maxWordLength, `must not have more than ${maxWordLength} characters`)
    .optional()
    .describe(what);

const loginSchema = z
  .strictObject({
    user: word('The name of the user.'),
    password: word('The password of the user.'),
    token: word('A token, instead of user and password.'),
  })
  .refine(
    ({ user, password, token }) =>
      token === undefined ? user !== undefined && password !== undefined : (user ?? password) === undefined,
    'give user and password, or token',
  )
  .meta({
    id: 'Login',
    description: 'The credentials: a user with a password, or a token.',
    if: { required: ['token'] },
    else: { required: ['user', 'password'] },
    not: { anyOf: [{ required: ['token', 'user'] }, { required: ['token', 'password'] }] },
  });

async function principalOf(
  { user = '', password = '', token }: z.output<typeof loginSchema>,
  req: Request,
  { logins, log }: HttpContext,
): Promise<Principal> {
  const address = addressOf(req);
  const outcome =
    token === undefined ? await logins.byPassword(user, password, address) : logins.byToken(token, address);
  return principalFrom(outcome, req, log);
}

/** Browsers send some 120 characters. */
const maxAgentLength = 200;

export function browserOf(req: Request): Browser {
  return { address: addressOf(req), agent: req.get('User-Agent')?.slice(0, maxAgentLength) ?? null };
}

/** Of the cookie of a session. */
export function lastsSeconds(principal: Principal, { logins }: Pick<HttpContext, 'logins'>): number {
  const endsAtMs = logins.endsAtMs(principal) ?? Date.now();
  return Math.max(1, Math.ceil((endsAtMs - Date.now()) / 1000));
}

/** Begins a session for a user who has logged in. */
async function begin(login: Principal, req: Request, context: HttpContext): Promise<Reply> {
  const { logins, config } = context;
  const { secret, principal } = await logins.beginSession(login, browserOf(req));
  // The audit log names this user for the request.
  req.principal = principal;
  const cookie = sessionCookie(secret, lastsSeconds(principal, context), req, config);
  return {
    kind: 'json',
    status: 200,
    value: viewOf(principal, context),
    headers: { ...notKept, 'Set-Cookie': cookie },
  };
}

export const beginSession = defineRoute({
  method: 'post',
  path: '/session',
  permission: 'public',
  about: 'thisHost',
  tag: 'users',
  operationId: 'beginSession',
  summary: 'Logs in, for browsers: a cookie instead of the password',
  description:
    'The cookie is `HttpOnly` and `SameSite=Strict`, and `Secure` under TLS. The session lasts for `LAB_API_SESSION_TTL`, also over restarts of the service. It ends when the password, the role or the token of the user changes. A server without users has no sessions: 409.',
  params: noParams,
  query: noQuery,
  body: { schema: loginSchema, maxBytes, parse: (body) => checked(loginSchema, body) },
  replies: { 200: jsonReply('The user who logged in.', sessionSchema, ['Set-Cookie', 'Cache-Control']) },
  errors: ['invalid-json', 'conflict', 'payload-too-large', 'storage-fault'],
  handler: async ({ body, req, context }) => {
    if (!context.logins.isRequired)
      throw new AppError(
        'conflict',
        'this server has no users, so there is nothing to log in to: send requests without credentials',
      );
    return begin(await principalOf(body, req, context), req, context);
  },
});

export const endSession = defineRoute({
  method: 'delete',
  path: '/session',
  permission: 'public',
  about: 'thisHost',
  tag: 'users',
  operationId: 'endSession',
  summary: 'Logs out',
  description:
    'Ends the session of the cookie with its streams and removes the cookie. Without a session, it does nothing.',
  params: noParams,
  query: noQuery,
  replies: { 204: { description: 'The session has ended.', content: {}, headers: ['Set-Cookie'] } },
  errors: ['storage-fault'],
  handler: async ({ req, res, context: { logins, config } }) => {
    // Also when the disk refuses: the browser is to forget it at any rate.
    res.setHeader('Set-Cookie', clearedCookies(req, config));
    // Regardless of the user of the request: a browser may also send a password, and a proxy names a user in each request.
    for (const secret of sessionSecretsOf(req, config)) await logins.endSession(secret);
    return { kind: 'empty' };
  },
});

const ownPasswordSchema = z
  .strictObject({
    currentPassword: z.string().max(maxWordLength).describe('The present password.'),
    newPassword: newPassword.describe('The new password. Only its hash (scrypt) is stored.'),
  })
  .meta({ id: 'OwnPassword', description: 'The present password of the user and a new one.' });

export const changeOwnPassword = defineRoute({
  method: 'put',
  path: '/session/password',
  permission: 'read',
  about: 'thisHost',
  tag: 'users',
  operationId: 'changeOwnPassword',
  summary: 'Changes your own password',
  description:
    'All logins with the old password end at once: sessions, streams and terminals. A request with a session gets a new one. Tokens stay. A wrong present password counts as a failed login.',
  params: noParams,
  query: noQuery,
  body: { schema: ownPasswordSchema, parse: (body) => checked(ownPasswordSchema, body) },
  replies: { 200: jsonReply('The user, logged in anew.', sessionSchema, ['Set-Cookie', 'Cache-Control']) },
  errors: [...usersFileErrors, 'user-not-found', 'payload-too-large'],
  handler: async ({ body: { currentPassword, newPassword: wanted }, req, context }) => {
    const { principal = anybody } = req;
    const { name } = principal;
    const { accounts, logins, users, log } = context;
    if (name === null) throw new AppError('conflict', 'this server has no users, and so no passwords');
    if (users.byName(name)?.password === null)
      throw new AppError('forbidden', 'you have no password yet: an administrator can set one');
    const outcome = await logins.byPassword(name, currentPassword, addressOf(req));
    if (outcome.kind !== 'known') {
      const refusal = refusalOf(outcome, req, log);
      // Not a 401: a browser would take its session for ended.
      throw outcome.kind === 'wrong' ? fieldError('forbidden', 'currentPassword', 'is wrong') : refusal;
    }
    await accounts.changeOwnPassword(principal, wanted);
    const login = logins.ofPassword(name);
    if (login === undefined) throw new AppError('unauthorized', 'the user was changed or removed meanwhile');
    if (principal.loggedInBy === 'session') return begin(login, req, context);
    return { kind: 'json', status: 200, value: viewOf(login, context), headers: notKept };
  },
});
