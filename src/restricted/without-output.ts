import { AppError } from '../lib/app-error.ts';

/** The output of a lab CLI that failed may be about any lab. */
export function withoutOutput(error: unknown): unknown {
  const isAboutAll = error instanceof AppError && error.code.startsWith('lab-cli-');
  if (!isAboutAll || error.code === 'lab-cli-missing') return error;
  const how = error.code === 'lab-cli-timeout' ? 'took too long to tell' : 'could not tell';
  return new AppError(error.code, `the lab CLI ${how} which labs there are`, { cause: error });
}
