import { AppError } from '../../src/lib/app-error.ts';

/** The AppError that the promise rejects with; throws when it does anything else. */
export async function failureOf(promise: Promise<unknown>): Promise<AppError> {
  const outcome = await promise.then(
    (value) => new Error(`expected an AppError, got ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (outcome instanceof AppError) return outcome;
  throw outcome;
}
