/** The identity provider, by openid-client (OpenID Connect Core 1.0, Discovery 1.0, RP-Initiated Logout 1.0). */
import type * as Library from 'openid-client';
import type { BegunLogin } from '../model/provider-logins.ts';
import { providerError, unavailable } from './provider-error.ts';

export interface ProviderSettings {
  /** An https URL, or an http URL of this machine. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined;
  readonly scopes: string;
  /** The URL at which browsers come back. */
  readonly redirectUrl: string;
}

/** Facts about a user by name (OpenID Connect Core 1.0, section 5.1). */
export type Claims = Readonly<Record<string, unknown>>;

/** The answer of the provider about a user who has logged in. */
export interface Grant {
  /** `sub`: the user's id, which never changes. */
  readonly subject: string;
  /** The claims of the ID token; undefined if this answer has none. */
  readonly ofToken: Claims | undefined;
  /** The claims of the user info; undefined if the provider has none, or was not asked yet. */
  readonly info: Claims | undefined;
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly idToken: string | undefined;
  /** How long the access token lasts, in ms; undefined if the provider does not tell. */
  readonly lastsMs: number | undefined;
}

type TokenReply = Library.TokenEndpointResponse & Library.TokenEndpointResponseHelpers;

/** For each request. */
const timeoutSeconds = 10;
/** After this time, a login looks up the addresses and the keys of the provider again. */
const discoveryMs = 3_600_000;

/** The longest answer in bytes. One with a user's groups has some KB. */
const maxAnswerBytes = 1024 ** 2;

/** As `fetch`, with an answer that breaks off where it is too long for the memory of this service. */
async function fetchBounded(url: string, options: Library.CustomFetchOptions): Promise<Response> {
  const response = await fetch(url, options as RequestInit);
  let roomBytes = maxAnswerBytes;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, answer) => {
      roomBytes -= chunk.byteLength;
      if (roomBytes >= 0) answer.enqueue(chunk);
      else answer.error(new Error('its answer is too long'));
    },
  });
  return new Response(response.body?.pipeThrough(limit), response);
}

/** HTTP Basic, which each provider has unless it says otherwise (OpenID Connect Discovery 1.0, section 3); else in the body. */
function secretAuth(library: typeof Library, secret: string): Library.ClientAuth {
  const [basic, inBody] = [library.ClientSecretBasic(secret), library.ClientSecretPost(secret)];
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const auth = methods === undefined || methods.includes('client_secret_basic') ? basic : inBody;
    return auth(server, ...request);
  };
}

/** All operations throw AppError `provider-unavailable` or `login-refused`. */
export class IdentityProvider {
  readonly #settings: ProviderSettings;
  #discovered: { readonly found: Promise<Library.Configuration>; readonly endsMs: number } | undefined;

  constructor(settings: ProviderSettings) {
    this.#settings = settings;
  }

  /** Looks up the provider, unless it did so within the last hour. A failure is not kept. */
  async discover(): Promise<Library.Configuration> {
    const now = performance.now();
    if (this.#discovered !== undefined && now < this.#discovered.endsMs) return this.#discovered.found;
    const found = this.#discover();
    const discovered = { found, endsMs: now + discoveryMs };
    this.#discovered = discovered;
    found.catch(() => {
      if (this.#discovered === discovered) this.#discovered = undefined;
    });
    return found;
  }

  async #discover(): Promise<Library.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const library = await load();
    const server = new URL(issuer);
    // Signatures too: the library takes TLS for enough (OpenID Connect Core 1.0, section 3.1.3.7).
    const execute = [
      library.enableNonRepudiationChecks,
      ...(server.protocol === 'http:' ? [library.allowInsecureRequests] : []),
    ];
    const auth = clientSecret === undefined ? library.None() : secretAuth(library, clientSecret);
    try {
      return await library.discovery(server, clientId, clientSecret, auth, {
        timeout: timeoutSeconds,
        execute,
        [library.customFetch]: fetchBounded,
      });
    } catch (error) {
      throw unavailable(error);
    }
  }

  async #ready(): Promise<readonly [typeof Library, Library.Configuration]> {
    return [await load(), await this.discover()];
  }

  /** Returns the page at which the user logs in. */
  async begin(): Promise<{ readonly url: URL; readonly login: BegunLogin }> {
    const [library, config] = await this.#ready();
    const [state, nonce, verifier] = [
      library.randomState(),
      library.randomNonce(),
      library.randomPKCECodeVerifier(),
    ];
    const { redirectUrl, scopes } = this.#settings;
    const url = library.buildAuthorizationUrl(config, {
      redirect_uri: redirectUrl,
      scope: scopes,
      state,
      nonce,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { url, login: { state, nonce, verifier } };
  }

  /** Redeems the code with which a browser came back. @param query See `ProviderLogins.finish`. */
  async redeem(query: string, { state, nonce, verifier }: BegunLogin): Promise<Grant> {
    const [library, config] = await this.#ready();
    const grant = await this.#grantOf(async () =>
      library.authorizationCodeGrant(config, new URL(this.#settings.redirectUrl + query), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      }),
    );
    return this.inform(grant);
  }

  /**
   * Gets new tokens, if there is a refresh token. Many providers take a refresh token once, so the result counts whatever follows.
   * It does not ask for the user info again.
   */
  async renew(grant: Grant): Promise<Grant> {
    const { refreshToken, subject, idToken, info } = grant;
    if (refreshToken === undefined) return { ...grant, ofToken: undefined };
    const [library, config] = await this.#ready();
    const renewed = await this.#grantOf(async () => library.refreshTokenGrant(config, refreshToken), subject);
    // Providers need not send new ones (RFC 6749, section 6; OpenID Connect Core 1.0, section 12.2).
    return {
      ...renewed,
      info,
      refreshToken: renewed.refreshToken ?? refreshToken,
      idToken: renewed.idToken ?? idToken,
    };
  }

  /** Asks for the user info, which is undefined if the provider has none. */
  async inform(grant: Grant): Promise<Grant> {
    const [library, config] = await this.#ready();
    if (config.serverMetadata().userinfo_endpoint === undefined) return { ...grant, info: undefined };
    try {
      return { ...grant, info: await library.fetchUserInfo(config, grant.accessToken, grant.subject) };
    } catch (error) {
      throw providerError(error);
    }
  }

  /** Returns the page at which the provider ends its session of the user; undefined if it has none. */
  async logoutUrl(idToken: string | undefined, backTo: string): Promise<URL | undefined> {
    const [library, config] = await this.#ready();
    if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
    return library.buildEndSessionUrl(config, {
      post_logout_redirect_uri: backTo,
      ...(idToken !== undefined && { id_token_hint: idToken }),
    });
  }

  /** @param known The subject, where it is known already. */
  async #grantOf(ask: () => Promise<TokenReply>, known = ''): Promise<Grant> {
    try {
      const reply = await ask();
      const ofToken = reply.claims();
      const lastsSeconds = reply.expiresIn();
      return {
        subject: ofToken?.sub ?? known,
        ofToken,
        info: undefined,
        accessToken: reply.access_token,
        refreshToken: reply.refresh_token,
        idToken: reply.id_token,
        lastsMs: lastsSeconds === undefined ? undefined : lastsSeconds * 1000,
      };
    } catch (error) {
      throw providerError(error);
    }
  }
}

/** Only a service with an identity provider needs it. */
async function load(): Promise<typeof Library> {
  return import('openid-client');
}
