/** The lab CLIs as jobs need them: they decide which lab CLI a job is for, whether it may start, and how it ended. */
import type { UntilReady } from './ready/lab-ready.ts';
import { AppError } from '../lib/app-error.ts';
import { settledWithin } from '../lib/async/settled-within.ts';
import { chooseCli, maxWaitMs, namesOf } from './choose-cli.ts';
import type { CliLabs } from './cli-labs.ts';
import type { GitFiles } from './git/git-files.ts';
import { driverNames, driverOfRecord } from './drivers/drivers.ts';
import { specOf } from './model/actions.ts';
import type { CommandRecord, FindStart, LabStart } from './model/command-record.ts';
import type { JobResult } from './model/job-result.ts';
import type { OwnJobs } from './own-jobs.ts';
import type { LabCommandPlan, LabRequest } from './plan/plan-command.ts';
import type { PlanScope } from './plan/working-directory.ts';
import type { JobUser } from './program/job-user.ts';
import type { OutcomeRules } from './results/outcome-rules.ts';
import type { AllowedRoots } from './system/allowed-roots.ts';
import type { WorkspacePlaces } from './workspaces/workspace-places.ts';

/** The lab CLI of a job, as its record has it. */
type Recorded = Pick<CommandRecord, 'cli'> & Partial<Pick<LabStart, 'command'>>;

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never;

interface JobLabsDeps {
  /** The first serves jobs that name no lab CLI. */
  readonly members: readonly [CliLabs, ...CliLabs[]];
  /** For jobs of a lab CLI that the service had before. */
  readonly formerly: (name: string) => CliLabs;
  readonly workspaces: WorkspacePlaces;
  /** The jobs that the service runs by itself. */
  readonly ownJobs: OwnJobs;
  /** Absent: no files come from Git. */
  readonly gitFiles?: Pick<GitFiles, 'withSource'>;
}

export class JobLabs {
  readonly #members: readonly CliLabs[];
  readonly #first: CliLabs;
  readonly #deps: JobLabsDeps;
  readonly #roots: AllowedRoots;
  readonly #former = new Map<string, CliLabs>();

  constructor(deps: JobLabsDeps) {
    this.#deps = deps;
    this.#members = deps.members;
    this.#first = deps.members[0];
    this.#roots = this.#first.roots;
  }

  /**
   * Checks a request against the machine; the request may use no more than `scope` allows. `findStart` knows the jobs on record.
   * @throws AppError when it cannot be run; see `planCommand` and `chooseCli`.
   */
  async plan(
    request: LabRequest & { readonly cli?: string | undefined },
    scope?: PlanScope,
    findStart: FindStart = async () => Promise.resolve(undefined),
  ): Promise<LabCommandPlan & { readonly cli: string; readonly replacesLab?: boolean }> {
    const sinceMs = performance.now();
    const cliOf = (start: LabStart): CliLabs | undefined =>
      this.#members.find((one) => one === this.#labsOf(start));
    const labs = await chooseCli(this.#members, request, {
      roots: scope === undefined ? this.#roots : this.#roots.narrowedTo(scope.allows),
      // An empty directory is unknown.
      mayKnow: (directory) => scope === undefined || (directory !== '' && scope.allows(directory)),
      workspaces: this.#deps.workspaces,
      serverDirectory: process.cwd(),
      findStart,
      cliOf,
    });
    const findOwnStart: FindStart = async (lab) => {
      const start = await findStart(lab);
      return start?.mayBeUnlisted === true && cliOf(start) === labs ? start : undefined;
    };
    const plan = { ...(await labs.plan({ ...request, sinceMs }, scope, findOwnStart)), cli: labs.name };
    if (request.replace === true && request.options.dryRun !== true)
      return { ...plan, replacesLab: await this.#makesRoom(plan, findStart) };
    if (specOf(request.action).isOfService !== true) return plan;
    // The errors below tell of the lab.
    scope?.check?.({ ...plan, action: request.action }, []);
    const instance = plan.instance ?? (await labs.places.idIn(plan.workdir)) ?? null;
    const own = await this.#deps.ownJobs.plan({ ...request, ...plan, instance });
    return { ...plan, instance, command: () => own };
  }

