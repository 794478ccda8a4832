import type { Request, RequestHandler } from 'express';
import type { LoginOutcome, Logins } from '../../access/model/logins.ts';
import type { Principal } from '../../access/model/principal.ts';
import type { User } from '../../access/model/user.ts';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { addressOf } from '../request/address.ts';
import { lockedOut, loginFailed, refusalOf } from '../request/log-in.ts';
import basicAuth from 'express-basic-auth';
import { noteNoCredentials } from './audit.ts';
import { beginProblem } from '../reply/problem.ts';
import { sessionSecretsOf } from '../request/session-cookie.ts';

/** The credentials of a request. */
type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'password'; readonly name: string; readonly password: string }
  | { readonly kind: 'token'; readonly secret: string }
  | { readonly kind: 'session'; readonly secret: string }
  /** An `Authorization` of another scheme, or a malformed one. */
  | { readonly kind: 'malformed' };

const malformed: Credentials = { kind: 'malformed' };

/** Throws for bytes that are not UTF-8, and keeps a byte order mark, which may be part of a password. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** RFC 7617, section 2: `user:password` in UTF-8 and base64. The user name has no colon in it. */
function passwordIn(encoded: string): Credentials {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return malformed;
  let text: string;
  try {
    text = decoder.decode(Buffer.from(encoded, 'base64'));
  } catch {
    return malformed;
  }
  const colon = text.indexOf(':');
  // RFC 7617 forbids control characters in both.
  // eslint-disable-next-line no-control-regex
  if (colon === -1 || /[\u0000-\u001f\u007f]/.test(text)) return malformed;
  return { kind: 'password', name: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** RFC 6750, section 2.1. */
function tokenIn(text: string): Credentials {
  return /^[\w.~+/-]+=*$/.test(text) ? { kind: 'token', secret: text } : malformed;
}

/** `Authorization` comes before the cookie, which browsers send by themselves. */
function credentialsOf(
  req: Pick<Request, 'headers' | 'secure'>,
  site: Parameters<typeof sessionSecretsOf>[1],
): Credentials {
  const { authorization } = req.headers;
  if (authorization) {
    const [, scheme = '', text = ''] = /^(\S+) +(\S+) *$/.exec(authorization) ?? [];
    switch (scheme.toLowerCase()) {
      case 'basic':
        return passwordIn(text);
      case 'bearer':
        return tokenIn(text);
      default:
        return malformed;
    }
  }
  const [secret] = sessionSecretsOf(req, site);
  return secret === undefined ? { kind: 'none' } : { kind: 'session', secret };
}

/** Takes the verdict on a login: without an argument if it is right, with the error if it is wrong. */
type Decided = (refusal?: AppError) => void;

/** Calls `decided`, or answers the request itself if there is no verdict. */
type PasswordCheck = (name: string, password: string, decided: Decided) => void;

/** basic-auth reads the password with a `.`, which matches no line separator. */
const lineSeparator = /[\u2028\u2029]/;

/**
 * HTTP Basic (RFC 7617), by express-basic-auth. Its authorizer does not get the request, so each request has a middleware of its
 * own. Its callback must not get an error: the package asserts that there is none.
 */
function basicLogin(
  { name, password }: { readonly name: string; readonly password: string },
  check: PasswordCheck,
): RequestHandler {
  return (req, res, next) => {
    if (lineSeparator.test(password)) return check(name, password, next);
    let refusal: AppError | undefined;
    const middleware = basicAuth({
      authorizeAsync: true,
      authorizer: (givenName, givenPassword, callback) =>
        check(givenName, givenPassword, (error) => {
          refusal = error;
          callback(null, error === undefined);
        }),
      // This sets the challenges too. The package's own has no charset, and names no tokens.
      unauthorizedResponse: () => beginProblem(refusal ?? loginFailed(), req, res),
    });
    return middleware(req, res, next);
  };
}

interface AuthenticationDeps {
  readonly config: Pick<Config, 'basePath' | 'tls'>;
  readonly logins: Logins;
  /** Returns the user that a trusted proxy names. Undefined without such a proxy. @throws AppError if the client may not send the header. */
  readonly proxyUser: ((req: Request) => User | undefined) | undefined;
  /** Answers probes without details. An orchestrator must not restart a service because a client guesses passwords. */
  readonly probes: RequestHandler;
  readonly log: Logger;
}

/**
 * Finds the user who sends a request: by the header of a trusted proxy, by HTTP Basic (RFC 7617), by a bearer token (RFC 6750)
 * or by the cookie of a session. It refuses wrong credentials. A request without credentials passes without a user, because
 * its route may be public, unless its address is locked out. Probes are answered in any case: to a locked address, and while
 * too many passwords wait for their check.
 */
export function authentication(deps: AuthenticationDeps): RequestHandler {
  const { config, logins, proxyUser, probes, log } = deps;
  return (req, res, next) => {
    const address = addressOf(req);
    const turnAway = (error: AppError): void => void probes(req, res, () => next(error));

    const proceed = (principal: Principal | undefined): void => {
      req.principal = principal;
      const waitMs = principal === undefined ? logins.lockedMs(address) : 0;
      if (waitMs > 0) turnAway(lockedOut(waitMs));
      else next();
    };
    const decide = (outcome: LoginOutcome, decided: Decided): void => {
      if (outcome.kind === 'known') {
        req.principal = outcome.principal;
        return decided();
      }
      const error = refusalOf(outcome, req, log);
      if (outcome.kind === 'wrong' || outcome.kind === 'barred') decided(error);
      else turnAway(error);
    };
    const checkPassword: PasswordCheck = (name, password, decided) => {
      const outcome = logins.byPassword(name, password, address);
      // Synchronous where possible: each of hundreds of guesses that arrive together must find the count of those before it.
      if (outcome instanceof Promise) outcome.then((late) => decide(late, decided)).catch(next);
      else decide(outcome, decided);
    };

    const named = proxyUser?.(req);
    if (named) return proceed(logins.byProxy(named.name));
    const credentials = credentialsOf(req, config);
    switch (credentials.kind) {
      case 'password':
        return basicLogin(credentials, checkPassword)(req, res, next);
      case 'token':
        return decide(logins.byToken(credentials.secret, address), next);
      case 'malformed':
        // Counts as a wrong token.
        return decide(logins.byToken('', address), next);
      case 'session':
        return proceed(logins.bySession(credentials.secret));
      case 'none':
        noteNoCredentials(req);
        return proceed(undefined);
    }
  };
}

/** Leaves requests without a login to `open`, and refuses all that `open` does not answer: such a client must not learn which paths exist. */
export function anonymousRoutes(open: RequestHandler): RequestHandler {
  return (req, res, next) => {
    if (req.principal !== undefined) return next();
    const message = 'a login is required: a user name and password, a token, or a session';
    open(req, res, (error?: unknown) => next(error ?? new AppError('unauthorized', message)));
  };
}
