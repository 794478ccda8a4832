import * as z from 'zod';
import { isTerminal, jobIdPattern, jobStates } from '../model/job.ts';
import { readPlainFile } from '../../lib/files/plain-file.ts';
import { jobPaths } from './job-files.ts';

const stateSchema = z.object({ state: z.enum(jobStates) });

/**
 * What the record in a jobs directory says of a job, also in that of another service. `unknown` when it cannot be read or
 * understood: whoever takes that for the end of the job might give away what the job needs. Never throws.
 */
export async function presenceOf(
  jobsDirectory: string,
  id: string,
): Promise<'unfinished' | 'finished' | 'absent' | 'unknown'> {
  if (!jobIdPattern.test(id)) return 'unknown';
  const reading = await readPlainFile(jobPaths(jobsDirectory, id).record);
  if (reading.kind !== 'found') return reading.kind === 'absent' ? 'absent' : 'unknown';
  try {
    return isTerminal(stateSchema.parse(JSON.parse(reading.text)).state) ? 'finished' : 'unfinished';
  } catch {
    return 'unknown';
  }
}
