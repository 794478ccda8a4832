import { AppError, systemCode } from '../../lib/app-error.ts';
import { isTransient } from '../../lib/is-transient.ts';

const fullCodes = new Set(['ENOSPC', 'EDQUOT']);

/** Turns a full disk, or one that fails, into an error for clients; returns any other error unchanged. */
export function asDiskError(error: unknown, kept = 'workspaces'): unknown {
  if (fullCodes.has(systemCode(error) ?? ''))
    return new AppError('disk-full', `the disk of the ${kept} is full`, {
      cause: error,
      retryAfterSeconds: 60,
    });
  if (!isTransient(error)) return error;
  return new AppError('storage-fault', `the directory of the ${kept} cannot be used at the moment`, {
    cause: error,
    retryAfterSeconds: 10,
  });
}
