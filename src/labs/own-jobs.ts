import type { CommandRecord } from './model/command-record.ts';
import type { LabCommandPlan, LabRequest } from './plan/plan-command.ts';
import type { ResultReader } from './results/read-result.ts';

/** A job that the service runs by itself, with a program of its own in the place of a lab CLI. */
export type OwnRequest = Pick<LabRequest, 'action' | 'scenario' | 'options'> &
  Pick<LabCommandPlan, 'workdir' | 'instance'> & { readonly cli: string };

type OwnRecord = CommandRecord & { readonly startedAt: string | null };

/** scenarios/scenario-jobs.ts implements it. */
export interface OwnJobs {
  /** The argument list, program first. @throws AppError when the request cannot be run. */
  readonly plan: (request: OwnRequest) => Promise<readonly string[]>;
  /** The argument list of an earlier service, with the programs where they are now. */
  readonly commandNow: (command: readonly string[]) => readonly string[];
  readonly resultReader: (job: OwnRecord) => ResultReader;
  /** One sentence for a person about an exit that was no success. */
  readonly errorSentence: (
    end: { readonly exitCode: number | null; readonly signal: string | null },
    logEnd: string,
  ) => string;
}
