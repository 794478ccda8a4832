/** The interface of labs for jobs. labs/job-labs.ts implements it; tests may use another program. */
import type { Action } from '../../labs/model/actions.ts';
import type { FindStart } from '../../labs/model/command-record.ts';
import type { GitCommit, GitSource } from '../../labs/model/git-source.ts';
import type { JobResult } from '../../labs/model/job-result.ts';
import type { Job } from './job.ts';
import type { JobRequest } from './job-request.ts';

export interface JobPlan {
  /** Real path of the directory to run in. */
  readonly workdir: string;
  /** The workspace that the directory is, or is in; null for any other. */
  readonly workspace: string | null;
  /** The argument list, program first, when `topologyText` is kept in the given file. `freeId` is what `takesFreeId` asks for. */
  readonly command: (savedTopologyPath: string, freeId?: number) => readonly string[];
  /** Whether the lab gets a free multilab id, which becomes its instance. */
  readonly takesFreeId?: boolean;
  /** An inline or downloaded topology, to be kept beside the record. */
  readonly topologyText: string | undefined;
  readonly instance: string | null;
  readonly warnings: readonly string[];
  /** How many nodes the lab has that it starts; null if unknown. Absent: it starts none. Never rejects. */
  readonly countNodes?: () => Promise<number | null>;
  /** The lab CLI that it is for, as `GET /` calls it. Absent: there is one alone, which has no name. */
  readonly cli?: string;
  /** The commit whose files are in the workspace. Absent: none were brought there. */
  readonly source?: GitCommit;
  /** Whether a lab, or what may be left of one, is to be taken out of the directory first. */
  readonly replacesLab?: boolean;
}

/** The files of a commit, on the disk of the workspaces. */
interface SourceFiles {
  readonly commit: GitCommit;
  /** Sentences for a person. */
  readonly warnings: readonly string[];
  /** Puts them into a workspace for a job. @throws AppError `workspace-busy`. */
  readonly putInto: (workspace: string, of: { readonly job: string }) => Promise<void>;
}

export interface SourceWish {
  /** Undefined for one that is to be made. */
  readonly workspace: string | undefined;
  /** Whether the files may go into a workspace. @throws AppError. */
  readonly check: (place: Pick<PlannedJob, 'workdir' | 'workspace'>) => void;
  /** The owner of a workspace that is new. */
  readonly owner: string | null;
  /** Ends the wait for the files early. */
  readonly signal: AbortSignal | undefined;
}

/** The result of an action. */
interface ActionResult {
  readonly result: JobResult | null;
  /** Sentences for a person. */
  readonly warnings: readonly string[];
  /** Files to keep with the job: content by name. */
  readonly artifacts: ReadonlyMap<string, string>;
}

/** Takes the lines of a job's log, without their ends, in order; then says what they come to. */
interface ResultReader {
  readonly line: (text: string) => void;
  readonly end: (end: { readonly exitCode: number | null }) => ActionResult;
}

/** A multilab id that is reserved as long as its job, and then its lab, is there. */
export interface TakenId {
  readonly id: number;
  /** Notes the job that it is for: before the record, so that a crash in between keeps no id for ever. */
  readonly bindTo: (job: string) => Promise<void>;
  /** The job is on record. */
  readonly keep: () => void;
  /** There is no such job. Never rejects. */
  readonly giveBack: () => Promise<void>;
}

/** labs/ids/free-ids.ts is the real one. */
export interface FreeIdPort {
  /** Reserves an id for a lab in that directory and for the lab CLI of that name. @throws AppError `no-free-id`, or the reason why the free ids are unknown. */
  take(cli: string | undefined, workdir: string): Promise<TakenId>;
}

/** leases/lab-leases.ts is the real one. */
export interface LeasePort {
  /**
   * How long the lab of a request is to live, in ms; null for ever. `quotaMs` is the longest lease of the user; absent: the limit
   * of the server alone applies. @throws AppError `invalid-request`.
   */
  ttlMsOf(request: JobRequest, quotaMs?: number): number | null;
  /** Notes that for a job, before there is a record of it. @throws AppError `storage-fault`. */
  expect(job: Pick<Job, 'id' | 'workdir'>, ttlMs: number): Promise<void>;
  /** There is no such job. */
  forget(job: string): void;
  /** Why the `down` of a lease must not start any more; undefined when it may, and for any other job. */
  whyObsolete(job: Job): Promise<string | undefined>;
}

/** labs/program/job-user.ts has the real one. */
export interface RunsAs {
  readonly uid: number;
  readonly gid: number;
  /** The command line in front of another one that runs that one as this user. */
  readonly commandPrefix: readonly string[];
}

export interface UntilReady {
  /** When its lab CLI has ended, in ms since 1970. */
  readonly endedMs: number;
  readonly stopped: AbortSignal;
  readonly say: (line: string) => void;
}