  /**
   * Whether a lab, or what may be left of one, is in the directory of a start. @throws AppError `conflict` when it would be taken down
   * for a lab that cannot start, since its id is in use elsewhere; as the status.
   */
  async #makesRoom(
    { workdir, instance, cli }: LabCommandPlan & { readonly cli: string },
    findStart: FindStart,
  ): Promise<boolean> {
    const lists = this.#members.map(async ({ name, places }) => ({ name, found: await places.found() }));
    const all = await Promise.all(lists);
    const isThere = all.some(({ found }) => found.some(({ directory }) => directory === workdir));
    const ofSame = all.find(({ name }) => name === cli)?.found ?? [];
    const isUsed = ofSame.some(({ id, directory }) => id === instance && !['', workdir].includes(directory));
    if (isThere && isUsed) {
      const remedy = 'give this one another id ("multilabId") or name, or take the other one down first';
      throw new AppError('conflict', `a lab in another directory has the id "${instance}": ${remedy}`);
    }
    return isThere || (await findStart({ workdir }))?.mayBeUnlisted === true;
  }

  /** Whether a lab CLI may run in `workdir`, a real path. */
  allows(workdir: string): boolean {
    return this.#roots.allows(workdir);
  }

  /** Whether a job may run though its directory is gone: a `down` that names its lab, of a lab CLI that needs no more. */
  runsWithoutDirectory(job: CommandRecord & { readonly command: readonly string[] }): boolean {
    const { action, command, instance } = job;
    if (specOf(action).stopsLab !== true || instance === null) return false;
    return this.#labsOf(job).stopsWithoutDirectory && command.slice(2).includes(instance);
  }

  /** Right before a job starts: why it must not start beside the running ones; else undefined. */
  async whyNotBeside(
    job: CommandRecord,
    running: readonly (CommandRecord & { readonly id: string })[],
  ): Promise<string | undefined> {
    const labs = this.#labsOf(job);
    if (!this.#members.includes(labs)) return this.#whyGone(labs.name);
    const isOther = await this.#whyNotHere(job, labs);
    const ofSame = running.filter((other) => this.#labsOf(other) === labs);
    return isOther ?? labs.whyNotBeside(job, ofSame);
  }

  /** A job that was accepted for one lab CLI cannot run with another: their options and words differ. */
  #whyGone(name: string): string {
    return `"${name}" is none of the lab CLIs of this server any more (${namesOf(this.#members)}): add it to LAB_API_CLIS, and restart the service`;
  }

  /** A lab of another lab CLI may have come into the directory since the job was accepted. */
  async #whyNotHere({ action, workdir }: CommandRecord, labs: CliLabs): Promise<string | undefined> {
    if (this.#members.length === 1 || specOf(action).startsLab !== true) return undefined;
    for (const other of this.#members) {
      if (other === labs) continue;
      await settledWithin(other.places.seeAll(), maxWaitMs);
      const id = other.places.recordedIn(workdir);
      if (id !== undefined)
        return `the lab "${id}" of ${other.name} is in ${workdir} now: a directory has one lab at a time`;
    }
    return undefined;
  }

  /** Makes the workspace that a request names, unless it is there. */
  async makeWorkspace(name: string, owner: string | null): Promise<void> {
    await this.#first.makeWorkspace(name, owner);
  }

  /** See `GitFiles`. @throws AppError also `not-supported`. */
  async withSource<T>(
    ...[source, wish, use]: Parameters<typeof GitFiles.prototype.withSource<T>>
  ): Promise<T> {
    const { gitFiles } = this.#deps;
    if (gitFiles === undefined)
      throw new AppError('not-supported', 'source: this server takes no files from Git');
    return gitFiles.withSource(source, wish, use);
  }

  /** The user that a job runs as; undefined for the service's own user. */
  runAs({ action }: Pick<CommandRecord, 'action'>): JobUser | undefined {
    return specOf(action).isOfService === true ? undefined : this.#first.runAs;
  }

  /** See `LabPort`. */
  commandNow(job: CommandRecord & { readonly command: readonly string[] }): readonly string[] {
    if (specOf(job.action).isOfService === true) return this.#deps.ownJobs.commandNow(job.command);
    const cli = this.#labsOf(job).findCli();
    return cli?.driver.isBundled === true ? [cli.file, ...job.command.slice(1)] : job.command;
  }

  environment(job: CommandRecord): ReturnType<OutcomeRules['environment']> {
    return this.#labsOf(job).judge.environment(job);
  }

  madeBy(job: Parameters<OutcomeRules['madeBy']>[0] & Recorded): ReturnType<OutcomeRules['madeBy']> {
    return this.#rulesOf(job).madeBy(job);
  }

  errorSentence(
    ...[job, end, logEnd, result]: [
      Parameters<OutcomeRules['errorSentence']>[0] & Recorded,
      ...Tail<Parameters<OutcomeRules['errorSentence']>>,
    ]
  ): string {
    if (specOf(job.action).isOfService === true) return this.#deps.ownJobs.errorSentence(end, logEnd);
    return this.#rulesOf(job).errorSentence(job, end, logEnd, result);
  }

  isSuccess(job: Parameters<OutcomeRules['isSuccess']>[0] & Recorded, exitCode: number): boolean {
    if (specOf(job.action).isOfService === true) return exitCode === 0;
    return this.#rulesOf(job).isSuccess(job, exitCode);
  }

  resultReader(job: Parameters<OutcomeRules['resultReader']>[0]): ReturnType<OutcomeRules['resultReader']> {
    if (specOf(job.action).isOfService === true) return this.#deps.ownJobs.resultReader(job);
    return this.#rulesOf(job).resultReader(job);
  }

  nonProgress(job: Recorded): RegExp | undefined {
    return this.#rulesOf(job).nonProgress;
  }

  async verify(...[job, logEnd]: Parameters<OutcomeRules['verify']>): Promise<string | undefined> {
    return this.#rulesOf(job).verify(job, logEnd);
  }

  /** See `LabPort`. */
  async untilReady(
    job: CommandRecord & Recorded,
    how: Omit<UntilReady, 'seconds'>,
  ): Promise<string | undefined> {
    const { waitReadySeconds: seconds, dryRun } = job.request;
    if (typeof seconds !== 'number' || dryRun === true) return undefined;
    const labs = this.#labsOf(job);
    labs.noteChange();
    const id = job.instance ?? (await labs.places.idIn(job.workdir));
    return id === undefined ? 'its lab is not there' : labs.ready.untilReady(id, { ...how, seconds });
  }

  doubt(job: Recorded, result: JobResult): string | undefined {
    return this.#rulesOf(job).doubt(result);
  }

  async leftBehind(...[job, logEnd]: Parameters<OutcomeRules['leftBehind']>): Promise<readonly string[]> {
    return this.#rulesOf(job).leftBehind(job, logEnd);
  }

  cleanupHint(
    job: Parameters<OutcomeRules['cleanupHint']>[0] & Recorded,
    logEnd: string,
  ): string | undefined {
    return this.#rulesOf(job).cleanupHint(job, logEnd);
  }

  #rulesOf(job: Recorded): OutcomeRules {
    return this.#labsOf(job).judge;
  }

  /** The lab CLI that a job was accepted for. Older records do not name it, but the program that was started. */
  #labsOf({ cli: named, command: [program = ''] = [] }: Recorded): CliLabs {
    const cli = named ?? driverOfRecord(program)?.name ?? this.#first.name;
    const own = this.#members.find(({ name }) => name === cli);
    if (own !== undefined) return own;
    if (!driverNames.includes(cli)) return this.#first;
    const former = this.#former.get(cli) ?? this.#deps.formerly(cli);
    this.#former.set(cli, former);
    return former;
  }

  /** @throws AppError `lab-cli-missing` for a lab CLI that the service does not have any more. */
  assertThere(name: string | null): void {
    if (name === null || this.#members.some((labs) => labs.name === name)) return;
    throw new AppError('lab-cli-missing', this.#whyGone(name));
  }
}
