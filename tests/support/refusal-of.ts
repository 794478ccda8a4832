import { parseJobRequest } from '../../src/jobs/model/job-request.ts';
import { AppError } from '../../src/lib/app-error.ts';

/** The error with which a body is refused. */
export function refusalOf(body: unknown): AppError {
  try {
    parseJobRequest(body);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error(`this was accepted: ${JSON.stringify(body)}`);
}
