import { specOf, type Action } from './actions.ts';
import { AllowedRoots } from './allowed-roots.ts';
import { defaultDriver, findLabCli } from './drivers/drivers.ts';
import { findProgram } from './drivers/find-program.ts';
import type { Environment, LabCli, LabDriver } from './drivers/lab-driver.ts';
import { LabLayouts } from './lab-layouts.ts';
import { LabPictures } from './lab-pictures.ts';
import { LayoutThread } from './picture/layout-thread.ts';
import { LabTopologies } from './lab-topologies.ts';
import { labCliEnvironment, labCliVersion, requireLabCli } from './lab-cli.ts';
import { planCommand, type LabCommandPlan, type LabRequest } from './plan-command.ts';
import { runCaptured, type RunResult } from './run.ts';
import { LabList } from './status/lab-list.ts';
import { LabStatus, type StatusObserver } from './status/lab-status.ts';
import { Templates, type Template } from './templates.ts';

interface LabsDeps {
  /** The value of LAB_API_CLI. */
  readonly cli: string;
  /** The service's own. */
  readonly env: Environment;
  /** Directories that requests may name paths in; empty for anywhere. */
  readonly roots: readonly string[];
  /** Hosts that topologies may be downloaded from; empty for any that is not on this machine or link. */
  readonly topologyHosts: readonly string[];
  readonly statusMaxAgeMs: number;
  /** The service's own: what it keeps of labs is in it. */
  readonly dataDir: string;
  readonly statusTimeoutMs: number;
  /** Aborted when the service shuts down: no run of the status command goes on. */
  readonly shutdown: AbortSignal;
  readonly statusObserver?: StatusObserver;
}

/** A run of the lab CLI, as its record tells it. */
interface CommandRecord {
  readonly action: Action;
  readonly workdir: string;
  readonly instance: string | null;
  readonly request: Readonly<Record<string, unknown>>;
}

/** A program that looks for what is left of a lab: a Docker that hangs must not keep the job from its end. */
const lookTimeoutMs = 10_000;

/** The labs on this machine, through the lab CLI that is in use: what jobs and clients may ask about them. */
export class Labs {
  readonly status: LabStatus;
  /** The labs in words that all lab CLIs share. */
  readonly list: LabList;
  readonly topologies: LabTopologies;
  readonly layouts: LabLayouts;
  readonly pictures: LabPictures;
  readonly roots: AllowedRoots;
  readonly #deps: LabsDeps;
  readonly #templates = new Templates();
  /** Changes whenever a job may have changed a lab: what the status said before is out of date then. */
  #epoch = 0;

