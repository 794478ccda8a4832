import { AppError } from '../lib/app-error.ts';

/** The use of another user, and the names of their things, are not for all who may write to their workspace or give them a lab. */
export function withoutFigures(error: unknown, owner: string): unknown {
  if (!(error instanceof AppError) || error.code !== 'over-quota') return error;
  return new AppError(
    'over-quota',
    `the quotas of ${owner} leave no room for it: ask ${owner}, or an administrator`,
  );
}

/** The output of a lab CLI that failed may be about any lab. */
export function withoutOutput(error: unknown): unknown {
  const isAboutAll = error instanceof AppError && error.code.startsWith('lab-cli-');
  if (!isAboutAll || error.code === 'lab-cli-missing') return error;
  const how = error.code === 'lab-cli-timeout' ? 'took too long to tell' : 'could not tell';
  return new AppError(error.code, `the lab CLI ${how} which labs there are`, { cause: error });
}
