/** Logins at an identity provider (OpenID Connect Core 1.0), as HTTP uses them. */
import type { Browser } from './accounts.ts';
import type { NewSession } from './logins.ts';

/** The values that the browser keeps until it comes back from the provider. */
export interface BegunLogin {
  /** Names this login, in the URL at which the browser comes back too (RFC 6749, section 10.12). */
  readonly state: string;
  /** Binds the ID token to this login (OpenID Connect Core 1.0, section 3.1.2.1). */
  readonly nonce: string;
  /** Binds the code to this login (RFC 7636). */
  readonly verifier: string;
}

/** Each operation throws AppError `provider-unavailable`. */
export interface ProviderLogins {
  /** Returns the page of the provider at which the user logs in. */
  begin(): Promise<{ readonly url: URL; readonly login: BegunLogin }>;
  /**
   * Begins a session for the user with whom the browser came back.
   * @param query The query of the URL at which it came back, with its `?`.
   * @throws AppError `login-expired`, `login-refused`, `conflict` if another user has the name, `storage-fault`.
   */
  finish(query: string, login: BegunLogin, browser: Browser): Promise<NewSession>;
  /**
   * Ends the session with this secret. Returns the page at which the provider ends its own session of the user; undefined if
   * it has no such page, or the session was not begun with it. Does not throw `provider-unavailable`. @throws AppError `storage-fault`.
   */
  end(secret: string): Promise<URL | undefined>;
}
