/** The errors for clients when the disk fails. */
import { AppError } from '../../lib/app-error.ts';

export function storageFault(what: string, cause: unknown): AppError {
  const message = `${what} cannot be recorded: the jobs directory is not writable now`;
  return new AppError('storage-fault', message, { cause, retryAfterSeconds: 10 });
}

export function unreadableNow(id: string, cause: unknown): AppError {
  return new AppError('storage-fault', `the record of ${id} cannot be read at the moment`, { cause });
}
