/** Answers of an identity provider that are wrong, late or missing. */
import { describe, expect, test } from '@jest/globals';
import { generateKeyPairSync, sign } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { IdentityProvider } from '../../../../src/access/oidc/identity-provider.ts';
import type { BegunLogin } from '../../../../src/access/model/provider-logins.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { json, scriptedServers } from '../../../support/scripted-server.ts';

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const redirectUrl = 'https://lab.example.com/session/oidc/callback';
const login: BegunLogin = { state: 'the-state', nonce: 'the-nonce', verifier: 'v'.repeat(43) };

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token that is signed as RFC 7515 says. */
function signed(claims: object, key = keys.privateKey, alg = 'RS256'): string {
  const content = `${encoded({ alg, kid: 'one', typ: 'JWT' })}.${encoded(claims)}`;
  const signature = alg === 'none' ? '' : sign('sha256', Buffer.from(content), key).toString('base64url');
  return `${content}.${signature}`;
}

interface Spoiled {
  readonly claims?: object;
  readonly key?: typeof keys.privateKey;
  readonly alg?: string;
  /** Replace the answers of the provider by its paths. */
  readonly answers?: Readonly<Record<string, ReturnType<typeof json>>>;
  readonly metadata?: object;
}

const start = scriptedServers();

async function providerThat({ claims, key, alg, answers = {}, metadata }: Spoiled = {}) {
  const { url: issuer, asked } = await start((res, request) => {
    const now = Math.floor(Date.now() / 1000);
    const idToken = {
      iss: issuer,
      aud: 'lab-api',
      sub: 'u1',
      nonce: login.nonce,
      iat: now,
      exp: now + 60,
      ...claims,
    };
    const usual = {
      '/.well-known/openid-configuration': json({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        userinfo_endpoint: `${issuer}/info`,
        id_token_signing_alg_values_supported: ['RS256'],
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        ...metadata,
      }),
      '/keys': json({
        keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }],
      }),
      '/token': json({
        access_token: 'at',
        token_type: 'bearer',
        expires_in: 60,
        id_token: signed(idToken, key, alg),
      }),
      '/info': json({ sub: 'u1', groups: ['netops'] }),
    };
    const path = request.target.split('?')[0] ?? '';
    const answer = { ...usual, ...answers }[path] ?? json({}, 404);
    answer(res, request);
  });
  const settings = { issuer, clientId: 'lab-api', clientSecret: 'a: secret', scopes: 'openid', redirectUrl };
  return { provider: new IdentityProvider(settings), asked, issuer };
}

const query = `?code=c&state=${login.state}`;

test('a code is redeemed for the claims of the ID token and the user info', async () => {
  const { provider, asked } = await providerThat();
  expect(await provider.redeem(query, login)).toMatchObject({
    subject: 'u1',
    ofToken: { sub: 'u1', aud: 'lab-api' },
    info: { groups: ['netops'] },
    refreshToken: undefined,
  });
  const { body = '', headers } = asked.find(({ target }) => target === '/token') ?? {};
  expect(new URLSearchParams(body).get('code_verifier')).toBe(login.verifier);
  expect(new URLSearchParams(body).get('redirect_uri')).toBe(redirectUrl);
  // RFC 6749, section 2.3.1: each part is form-encoded before, however much of it.
  const [, words = ''] = headers?.authorization?.split(' ') ?? [];
  const parts = Buffer.from(words, 'base64').toString('utf8').split(':');
  expect(parts.map((part) => new URLSearchParams(`part=${part}`).get('part'))).toEqual([
    'lab-api',
    'a: secret',
  ]);
});

test('a provider without HTTP Basic gets the secret in the body', async () => {
  const { provider, asked } = await providerThat({
    metadata: { token_endpoint_auth_methods_supported: ['client_secret_post'] },
  });
  await provider.redeem(query, login);
  const { body = '', headers } = asked.find(({ target }) => target === '/token') ?? {};
  expect(new URLSearchParams(body).get('client_secret')).toBe('a: secret');
  expect(headers?.authorization).toBeUndefined();
});

test('the page of the provider is asked for with PKCE, state and nonce', async () => {
  const { provider, issuer } = await providerThat();
  const { url, login: begun } = await provider.begin();
  expect(url.origin + url.pathname).toBe(`${issuer}/auth`);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    state: begun.state,
    nonce: begun.nonce,
    code_challenge_method: 'S256',
    redirect_uri: redirectUrl,
    scope: 'openid',
    response_type: 'code',
  });
});

