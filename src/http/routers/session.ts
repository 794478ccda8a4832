import type { Request } from 'express';
import * as z from 'zod';
import { anybody, type Principal } from '../../access/model/principal.ts';
import { roleMay, roles } from '../../access/model/role.ts';
import { AppError } from '../../lib/app-error.ts';
import type { HttpContext } from '../context.ts';
import { addressOf } from '../request/address.ts';
import { checkedBody } from '../request/json-body.ts';
import { principalFrom } from '../request/log-in.ts';
import { clearedCookies, sessionCookie, sessionSecretsOf } from '../request/session-cookie.ts';
import { defineRoute, jsonReply, noParams, noQuery } from '../route.ts';

const permissions = ['read', 'operate', 'administer'] as const;

const sessionSchema = z
  .object({
    user: z.string().nullable().describe('Who I am; null on a server where nobody logs in.'),
    role: z.enum(roles).describe('What I am on this server. Whoever comes where nobody logs in is `admin`.'),
    permissions: z
      .array(z.enum(permissions))
      .describe('What I may: routes name one of these as `x-permission`, unless they are `public`.'),
    workdirs: z
      .array(z.string())
      .nullable()
      .describe('The only directories that I may see, besides workspaces of my own; null for all.'),
    loggedInBy: z
      .enum(['nothing', 'password', 'token', 'session', 'proxy', 'host'])
      .describe('How I am known. `nothing`: nobody logs in here.'),
    expiresAt: z.iso
      .datetime()
      .nullable()
      .describe('When that ends by itself (RFC 3339, UTC): the session, or the token; null for never.'),
  })
  .meta({ id: 'Session', description: 'Who asks, and what that user may do.' });

function viewOf(principal: Principal, { logins }: HttpContext): z.output<typeof sessionSchema> {
  const { name, role, workdirs, loggedInBy } = principal;
  const endsAtMs = logins.endsAtMs(principal);
  return {
    user: name,
    role,
    permissions: permissions.filter((permission) => roleMay(role, permission)),
    workdirs: workdirs && [...workdirs],
    loggedInBy,
    expiresAt: endsAtMs === null ? null : new Date(endsAtMs).toISOString(),
  };
}

/** Nobody else's business, and another for each user. */
const notKept = { 'Cache-Control': 'no-store' };

export const getSession = defineRoute({
  method: 'get',
  path: '/session',
  permission: 'read',
  about: 'thisHost',
  tag: 'service',
  operationId: 'getSession',
  summary: 'Who I am, and what I may',
  description:
    'For whoever asks with a session, a password or a token. On a server where nobody logs in, `user` is null and `loggedInBy` is `nothing`.',
  params: noParams,
  query: noQuery,
  replies: { 200: jsonReply('Who asks.', sessionSchema, ['Cache-Control']) },
  handler: ({ req, context }) => ({
    kind: 'json',
    status: 200,
    value: viewOf(req.principal ?? anybody, context),
    headers: notKept,
  }),
});

/** Whoever is not known yet is not read at length. */
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
    token: word('A token, in place of the two.'),
  })
  .refine(
    ({ user, password, token }) =>
      token === undefined ? user !== undefined && password !== undefined : (user ?? password) === undefined,
    'give user and password, or token',
  )
  .meta({ id: 'Login', description: 'Who wants a session: a user with a password, or a token.' });

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

export const beginSession = defineRoute({
  method: 'post',
  path: '/session',
  permission: 'public',
  about: 'thisHost',
  tag: 'service',
  operationId: 'beginSession',
  summary: 'Logs in, for browsers: a cookie in place of the password',
  description:
    'The cookie is `HttpOnly` and `SameSite=Strict`, and `Secure` under TLS. The session lasts for `LAB_API_SESSION_TTL`, over restarts of the service, and ends with the password, the role or the token of the user. On a server where nobody logs in there are no sessions: 409.',
  params: noParams,
  query: noQuery,
  body: { schema: loginSchema, maxBytes, parse: (body) => checkedBody(loginSchema, body) },
  replies: { 200: jsonReply('Who has logged in.', sessionSchema, ['Set-Cookie', 'Cache-Control']) },
  errors: ['invalid-json', 'conflict', 'payload-too-large', 'storage-fault'],
  handler: async ({ body, req, context }) => {
    const { logins, config } = context;
    if (!logins.isRequired)
      throw new AppError('conflict', 'nobody logs in on this server: it has no users, and answers everybody');
    const { secret, principal } = await logins.beginSession(await principalOf(body, req, context));
    // Who the request is of, from now on: the audit names the user.
    req.principal = principal;
    const endsAtMs = logins.endsAtMs(principal) ?? Date.now();
    const lastsSeconds = Math.max(1, Math.ceil((endsAtMs - Date.now()) / 1000));
    const cookie = sessionCookie(secret, lastsSeconds, req, config);
    return {
      kind: 'json',
      status: 200,
      value: viewOf(principal, context),
      headers: { ...notKept, 'Set-Cookie': cookie },
    };
  },
});

export const endSession = defineRoute({
  method: 'delete',
  path: '/session',
  permission: 'public',
  about: 'thisHost',
  tag: 'service',
  operationId: 'endSession',
  summary: 'Logs out',
  description:
    'Ends the session whose cookie the request has, and its streams, and takes the cookie back. It does no harm where there is none.',
  params: noParams,
  query: noQuery,
  replies: { 204: { description: 'There is no session any more.', content: {}, headers: ['Set-Cookie'] } },
  errors: ['storage-fault'],
  handler: async ({ req, res, context: { logins, config } }) => {
    // Also when the disk refuses: the browser is to forget it at any rate.
    res.setHeader('Set-Cookie', clearedCookies(req, config));
    // Whoever else the request is of: a browser may have a password besides, and a proxy names its user in any.
    for (const secret of sessionSecretsOf(req, config)) await logins.endSession(secret);
    return { kind: 'empty' };
  },
});
