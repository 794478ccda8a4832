import { realpath } from 'node:fs/promises';
import type { Labs } from '../labs/labs.ts';
import type { Job } from '../jobs/model/job.ts';
import type { KnownLab } from '../labs/status/lab-status.ts';

/** A lab as the status lists it now. */
export interface SeenLab {
  readonly id: string;
  /** The lab CLI that has it. */
  readonly cli: string;
  /** A real path; empty when the status does not tell. */
  readonly directory: string;
  /** The same as long as the lab is not started anew; null when the lab CLI does not tell. */
  readonly run: string | null;
  /** When that was, in ms since 1970. */
  readonly startedMs: number | null;
}

/** The parts of the lab status that leases use. */
export interface LeaseLabs {
  /** With `cli`, those of that lab CLI alone: another one may hang. @throws AppError when the status is unknown. */
  readonly list: (fresh: boolean, cli?: string | null) => Promise<readonly SeenLab[]>;
  /** The `run` of a lab, from its entry in the status. */
  readonly runOf: (lab: Pick<KnownLab, 'cli' | 'entry'>) => string | null;
}

export function leaseLabs(labs: Pick<Labs, 'list' | 'startOf'>): LeaseLabs {
  return {
    list: async (fresh, only) =>
      Promise.all(
        (await labs.list(fresh, only)).map(async ({ id, cli, directory, entry }) => {
          const start = labs.startOf({ cli, entry });
          const real = directory === undefined ? '' : await realpath(directory).catch(() => directory);
          return { id, cli, directory: real, run: start?.mark ?? null, startedMs: start?.atMs ?? null };
        }),
      ),
    runOf: (lab) => labs.startOf(lab)?.mark ?? null,
  };
}

/** Two programs tell the time of one moment: the beginning of a lab, and the end of the `up` that began it. */
const toleranceMs = 2_000;

/** Whether the lab was started while this job ran; undefined when the lab CLI does not tell when it was started. */
export function startedBy(
  { startedAt, finishedAt }: Pick<Job, 'startedAt' | 'finishedAt'>,
  { startedMs }: Pick<SeenLab, 'startedMs'>,
): boolean | undefined {
  if (startedMs === null || startedAt === null) return undefined;
  const lastMs = finishedAt === null ? Number.POSITIVE_INFINITY : Date.parse(finishedAt) + toleranceMs;
  return startedMs >= Date.parse(startedAt) - toleranceMs && startedMs <= lastMs;
}

export function labIn(workdir: string, labs: readonly SeenLab[]): SeenLab | undefined {
  return labs.find(({ directory }) => directory === workdir);
}
