/** The sessions of browsers; `session.ts` has the one of the request. */
import type { Request } from 'express';
import * as z from 'zod';
import { anybody } from '../../access/model/principal.ts';
import type { HttpContext } from '../context.ts';
import { sessionSecretsOf } from '../request/session-cookie.ts';
import { defineRoute, jsonReply, noParams, noQuery } from '../route.ts';
import { idParams, userQuery } from './tokens.ts';

const knownSessionSchema = z
  .object({
    id: z.string().describe('The id. It is no secret.'),
    user: z.string().describe('The user who is logged in.'),
    tokenId: z
      .string()
      .nullable()
      .describe('The token that began it; null for a password or the identity provider.'),
    isFromProvider: z.boolean().describe('Whether it began at the identity provider.'),
    startedAt: z.iso.datetime().describe('When it began (RFC 3339, UTC).'),
    expiresAt: z.iso.datetime().describe('When it ends by itself (RFC 3339, UTC).'),
    address: z
      .string()
      .nullable()
      .describe('The address of the browser: of IPv6, the /56 network; null if unknown.'),
    agent: z.string().nullable().describe('The `User-Agent` of the browser; null if unknown.'),
    isCurrent: z.boolean().describe('Whether this request was sent with it.'),
  })
  .meta({ id: 'KnownSession', description: 'A login of a browser that has not ended.' });

const sessionsSchema = z
  .object({ sessions: z.array(knownSessionSchema).describe('The oldest first.') })
  .meta({ id: 'SessionList', description: 'Sessions of users.' });

function isOf(req: Request, { config }: HttpContext): (id: string) => boolean {
  const { loggedInBy = 'nothing' } = req.principal ?? {};
  const secrets = ['session', 'provider'].includes(loggedInBy) ? sessionSecretsOf(req, config) : [];
  return (id) => secrets.some((secret) => secret.startsWith(`${id}_`));
}

export const listSessions = defineRoute({
  method: 'get',
  path: '/sessions',
  permission: 'read',
  about: 'thisHost',
  tag: 'users',
  operationId: 'listSessions',
  summary: 'Sessions of browsers',
  description: 'Your own; for administrators, those of all users.',
  params: noParams,
  query: userQuery,
  replies: { 200: jsonReply('The sessions.', sessionsSchema) },
  handler: ({ req, query, context }) => {
    const isCurrent = isOf(req, context);
    const sessions = context.accounts
      .sessions(req.principal ?? anybody, query.user)
      .map(({ id, user, tokenId, isFromProvider, startedAt, expiresAt, address, agent }) => {
        const where = { address, agent, isCurrent: isCurrent(id) };
        return { id, user, tokenId, isFromProvider, startedAt, expiresAt, ...where };
      });
    return { kind: 'json', status: 200, value: { sessions } };
  },
});

export const endOneSession = defineRoute({
  method: 'delete',
  path: '/sessions/:id',
  permission: 'read',
  about: 'thisHost',
  tag: 'users',
  operationId: 'endOneSession',
  summary: 'Ends a session',
  description: 'Your own; an administrator ends any. All streams and terminals that it opened end at once.',
  params: idParams,
  query: noQuery,
  replies: { 204: { description: 'The session has ended.', content: {} } },
  errors: ['session-not-found', 'storage-fault'],
  handler: async ({ req, params, context: { accounts } }) => {
    await accounts.endSession(req.principal ?? anybody, params.id);
    return { kind: 'empty' };
  },
});
