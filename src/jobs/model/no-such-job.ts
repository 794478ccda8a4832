import { AppError } from '../../lib/app-error.ts';

export function noSuchJob(id: string): AppError {
  return new AppError('job-not-found', `there is no job ${JSON.stringify(id)}`);
}