describe('a login is refused', () => {
  const now = Math.floor(Date.now() / 1000);
  test.each<[string, Spoiled]>([
    ['for another audience', { claims: { aud: 'another' } }],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['with another nonce', { claims: { nonce: 'replayed' } }],
    ['without a nonce', { claims: { nonce: undefined } }],
    ['that has expired', { claims: { exp: now - 3600, iat: now - 7200 } }],
    ['that is signed with another key', { key: otherKeys.privateKey }],
    ['that is not signed', { alg: 'none' }],
    ['with the user info of another user', { answers: { '/info': json({ sub: 'u2' }) } }],
    ['whose code is used', { answers: { '/token': json({ error: 'invalid_grant' }, 400) } }],
    ['without an ID token', { answers: { '/token': json({ access_token: 'at', token_type: 'bearer' }) } }],
  ])('%s', async (_, spoiled) => {
    const { provider } = await providerThat(spoiled);
    expect((await failureOf(provider.redeem(query, login))).code).toBe('login-refused');
  });

  test.each([
    ['with another state', '?code=c&state=other'],
    ['that the user has denied', '?error=access_denied&error_description=no&state=the-state'],
    ['of another provider', `${query}&iss=https%3A%2F%2Fevil.example`],
    ['with two states', `${query}&state=other`],
  ])('%s', async (_, came) => {
    const { provider, asked } = await providerThat();
    expect((await failureOf(provider.redeem(came, login))).code).toBe('login-refused');
    expect(asked.filter(({ target }) => target === '/token')).toEqual([]);
  });
});

describe('a provider is unavailable', () => {
  test.each<[string, Spoiled]>([
    ['whose token endpoint fails', { answers: { '/token': json({ error: 'server_error' }, 503) } }],
    ['that has too much to do', { answers: { '/token': json({ error: 'slow_down' }, 429) } }],
    ['that does not know this service', { answers: { '/token': json({ error: 'invalid_client' }, 401) } }],
    [
      'that answers with a page',
      { answers: { '/token': (res) => void res.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>') } },
    ],
    ['that signs with a key that it does not publish yet', { answers: { '/keys': json({ keys: [] }) } }],
    ['whose connection breaks', { answers: { '/token': (res) => void res.destroy() } }],
    ['without a description', { answers: { '/.well-known/openid-configuration': json({}, 404) } }],
    ['that is another one', { metadata: { issuer: 'https://another.example' } }],
  ])('%s', async (_, spoiled) => {
    const { provider } = await providerThat(spoiled);
    const { code, message } = await failureOf(provider.redeem(query, login));
    expect([code, message]).toEqual([
      'provider-unavailable',
      expect.stringMatching(/^the identity provider gave no answer: \S/),
    ]);
  });

  test('whose answer has no end, which takes little memory', async () => {
    let sentBytes = 0;
    function* answer(): Generator<string> {
      for (const part = ' '.repeat(65_536); ; sentBytes += part.length) yield part;
    }
    const endless: ReturnType<typeof json> = (res) => {
      res.writeHead(200, { 'Content-Type': 'application/json' });
      pipeline(Readable.from(answer()), res).catch(() => undefined);
    };
    const { provider } = await providerThat({ answers: { '/token': endless } });
    expect((await failureOf(provider.redeem(query, login))).code).toBe('provider-unavailable');
    expect(sentBytes).toBeLessThan(64 * 1024 ** 2);
  });

  test('until it answers again', async () => {
    let isUp = false;
    const description = '/.well-known/openid-configuration';
    const { provider } = await providerThat();
    const { provider: broken, asked } = await providerThat({
      answers: {
        '/token': (res, request) =>
          (isUp ? json({ error: 'invalid_grant' }, 400) : json({}, 500))(res, request),
      },
    });
    await provider.discover();
    expect((await failureOf(broken.redeem(query, login))).code).toBe('provider-unavailable');
    isUp = true;
    expect((await failureOf(broken.redeem(query, login))).code).toBe('login-refused');
    expect(asked.filter(({ target }) => target === description)).toHaveLength(1);
  });
});

describe('the claims are asked for again', () => {
  test('with the access token, where there is no refresh token', async () => {
    const { provider } = await providerThat();
    const grant = await provider.redeem(query, login);
    const renewed = await provider.renew({ ...grant, info: {} });
    expect(renewed.ofToken).toBeUndefined();
    expect(await provider.inform(renewed)).toMatchObject({ info: { groups: ['netops'] } });
  });

  test('with the refresh token, which may be a new one each time', async () => {
    let used = '';
    const { provider } = await providerThat({
      answers: {
        '/token': (res, { body }) => {
          used = new URLSearchParams(body).get('refresh_token') ?? '';
          json({ access_token: 'at2', token_type: 'bearer', refresh_token: 'second' })(
            res,
            undefined as never,
          );
        },
      },
    });
    const grant = { ...(await first()), refreshToken: 'first' };
    expect(await provider.renew(grant)).toMatchObject({
      refreshToken: 'second',
      subject: 'u1',
      idToken: grant.idToken,
    });
    expect(used).toBe('first');
  });

  const first = async () => (await providerThat()).provider.redeem(query, login);
});
