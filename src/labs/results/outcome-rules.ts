/** The rules of one lab CLI for its jobs: their environment, outcome and result. */
import { specOf } from '../model/actions.ts';
import type { Environment, LabCli, LabDown, LabDriver, MadeFiles } from '../drivers/lab-driver.ts';
import type { CliOptionValues } from '../model/options.ts';
import type { JobResult } from '../model/job-result.ts';
import { labCliEnvironment } from '../program/lab-cli.ts';
import type { CommandRecord } from '../model/command-record.ts';
import { resultReader, type ResultReader } from './read-result.ts';
import type { Reports } from './reports.ts';

interface OutcomeRulesDeps {
  readonly findCli: () => LabCli | undefined;
  /** The same. @throws AppError `lab-cli-missing`. */
  readonly requireCli: () => LabCli;
  /** Its own, also while it is not on this machine. */
  readonly driver: () => LabDriver;
  readonly env: Environment;
  readonly runs: Pick<Reports, 'look'>;
  /** The directories of all its labs, asked for anew. @throws as the status. */
  readonly directoriesNow: () => Promise<readonly string[]>;
}

export class OutcomeRules {
  readonly #deps: OutcomeRulesDeps;

  constructor(deps: OutcomeRulesDeps) {
    this.#deps = deps;
  }

  /** The environment for the lab CLI's processes: those of a job, or any other. @throws AppError `lab-cli-missing`. */
  environment(job?: Pick<CommandRecord, 'workdir'>): Record<string, string> {
    const env = labCliEnvironment(this.#deps.requireCli(), this.#deps.env);
    return { ...env, ...(job && this.#driver.jobEnvironment?.(job.workdir)) };
  }

  /** The files that an action makes in its working directory for the user. */
  madeBy({ action, request }: Pick<CommandRecord, 'action' | 'request'>): readonly MadeFiles[] {
    // It was checked when it was accepted.
    return this.#driver.files.madeBy(action, request);
  }

  /** One sentence for a person about an exit that was not a success; `logEnd` is the end of what was printed. */
  errorSentence(
    { action, workdir }: Pick<CommandRecord, 'action' | 'workdir'>,
    end: { readonly exitCode: number | null; readonly signal: string | null },
    logEnd: string,
    result: JobResult | null = null,
  ): string {
    const { name, driver } = this.#deps.findCli() ?? { name: this.#driver.name, driver: this.#driver };
    return driver.errorSentence({ action, workdir, cliName: name, logTail: logEnd, result, ...end });
  }

  /** Whether an exit code says that the action did what it was to do. */
  isSuccess({ action }: Pick<CommandRecord, 'action'>, exitCode: number): boolean {
    return this.#driver.isSuccess(action, exitCode);
  }

  /** Reads the log of a command to the result of its action; undefined for an action that has none. */
  resultReader({
    action,
    command,
    workdir,
    instance,
    startedAt,
  }: CommandRecord & { readonly command: readonly string[]; readonly startedAt: string | null }):
    ResultReader | undefined {
    const { result: kind } = specOf(action);
    if (kind === undefined) return undefined;
    const name = `${action} ${instance ?? workdir}`;
    return resultReader(this.#driver.outputReaders[kind]({ command }), { name, startedAt });
  }

  /** After exit code 0, which alone proves nothing for some actions: why the action failed after all, else undefined. */
  async verify(
    { action, workdir, instance, request }: Omit<CommandRecord, 'startedAt'>,
    logEnd: string,
  ): Promise<string | undefined> {
    const { verifiedBy } = specOf(action);
    if (verifiedBy === undefined) return undefined;
    const { directoriesNow, runs, findCli } = this.#deps;
    const { dryRun, nodeFilter, nodes = [] } = request as CliOptionValues;
    return this.#driver.resultChecks[verifiedBy]({
      workdir,
      instance,
      dryRun: dryRun === true,
      ofSomeNodes: nodeFilter !== undefined,
      nodes,
      logEnd,
      // Without a status, the driver checks what else there is.
      instanceDirs: async () => directoriesNow().catch(() => undefined),
      look: async (program, args) => runs.look(findCli(), program, args),
    });
  }

  /** The same by what it found out. */
  doubt(result: JobResult): string | undefined {
    return this.#driver.doubt?.(result);
  }

  /** After a success: what there is still of a lab that was taken away, in sentences. */
  async leftBehind(
    { action, command, instance, request }: CommandRecord & { readonly command: readonly string[] },
    logEnd: string,
  ): Promise<readonly string[]> {
    const { env, runs, findCli } = this.#deps;
    if (specOf(action).verifiedBy !== 'lab-is-gone' || request['dryRun'] === true) return [];
    const look: LabDown['look'] = async (program, args) => runs.look(findCli(), program, args);
    return (await this.#driver.leftBehind?.({ command, instance, logEnd, look, env })) ?? [];
  }

  /** Lines of the lab CLI that say nothing of how far a job is; undefined when none does. */
  get nonProgress(): RegExp | undefined {
    return this.#driver.nonProgress;
  }

  /** The advice after an action was ended half-way or failed; undefined if nothing has to be done. */
  cleanupHint(
    {
      action,
      workdir,
      startedAt,
      request,
    }: Pick<CommandRecord, 'action' | 'workdir' | 'startedAt' | 'request'>,
    logEnd: string,
  ): string | undefined {
    const cli = this.#deps.findCli();
    const { needsTopology, hintWhenHalfDone } = specOf(action);
    const beganMs = needsTopology && startedAt !== null ? Date.parse(startedAt) : null;
    const isQuiet = request['quiet'] === true;
    const run = { action, directory: workdir, logEnd, isQuiet, beganMs };
    return cli && !cli.driver.mayHaveLeftLab(this.#deps.env, run) ? undefined : hintWhenHalfDone;
  }

  get #driver(): LabDriver {
    return this.#deps.driver();
  }
}
