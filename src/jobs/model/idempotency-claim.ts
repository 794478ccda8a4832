import { createHash } from 'node:crypto';
import { AppError } from '../../lib/app-error.ts';

/** How long a key stands for its job. */
export const keepKeysMs = 24 * 3_600_000;

/** A request that is to be carried out once. */
export interface IdempotencyClaim {
  /** Two users may choose the same key. Null without authentication. */
  readonly user: string | null;
  readonly key: string;
  /** `fingerprintOf` the request. */
  readonly fingerprint: string;
}

/** Whether the key of a job that was made then still stands for it. */
export function isKeyKept(createdAt: string): boolean {
  return Date.parse(createdAt) + keepKeysMs > Date.now();
}

function sortKeys(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The same for the same operation with the same JSON body, whatever the order of its members and its white space.
 * @throws AppError `invalid-request` for a body that is nested too deeply to be written down.
 */
export function fingerprintOf(operation: string, body: unknown): string {
  let canonical: string;
  try {
    canonical = JSON.stringify([operation, body ?? null], sortKeys);
  } catch (error) {
    throw new AppError('invalid-request', 'the body is nested too deeply', { cause: error });
  }
  return createHash('sha256').update(canonical).digest('hex');
}
