/** The parameters by which a client chooses among jobs: one vocabulary for lists and events. */
import { z } from 'zod';
import { jobStates } from '../../jobs/model/job.ts';
import type { JobFilter } from '../../jobs/model/job-filter.ts';
import { actions } from '../../labs/actions.ts';
import { directoryNamed } from '../../labs/working-directory.ts';
import { listParameter, once } from './query.ts';

export const jobFilterShape = {
  state: listParameter(z.enum(jobStates, { error: `must be one of ${jobStates.join(', ')}` })),
  action: z.enum(actions, { error: `must be one of ${actions.join(', ')}` }).optional(),
  instance: once.optional(),
  workdir: once.optional(),
  label: z.preprocess(
    (given) => (given === undefined ? [] : [given].flat()),
    z.array(z.string().regex(/^[^=]/, 'must be the name of a label, or name=value')),
  ),
};

type JobFilterQuery = z.output<z.ZodObject<typeof jobFilterShape>>;

/** The filter that the parameters stand for. */
export async function jobFilterOf({
  state,
  action,
  instance,
  workdir,
  label,
}: JobFilterQuery): Promise<JobFilter> {
  return {
    labels: label,
    ...(state.length > 0 && { states: state }),
    ...(action && { action }),
    ...(instance !== undefined && { instance }),
    ...(workdir !== undefined && { workdir: await directoryNamed(workdir, process.cwd()) }),
  };
}
