import { AppError, messageOf } from '../../lib/app-error.ts';

/** Errors that are about this service, and not about a user (RFC 6749, section 5.2). */
const aboutClient: ReadonlySet<unknown> = new Set(['invalid_client', 'unauthorized_client']);

/** The properties of errors of openid-client. */
interface LibraryError extends Error {
  readonly code?: string;
  /** An error code of RFC 6749. */
  readonly error?: string;
  readonly error_description?: string | undefined;
  /** Of the reply. */
  readonly status?: number;
}

/** The codes of errors that mean that there was no answer, or none of an identity provider. */
const withoutAnswer: ReadonlySet<string> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  // It signs with a new key, and the library asks for the keys once a minute at most.
  'OAUTH_KEY_SELECTION_FAILED',
]);

function isUnavailable(error: LibraryError): boolean {
  const { code, status } = error;
  // The errors of `fetch` have no code.
  if (code === undefined || withoutAnswer.has(code) || aboutClient.has(error.error)) return true;
  return status !== undefined && (status >= 500 || status === 408 || status === 429);
}

/** `fetch failed: connect ECONNREFUSED 127.0.0.1:80`, `access_denied: the user said no` */
function wordsOf(error: LibraryError): string {
  const { cause } = error;
  const known = [error.error, error.error_description].filter((word) => word !== undefined).join(': ');
  const why = cause instanceof Error && known === '' ? `: ${messageOf(cause)}` : '';
  return (known || error.message) + why;
}

/** There is no usable answer, which says nothing about a user. */
export function unavailable(error: unknown): AppError {
  const words = wordsOf(error instanceof Error ? error : new Error(String(error)));
  return new AppError('provider-unavailable', `the identity provider gave no answer: ${words}`, {
    cause: error,
  });
}

/**
 * Returns the AppError for an error of openid-client: `provider-unavailable`, or `login-refused` if the provider refused the user,
 * or its answer is not for this service or not signed by it.
 */
export function providerError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (!(error instanceof Error) || isUnavailable(error)) return unavailable(error);
  const message = `the login at the identity provider failed: ${wordsOf(error)}`;
  return new AppError('login-refused', message, { cause: error });
}
