/** Logins at the identity provider. A browser goes through these routes; programs use tokens. */
import type { Request, Response } from 'express';
import * as z from 'zod';
import type { ProviderLogins } from '../../access/model/provider-logins.ts';
import { AppError } from '../../lib/app-error.ts';
import type { HttpContext } from '../context.ts';
import { noteCode } from '../reply/problem.ts';
import {
  begunLoginIn,
  begunLoginCookie,
  clearedCookies,
  clearedLoginCookie,
  clearedOldLogins,
  pagePath,
  publicSender,
  sessionCookie,
  sessionSecretsOf,
} from '../request/session-cookie.ts';
import { defineRoute, ignoredQuery, jsonReply, noParams, noQuery, type Reply } from '../route.ts';
import { browserOf, lastsSeconds } from './session.ts';

const startQuery = z.object({
  to: z
    .string()
    .regex(pagePath, 'must be a path of the page, like /labs')
    .optional()
    .describe('The path of the page that the browser shows after the login, like `/labs`.'),
});

function providerOf({ provider }: HttpContext): ProviderLogins {
  if (provider) return provider;
  throw new AppError('not-found', 'this server has no identity provider (LAB_API_OIDC_ISSUER)');
}

/** Sends a browser on. Its requests are navigations, which show whatever comes back. */
function goTo(res: Response, url: string): Reply {
  res.status(303).set({ 'Cache-Control': 'no-store', Location: url }).end();
  return { kind: 'sent' };
}

/** Shows errors on the login page of a browser; a program gets the problem document. */
async function onPage(
  req: Request,
  res: Response,
  { config, log }: HttpContext,
  serve: () => Promise<Reply>,
): Promise<Reply> {
  try {
    return await serve();
  } catch (error) {
    if (!(error instanceof AppError) || req.accepts(['json', 'html']) !== 'html') throw error;
    noteCode(res, error.code);
    log.info('a login at the identity provider failed', { requestId: req.id, cause: error.message });
    return goTo(res, `${config.basePath}/ui/?login=${error.code}&request=${encodeURIComponent(req.id)}`);
  }
}

const redirect = (description: string) =>
  ({ 303: { description, content: {}, headers: ['Location', 'Set-Cookie', 'Cache-Control'] } }) as const;

export const beginProviderLogin = defineRoute({
  method: 'get',
  path: '/session/oidc',
  permission: 'public',
  about: 'thisHost',
  tag: 'users',
  operationId: 'beginProviderLogin',
  summary: 'Sends a browser to the identity provider, to log in',
  description:
    'For browsers (OpenID Connect, authorization code with PKCE). 404 on a server without `LAB_API_OIDC_ISSUER`. A browser that accepts HTML gets errors on the login page.',
  params: noParams,
  query: startQuery,
  replies: redirect('The login page of the identity provider.'),
  errors: ['not-found', 'provider-unavailable'],
  handler: async ({ req, res, query, context }) =>
    onPage(req, res, context, async () => {
      const { config } = context;
      const { url, login } = await providerOf(context).begin();
      const cookie = begunLoginCookie({ ...login, to: query.to ?? '/' }, config);
      res.setHeader('Set-Cookie', [...clearedOldLogins(req, config), cookie]);
      return goTo(res, url.href);
    }),
});

export const finishProviderLogin = defineRoute({
  method: 'get',
  path: '/session/oidc/callback',
  permission: 'public',
  about: 'thisHost',
  isChange: true,
  tag: 'users',
  operationId: 'finishProviderLogin',
  summary: 'Begins the session of a browser that comes back from the identity provider',
  description:
    'The redirect URI to register at the provider, which adds `state` with `code` or `error` (RFC 6749, section 4.1.2). It works once, in the browser that began the login, for ten minutes.',
  params: noParams,
  // Providers add parameters of their own.
  query: ignoredQuery,
  replies: redirect('The page, with the cookie of the session.'),
  errors: [
    'not-found',
    'login-expired',
    'login-refused',
    'provider-unavailable',
    'conflict',
    'storage-fault',
  ],
  handler: async ({ req, res, context }) => {
    const { config } = context;
    const search = /\?.*/s.exec(req.originalUrl)?.[0] ?? '';
    return onPage(req, res, context, async () => {
      const provider = providerOf(context);
      const begun = begunLoginIn(req, new URLSearchParams(search).get('state') ?? '', config);
      if (begun === undefined)
        throw new AppError('login-expired', 'this login was not begun in this browser within ten minutes');
      const cleared = clearedLoginCookie(begun.state, config);
      // Also when the login fails: the code works once.
      res.setHeader('Set-Cookie', cleared);
      const { secret, principal } = await provider.finish(search, begun, browserOf(req));
      // The audit names this user.
      req.principal = principal;
      const cookie = sessionCookie(secret, lastsSeconds(principal, context), publicSender(config), config);
      res.setHeader('Set-Cookie', [cleared, cookie]);
      return goTo(res, `${config.basePath}/ui${begun.to}`);
    });
  },
});

const logoutSchema = z
  .object({
    url: z
      .string()
      .nullable()
      .describe('Where the browser ends the session at the identity provider; null if it has no such page.'),
  })
  .meta({ id: 'ProviderLogout', description: 'The rest of a logout.' });

export const endProviderSession = defineRoute({
  method: 'post',
  path: '/session/oidc/logout',
  permission: 'public',
  about: 'thisHost',
  tag: 'users',
  operationId: 'endProviderSession',
  summary: 'Logs out, and tells where to log out at the identity provider',
  description: 'As `DELETE /session`. A browser that goes to `url` logs out at the identity provider, too.',
  params: noParams,
  query: noQuery,
  replies: { 200: jsonReply('The session has ended.', logoutSchema, ['Set-Cookie']) },
  errors: ['not-found', 'storage-fault'],
  handler: async ({ req, res, context }) => {
    const provider = providerOf(context);
    res.setHeader('Set-Cookie', clearedCookies(req, context.config));
    let url: URL | undefined;
    for (const secret of sessionSecretsOf(req, context.config)) url = (await provider.end(secret)) ?? url;
    return { kind: 'json', status: 200, value: { url: url?.href ?? null } };
  },
});
