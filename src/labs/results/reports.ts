/** Runs of the lab CLI, and of programs beside it, that only report: each to its end, with what it printed. */
import type { Environment, LabCli } from '../drivers/lab-driver.ts';
import type { JobUser } from '../program/job-user.ts';
import { linkSignals } from '../../lib/async/linked-signal.ts';
import { labCliEnvironment } from '../program/lab-cli.ts';
import { runCaptured, type RunLimits, type RunResult } from '../system/run.ts';

interface ReportsDeps {
  readonly env: Environment;
  readonly runAs?: JobUser | undefined;
  readonly statusTimeoutMs: number;
  readonly shutdown: AbortSignal;
}

/** A program that looks for what is left of a lab: a Docker that hangs must not keep the job from its end. */
const lookTimeoutMs = 10_000;

interface Latest {
  readonly key: string;
  readonly beganMs: number;
  isOver: boolean;
  readonly run: Promise<RunResult>;
}

/** `sinceMs`: by `performance.now()`; absent for a check that takes no report that has ended. */
type Asked = readonly [epoch: number, sinceMs?: number | undefined];

function keyOf({ file }: LabCli, args: readonly string[], epoch: number): string {
  return [epoch, file, ...args].join('\0');
}

/** None of them throws for a failure of the program. */
export class Reports {
  readonly #deps: ReportsDeps;
  #latest: Latest | undefined;

  constructor(deps: ReportsDeps) {
    this.#deps = deps;
  }

  async report(
    cli: LabCli,
    args: readonly string[],
    {
      env: more = {},
      limits: { signal, ...limits } = {},
      ...place
    }: {
      readonly cwd?: string;
      readonly env?: Readonly<Record<string, string>>;
      readonly limits?: RunLimits;
    } = {},
  ): Promise<RunResult> {
    const { env: own, statusTimeoutMs: timeoutMs, shutdown, runAs } = this.#deps;
    const env = { ...labCliEnvironment(cli, own), ...more };
    const words = runAs?.commandPrefix ?? [];
    const linked = linkSignals(shutdown, ...(signal ? [signal] : []));
    try {
      return await runCaptured(cli.file, args, {
        env,
        timeoutMs,
        words,
        ...place,
        ...limits,
        signal: linked.signal,
      });
    } finally {
      linked.unlink();
    }
  }

  /** A report that is the same wherever it runs, kept for a check. `epoch` changes when a job may have changed a lab. */
  async status(cli: LabCli, args: readonly string[], epoch: number): Promise<RunResult> {
    const run = this.report(cli, args);
    const latest: Latest = { key: keyOf(cli, args, epoch), beganMs: performance.now(), isOver: false, run };
    this.#latest = latest;
    void run.finally(() => (latest.isOver = true));
    return run;
  }

  /**
   * A look at the labs for a job: the status, if that is the same report, under way or begun since then; else a run of its own in that
   * directory.
   */
  async check(
    cli: LabCli,
    cwd: string,
    args: readonly string[],
    [epoch, sinceMs = Number.POSITIVE_INFINITY]: Asked,
  ): Promise<RunResult> {
    const latest = this.#latest;
    if (latest?.key !== keyOf(cli, args, epoch)) return this.list(cli, cwd, args);
    return !latest.isOver || latest.beganMs >= sinceMs ? latest.run : this.list(cli, cwd, args);
  }

  /** A report in a directory, for a table that is not to be broken into lines. */
  async list(cli: LabCli, cwd: string, args: readonly string[], limits?: RunLimits): Promise<RunResult> {
    return this.report(cli, args, { cwd, env: { COLUMNS: '20000' }, ...(limits && { limits }) });
  }

  /** Another program of this machine; without a lab CLI, too, for what an uninstalled one has left. */
  async look(cli: LabCli | undefined, program: string, args: readonly string[]): Promise<RunResult> {
    const { env, shutdown: signal, runAs } = this.#deps;
    return runCaptured(program, args, {
      env: labCliEnvironment(cli ?? { binDirs: [] }, env),
      timeoutMs: lookTimeoutMs,
      words: runAs?.commandPrefix ?? [],
      signal,
    });
  }
}