  constructor(deps: LabsDeps) {
    this.#deps = deps;
    this.roots = new AllowedRoots(deps.roots);
    this.status = new LabStatus({
      driver: () => this.#driver,
      runCli: async (args) => this.#runStatus(args),
      maxAgeMs: deps.statusMaxAgeMs,
      stateFile: () => this.findCli()?.driver.stateFile(deps.env),
      epoch: () => this.#epoch,
      observer: deps.statusObserver,
    });
    const { status } = this;
    this.list = new LabList({ status, driver: () => this.#driver, maxAgeMs: deps.statusMaxAgeMs });
    this.topologies = new LabTopologies({
      cli: () => requireLabCli(this.findCli()),
      roots: this.roots,
      entryOf: async (id) => (await status.list()).find((lab) => lab.id === id),
      runIn: async (cli, cwd, args) => this.#capture(cli, args, cwd),
    });
    this.layouts = new LabLayouts(deps.dataDir);
    const { list, topologies, layouts } = this;
    const thread = new LayoutThread({ shutdown: deps.shutdown });
    this.pictures = new LabPictures({ list, topologies, layouts, thread });
  }

  /** Looked up each time, so a lab CLI that is installed later is found. */
  findCli(): LabCli | undefined {
    return findLabCli(this.#deps.cli, this.#deps.env);
  }

  /** That of `cli`; undefined when it does not say. */
  async versionOf(cli: LabCli): Promise<string | undefined> {
    return labCliVersion(cli, this.#deps.env);
  }

  /** To be called when a job may have changed a lab: the status is asked for anew then. */
  noteChange(): void {
    this.#epoch += 1;
  }

  /** The topologies in `directory` (absolute). @throws AppError `directory-not-found`. */
  async templates(directory: string, recursive: boolean): Promise<readonly Template[]> {
    const cli = this.findCli();
    const { PATH } = labCliEnvironment(cli ?? { binDirs: [] }, this.#deps.env);
    const found = new Map<string, boolean>();
    return this.#templates.list(directory, recursive, {
      files: this.#driver.topologies,
      without: cli ? undefined : 'there is no lab CLI on this server: install netlab, or set LAB_API_CLI',
      hasProgram: (name) => {
        const isThere = found.get(name) ?? findProgram(name, { PATH }) !== undefined;
        found.set(name, isThere);
        return isThere;
      },
    });
  }

  /** Checks a request against the machine. @throws AppError when it cannot be run; see `planCommand`. */
  async plan(request: LabRequest): Promise<LabCommandPlan> {
    return planCommand(request, {
      cli: requireLabCli(this.findCli()),
      roots: this.roots,
      topologyHosts: this.#deps.topologyHosts,
      directoryOf: async (instance) => this.status.directoryOf(instance),
      instanceIn: async (directory) => this.status.instanceIn(directory),
      serverDirectory: process.cwd(),
    });
  }

  /** Whether the lab CLI may run in `workdir`, a real path. */
  allows(workdir: string): boolean {
    return this.roots.allows(workdir);
  }

  /** The environment for the lab CLI's processes. @throws AppError `lab-cli-missing`. */
  environment(): Record<string, string> {
    return labCliEnvironment(requireLabCli(this.findCli()), this.#deps.env);
  }

  /** One sentence for a person about an exit that was not a success; `logEnd` is the end of what was printed. */
  errorSentence(
    { action }: Pick<CommandRecord, 'action'>,
    end: { readonly exitCode: number | null; readonly signal: string | null },
    logEnd: string,
  ): string {
    const { name, driver } = this.findCli() ?? { name: 'the lab CLI', driver: defaultDriver };
    return driver.errorSentence({ action, cliName: name, logTail: logEnd, ...end });
  }

  /** After exit code 0: a sentence when the action did not do what it says, else undefined. */
  async verify(
    { action, workdir, instance, request }: CommandRecord,
    logEnd: string,
  ): Promise<string | undefined> {
    const { verifiedBy } = specOf(action);
    if (verifiedBy === undefined) return undefined;
    return this.#driver.resultChecks[verifiedBy]({
      workdir,
      instance,
      dryRun: request['dryRun'] === true,
      logEnd,
      instanceDirs: async () => {
        this.noteChange();
        // A status that cannot be told proves nothing; what else there is to look at is looked at all the same.
        return this.status.directories(true).catch(() => undefined);
      },
      look: async (program, args) =>
        runCaptured(program, args, {
          // Also when the lab CLI was uninstalled meanwhile: what it made may be there all the same.
          env: labCliEnvironment(this.findCli() ?? { binDirs: [] }, this.#deps.env),
          timeoutMs: lookTimeoutMs,
          signal: this.#deps.shutdown,
        }),
    });
  }

  /** What a person has to do after an action was ended half-way or failed; undefined when certainly nothing. */
  cleanupHint(
    { action, workdir }: Pick<CommandRecord, 'action' | 'workdir'>,
    logEnd: string,
  ): string | undefined {
    const cli = this.findCli();
    const isClean = cli && !cli.driver.mayHaveLeftLab(this.#deps.env, workdir, logEnd);
    return isClean ? undefined : specOf(action).hintWhenHalfDone;
  }

  get #driver(): LabDriver {
    return this.findCli()?.driver ?? defaultDriver;
  }

  async #runStatus(args: readonly string[]): Promise<RunResult> {
    return this.#capture(requireLabCli(this.findCli()), args);
  }

  /** A run that only reports. */
  async #capture(cli: LabCli, args: readonly string[], cwd?: string): Promise<RunResult> {
    const { env, statusTimeoutMs: timeoutMs, shutdown: signal } = this.#deps;
    const options = { env: labCliEnvironment(cli, env), timeoutMs, signal };
    return runCaptured(cli.file, args, { ...options, ...(cwd !== undefined && { cwd }) });
  }
}
