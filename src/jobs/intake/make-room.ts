/** The plan of a `down` that the service submits by itself. */
import { makeRoom } from '../../labs/model/actions.ts';
import type { FindStart } from '../../labs/model/command-record.ts';
import { parseJobRequest } from '../model/job-request.ts';
import type { Job } from '../model/job.ts';
import type { LabPort } from '../model/lab-port.ts';
import type { Planned } from './entry.ts';
import type { JobOrigin } from './new-job.ts';

export interface Planning extends Pick<JobOrigin, 'scope'> {
  readonly lab: Pick<LabPort, 'plan'>;
  readonly findStart: FindStart;
}

/** A `down` of the lab in a directory; `cli` is null if any lab CLI may have it. @throws AppError or Error. */
export async function planDown(
  fields: object,
  { workdir, labels, cli }: Pick<Job, 'workdir' | 'labels' | 'cli'>,
  { lab, findStart, scope }: Planning,
): Promise<Planned> {
  const request = parseJobRequest({ ...fields, workdir, labels });
  // The lab CLI that started the lab takes it down, also when no list has the lab yet.
  const ofCli = { ...request, ...(cli !== null && { cli }) };
  const plan = await lab.plan(ofCli, scope, findStart);
  if (plan.workdir !== workdir) throw new Error(`${workdir} leads to ${plan.workdir} now`);
  return { request, plan };
}

/** The `down` before a job that takes the place of a lab; undefined for any other job. @throws AppError or Error. */
export async function planRoom(
  { request: { labels }, plan: { replacesLab, workdir } }: Planned,
  planning: Planning,
): Promise<Planned | undefined> {
  return replacesLab === true ? planDown(makeRoom, { workdir, labels, cli: null }, planning) : undefined;
}