export interface LabPort {
  /** The user that a job runs as; undefined for the service's own user. */
  runAs?(job: Job): RunsAs | undefined;
  /**
   * Checks a request against the machine; it may use the paths that `scope` allows. `findStart` knows the jobs on record.
   * @throws AppError when it cannot be run.
   */
  plan(request: JobRequest, scope: JobScope | undefined, findStart: FindStart): Promise<JobPlan>;
  /** @throws AppError `lab-cli-missing` when a job of that lab CLI (null: it is not on record) cannot be repeated here. */
  assertThere?(cli: string | null): void;
  /**
   * Fetches the files of a commit, and calls `use` with them. When that rejects, the workspace is as it was.
   * @throws AppError about the source, and what `use` throws.
   */
  withSource?<T>(source: GitSource, wish: SourceWish, use: (files: SourceFiles) => Promise<T>): Promise<T>;
  /** Makes the workspace that a request names, unless it is there. @throws AppError `disk-full`, `storage-fault`. */
  makeWorkspace(name: string, owner: string | null): Promise<void>;
  /** Whether jobs may run in this directory (a real path) now: the service may have been restarted with other rules. */
  allows(workdir: string): boolean;
  /** Whether a job may run though its working directory is gone. Absent: none may. */
  runsWithoutDirectory?(job: Job): boolean;
  /** The command of a job that is to start: an upgrade may have moved the programs of the service since it was accepted. */
  commandNow?(job: Job): readonly string[];
  /** The environment for the processes of a job. */
  environment(job: Job): Record<string, string>;
  /** Why a job must not start beside those that run, a sentence; undefined when it may. @throws Error when that is unknown. */
  whyNotBeside?(job: Job, running: readonly Job[]): Promise<string | undefined>;
  /** Lines of its log that say nothing of how far it is, though they look so. Absent: none. */
  nonProgress?(job: Job): RegExp | undefined;
  /** The files and directories that a job makes in its working directory for its client, relative to it or absolute. */
  madeBy(job: Job): readonly { readonly path: string }[];
  /** One sentence for a person about an exit that was not a success. */
  errorSentence(
    job: Job,
    end: { exitCode: number | null; signal: string | null },
    logEnd: string,
    result: JobResult | null,
  ): string;
  /** Whether an exit code says that the job did what it was to do. */
  isSuccess(job: Job, exitCode: number): boolean;
  /** Undefined for a job whose action has no result. */
  resultReader(job: Job): ResultReader | undefined;
  /** After exit code 0: a sentence when the action did not do what it says, else undefined. */
  verify(job: Job, logEnd: string): Promise<string | undefined>;
  /**
   * After a success, for a job that asks for it (`waitReadySeconds`): waits until the nodes of its lab are ready. A sentence when
   * they are late; undefined when they are ready, or the job asks for nothing. `say` gets lines for its log. Rejects when
   * `stopped` is aborted.
   */
  untilReady?(job: Job, how: UntilReady): Promise<string | undefined>;
  /** The same by what it found out. */
  doubt?(job: Job, result: JobResult): string | undefined;
  /** After a success: what there is still of a lab that was taken away, in sentences for a person. */
  leftBehind?(job: Job, logEnd: string): Promise<readonly string[]>;
  /** The manual steps after a job was ended half-way or failed; undefined when certainly none are needed. */
  cleanupHint(job: Job, logEnd: string): string | undefined;
}

/** Puts the files of jobs into their workspaces, given the ids of the jobs in the order of their requests. */
export type BringFiles = (ids: readonly string[]) => Promise<void>;

/** A job whose request was checked, and which is not on record yet. */
export type PlannedJob = Pick<Job, 'action' | 'workdir' | 'workspace'>;

/** A job that is held against the quotas of its user. */
export interface QuotaJob extends Pick<Job, 'action' | 'workdir' | 'requestedBy' | 'nodeCount'> {
  readonly isDryRun: boolean;
}

/** Jobs that are about to be submitted together. */
export interface WantedTogether {
  readonly actions: readonly Action[];
  /** Of each lab that they start. */
  readonly nodeCount: number;
  /** Of the files that they need, in workspaces. */
  readonly workspaceBytes: number;
}

/** The quotas of one user; quotas/user-quotas.ts is the real one. */
export interface JobQuota {
  /** The longest lease of a lab, in ms; undefined without a limit. */
  readonly maxLeaseMs: () => number | undefined;
  /** Whether any quota limits nodes. */
  readonly countsNodes: () => boolean;
  /** Looks whether there is room for all of these jobs, before the work that they need. @throws AppError as `check`. */
  readonly checkAll: (wanted: WantedTogether) => Promise<void>;
  /**
   * Looks at what there is. The result is to be called in the turn of the job, and records it if there is room.
   * @throws AppError, also the result: `over-quota`, `lab-cli-failed`, `cluster-unavailable`.
   */
  readonly check: (job: QuotaJob) => Promise<<T>(record: () => Promise<T>) => Promise<T>>;
}

export interface JobScope {
  /** Absent: the user has none. */
  readonly quota?: JobQuota | undefined;
  /** Whether a request may name what is there: a path, absolute, symbolic links resolved. */
  readonly allows: (realPath: string) => boolean;
  /** Whether a request may name a lab instance whose directory is unknown. */
  readonly mayNameUnknown: boolean;
  /**
   * Called in the turn in which the job is recorded: nothing that it looks at changes in between. `others` are those that
   * run or wait in the same directory. @throws AppError.
   */
  readonly check: (planned: PlannedJob, others: readonly Job[]) => void;
}
