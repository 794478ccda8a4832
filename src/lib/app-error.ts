import type { ErrorCode } from './error-codes.ts';

/** One wrong field of a request: `field` is the path as the client wrote it. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

interface AppErrorOptions {
  readonly cause?: unknown;
  readonly errors?: readonly FieldError[];
  /** Further members of the problem document, such as `conflictingJobId`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Seconds after which a retry may help; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
}

/** The one error that is thrown for an expected failure; `http/reply/problem.ts` turns it into a reply. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[];
  readonly extra: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.errors = options.errors ?? [];
    this.extra = options.extra ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** A failure because of one field; its sentence begins with the field. */
export function fieldError(code: ErrorCode, field: string, message: string): AppError {
  return new AppError(code, `${field}: ${message}`, { errors: [{ field, message }] });
}

/** An `invalid-request` about one field; the message names the field by itself. */
export function invalidField(field: string, message: string): AppError {
  return fieldError('invalid-request', field, message);
}

/**
 * Adds the warnings of a request to its failure, in the sentence and as `warnings`: a misspelt field may well be the
 * reason. Returns any other error, and one without warnings, unchanged.
 */
export function withWarnings(error: unknown, warnings: readonly string[]): unknown {
  if (!(error instanceof AppError) || warnings.length === 0) return error;
  const { cause, errors, extra, retryAfterSeconds } = error;
  return new AppError(error.code, [error.message, ...warnings].join('; '), {
    cause,
    errors,
    extra: { ...extra, warnings },
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** A mistake that a schema found: its place and the reason. */
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A body may have a hundred thousand mistakes. */
const mistakesMax = 100;

/** An `invalid-request` about everything that a schema found wrong; what has no path is about the body as a whole. */
export function invalidRequest(issues: readonly Issue[]): AppError {
  const errors = issues
    .slice(0, mistakesMax)
    .map(({ path, message }) => ({ field: path.join('.') || 'body', message }));
  const sentence = errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
  const others = issues.length - errors.length;
  const more = others > 0 ? `; and ${others} more` : '';
  return new AppError('invalid-request', `${sentence}${more}`, { errors });
}

/** The `code` of a Node system error (`ENOENT`, `EACCES`, …), or undefined for anything else. */
export function systemCode(error: unknown): string | undefined {
  // By shape, not by `instanceof`: errors of another realm (worker, test sandbox) are not instances of our Error.
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** A sentence about any thrown value. */
export function messageOf(error: unknown): string {
  const hasMessage = typeof error === 'object' && error !== null && 'message' in error;
  return hasMessage && typeof error.message === 'string' ? error.message : String(error);
}
