/** The parameters by which a client chooses among jobs: one vocabulary for lists and events. */
import * as z from 'zod';
import { actionMeta, jobStateMeta, jobStates } from '../../jobs/model/job.ts';
import type { JobFilter } from '../../jobs/model/job-filter.ts';
import { actions } from '../../labs/model/actions.ts';
import { directoryNamed } from '../../labs/plan/working-directory.ts';
import { listParameter, once } from './query.ts';

const stateSchema = z.enum(jobStates, { error: `must be one of ${jobStates.join(', ')}` }).meta(jobStateMeta);
const actionSchema = z.enum(actions, { error: `must be one of ${actions.join(', ')}` }).meta(actionMeta);

export const jobFilterShape = {
  state: listParameter(stateSchema).describe('Jobs in one of these states; repeated, or as a comma list.'),
  action: actionSchema.optional().describe('Jobs of this action.'),
  instance: once.optional().describe('Jobs of this lab instance.'),
  workdir: once
    .optional()
    .describe('Jobs that run in this directory; may be relative or lead through links, as in a request.'),
  workspace: once.optional().describe('Jobs that run in this workspace.'),
  requestedBy: once
    .min(1, 'must be the name of a user')
    .optional()
    .describe('Jobs that this user submitted.'),
  label: z
    .preprocess(
      (given) => (given === undefined ? [] : [given].flat()),
      z.array(z.string().regex(/^[^=]/, 'must be the name of a label, or name=value')),
    )
    .describe('Jobs that have this label, `name` or `name=value`; repeated: all of them.'),
};

type JobFilterQuery = z.output<z.ZodObject<typeof jobFilterShape>>;

/** The filter that the parameters stand for. */
export async function jobFilterOf({
  state,
  action,
  instance,
  workdir,
  workspace,
  requestedBy,
  label,
}: JobFilterQuery): Promise<JobFilter> {
  return {
    labels: label,
    ...(state.length > 0 && { states: state }),
    ...(action && { actions: [action] }),
    ...(instance !== undefined && { instance }),
    ...(workspace !== undefined && { workspace }),
    ...(requestedBy !== undefined && { requestedBy }),
    ...(workdir !== undefined && { workdir: await directoryNamed(workdir, process.cwd()) }),
  };
}
