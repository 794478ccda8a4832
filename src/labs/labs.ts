import { specOf, type Action } from './actions.ts';
import { AllowedRoots } from './allowed-roots.ts';
import { defaultDriver, findLabCli } from './drivers/drivers.ts';
import type { Environment, LabCli, LabDriver, MadeFiles } from './drivers/lab-driver.ts';
import { findLabIn } from './lab-in-directory.ts';
import { labCliEnvironment, labCliVersion, requireLabCli } from './lab-cli.ts';
import { planCommand, type LabCommandPlan, type LabRequest } from './plan-command.ts';
import { runCaptured, type RunResult } from './run.ts';
import { LabStatus, type StatusObserver } from './status/lab-status.ts';
import { listTemplates, type Template } from './templates.ts';
import type { WorkspacePlaces } from './workspaces/workspace-places.ts';

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
  readonly statusTimeoutMs: number;
  /** Aborted when the service shuts down: no run of the status command goes on. */
  readonly shutdown: AbortSignal;
  readonly statusObserver?: StatusObserver;
  /** Where workspaces are. */
  readonly workspaces: WorkspacePlaces;
  /** Makes a workspace unless it is there. */
  readonly makeWorkspace: (name: string, owner: string | null) => Promise<void>;
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
  readonly roots: AllowedRoots;
  readonly #deps: LabsDeps;
  /** Changes whenever a job may have changed a lab: what the status said before is out of date then. */
  #epoch = 0;

  constructor(deps: LabsDeps) {
    this.#deps = deps;
    // Of workspaces, everything is allowed, or they would be of no use.
    this.roots = new AllowedRoots(deps.roots, () => deps.workspaces.directory);
    this.status = new LabStatus({
      driver: () => this.#driver,
      runCli: async (args) => this.#runStatus(args),
      maxAgeMs: deps.statusMaxAgeMs,
      stateFile: () => this.findCli()?.driver.stateFile(deps.env),
      epoch: () => this.#epoch,
      observer: deps.statusObserver,
    });
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
    return listTemplates(directory, recursive, this.#driver.topologies);
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
      workspaces: this.#deps.workspaces,
    });
  }

  /** Whether the lab CLI may run in `workdir`, a real path. */
  allows(workdir: string): boolean {
    return this.roots.allows(workdir);
  }

  /** Makes the workspace that a request names, unless it is there. */
  async makeWorkspace(name: string, owner: string | null): Promise<void> {
    await this.#deps.makeWorkspace(name, owner);
  }

  /**
   * The lab that lives in `directory` (a real path) or below, as the lab CLI has it on record now; undefined when there is
   * none. @throws AppError `workspace-busy` when that cannot be told.
   */
  labIn(directory: string): string | undefined {
    return findLabIn(directory, this.#driver, this.#deps.env);
  }

  /** The environment for the lab CLI's processes. @throws AppError `lab-cli-missing`. */
  environment(): Record<string, string> {
    return labCliEnvironment(requireLabCli(this.findCli()), this.#deps.env);
  }

  /** What an action makes in its working directory for whoever asked for it. */
  madeBy({ action, request }: Pick<CommandRecord, 'action' | 'request'>): readonly MadeFiles[] {
    // It was checked when it was accepted.
    return this.#driver.files.madeBy(action, request);
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
    const { env, statusTimeoutMs: timeoutMs, shutdown: signal } = this.#deps;
    const cli = requireLabCli(this.findCli());
    return runCaptured(cli.file, args, { env: labCliEnvironment(cli, env), timeoutMs, signal });
  }
}
