import * as z from 'zod';
import type { KnownToken } from '../../access/model/accounts.ts';
import { anybody } from '../../access/model/principal.ts';
import { noteTarget } from '../middleware/audit.ts';
import { checked } from '../request/checked.ts';
import { defineRoute, jsonReply, noParams, noQuery } from '../route.ts';
import { usersFileErrors } from './users.ts';

const tokenFields = {
  id: z.string().describe('The id, with which the secret begins.'),
  user: z.string().describe('The user whose token it is.'),
  note: z.string().nullable().describe('The purpose, in the words of its maker; null without.'),
  expiresAt: z.iso.datetime().nullable().describe('When it expires (RFC 3339, UTC); null for never.'),
  lastUsedAt: z.iso
    .datetime()
    .nullable()
    .describe(
      'When it was used last (RFC 3339, UTC); null if it was not used since the service records that.',
    ),
  lastUsedFrom: z
    .string()
    .nullable()
    .describe('The address of that client: of IPv6, the /56 network; null if it was not used.'),
};

const tokenSchema = z.object(tokenFields).meta({ id: 'Token', description: 'A token, without its secret.' });

const tokensSchema = z
  .object({
    tokens: z.array(tokenSchema).describe('The tokens, in the order of the users file.'),
    readOnly: z
      .string()
      .nullable()
      .describe(
        'Why the service cannot make and revoke tokens and change passwords at present: it may not write the users file, or the file has a mistake; null if it can.',
      ),
  })
  .meta({ id: 'TokenList', description: 'Tokens of users.' });

const createdTokenSchema = z
  .object({ ...tokenFields, secret: z.string().describe('The token itself. It is not shown again.') })
  .meta({ id: 'CreatedToken', description: 'A new token with its secret.' });

/** 100 years, as for `lab token create`. */
const maxTtlSeconds = 36_525 * 86_400;

const newTokenSchema = z
  .strictObject({
    user: z
      .string()
      .optional()
      .describe('The user whom the token logs in, for administrators; the user of the request unless given.'),
    note: z
      .string()
      // In code points, as JSON Schema counts.
      .regex(/^[\s\S]{0,200}$/u, 'must have at most 200 characters')
      .optional()
      .describe('The purpose of the token. Control characters become spaces.'),
    ttlSeconds: z
      .int()
      .min(1)
      .max(maxTtlSeconds)
      .optional()
      .describe('The time until it expires, in seconds; unless given, it never expires.'),
  })
  .meta({ id: 'NewToken', description: 'A new token.' });

/** For tokens and sessions. */
export const userQuery = z.object({
  user: z
    .string()
    .optional()
    .describe('Only those of this user. Users who are not administrators get their own alone.'),
});

export const idParams = z.object({ id: z.string().describe('Its id.') });

function viewOf({ expiresAtMs, lastUse, ...token }: KnownToken): z.output<typeof tokenSchema> {
  const timeOf = (ms: number | undefined | null): string | null =>
    ms === undefined || ms === null ? null : new Date(ms).toISOString();
  return {
    ...token,
    expiresAt: timeOf(expiresAtMs),
    lastUsedAt: timeOf(lastUse?.atMs),
    lastUsedFrom: lastUse?.address ?? null,
  };
}

export const listTokens = defineRoute({
  method: 'get',
  path: '/tokens',
  permission: 'read',
  about: 'thisHost',
  tag: 'users',
  operationId: 'listTokens',
  summary: 'Tokens with their last use',
  description: 'Your own; for administrators, those of all users.',
  params: noParams,
  query: userQuery,
  replies: { 200: jsonReply('The tokens.', tokensSchema) },
  handler: async ({ req, query, context: { accounts } }) => {
    const asker = req.principal ?? anybody;
    const readOnly = (await accounts.whyUnchangeable(asker)) ?? null;
    const value = { tokens: accounts.tokens(asker, query.user).map(viewOf), readOnly };
    return { kind: 'json', status: 200, value };
  },
});

export const addToken = defineRoute({
  method: 'post',
  path: '/tokens',
  permission: 'read',
  about: 'thisHost',
  tag: 'users',
  operationId: 'addToken',
  summary: 'Makes a token, and shows its secret once',
  description:
    'For yourself; an administrator may name another user. A user has at most 32 tokens. A token makes no further tokens, unless its user is an administrator: log in with a password.',
  params: noParams,
  query: noQuery,
  body: {
    schema: newTokenSchema,
    isOptional: true,
    parse: (given) => checked(newTokenSchema, given === undefined ? {} : given),
  },
  replies: { 201: jsonReply('The new token.', createdTokenSchema, ['Cache-Control']) },
  errors: [...usersFileErrors, 'user-not-found', 'payload-too-large'],
  handler: async ({ req, body: { user, note, ttlSeconds }, context: { accounts } }) => {
    noteTarget(req, { subject: user ?? req.principal?.name ?? '' });
    const { token, secret } = await accounts.addToken(req.principal ?? anybody, {
      user,
      note: note?.replace(/\p{C}/gu, ' ') ?? null,
      expiresAtMs: ttlSeconds === undefined ? null : Date.now() + ttlSeconds * 1000,
    });
    noteTarget(req, { token: token.id });
    const value = { ...viewOf(token), secret };
    return { kind: 'json', status: 201, value, headers: { 'Cache-Control': 'no-store' } };
  },
});

export const removeToken = defineRoute({
  method: 'delete',
  path: '/tokens/:id',
  permission: 'read',
  about: 'thisHost',
  tag: 'users',
  operationId: 'removeToken',
  summary: 'Revokes a token',
  description:
    'Your own; an administrator revokes any. All streams and terminals that it opened end at once.',
  params: idParams,
  query: noQuery,
  replies: { 204: { description: 'The token is revoked.', content: {} } },
  errors: [...usersFileErrors, 'token-not-found'],
  handler: async ({ req, params, context: { accounts } }) => {
    await accounts.removeToken(req.principal ?? anybody, params.id);
    return { kind: 'empty' };
  },
});
