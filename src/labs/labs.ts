import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { specOf } from './actions.ts';
import { AllowedRoots } from './allowed-roots.ts';
import { defaultDriver, findLabCli } from './drivers/drivers.ts';
import { findProgram } from './drivers/find-program.ts';
import type { JobResult } from './job-result.ts';
import { LabLayouts } from './lab-layouts.ts';
import { LayoutBeside } from './layout-beside.ts';
import { LabPictures } from './lab-pictures.ts';
import { LayoutThread } from './picture/layout-thread.ts';
import { LabTopologies } from './lab-topologies.ts';
import type { LabCli, LabDriver, MadeFiles } from './drivers/lab-driver.ts';
import { findLabIn, recordedLabs, type RecordedLab } from './lab-in-directory.ts';
import { environmentFor, type JobUser } from './job-user.ts';
import { labCliEnvironment, labCliVersion, requireLabCli } from './lab-cli.ts';
import { LabTests } from './lab-tests.ts';
import { LabNodes } from './nodes/lab-nodes.ts';
import { nameClash } from './name-clash.ts';
import { planCommand, type LabCommandPlan, type LabRequest } from './plan-command.ts';
import { resultReader, type ResultReader } from './read-result.ts';
import { verifySuccess } from './verify-success.ts';
import { Reports } from './reports.ts';
import type { CommandRecord, LabsDeps, PlanScope } from './labs-deps.ts';
import { ChangeWatch, followed } from './change-watch.ts';
import { LabList } from './status/lab-list.ts';
import { LabStatus } from './status/lab-status.ts';
import { Templates, type Template } from './templates/templates.ts';
import { TemplateThread } from './templates/template-thread.ts';

/** The labs on this machine, through the lab CLI that is in use: what jobs and clients may ask about them. */
export class Labs {
  readonly status: LabStatus;
  /** The labs in words that all lab CLIs share. */
  readonly list: LabList;
  readonly topologies: LabTopologies;
  readonly layouts: LabLayouts;
  readonly pictures: LabPictures;
  readonly roots: AllowedRoots;
  readonly nodes: LabNodes;
  readonly tests: LabTests;
  readonly #deps: LabsDeps;
  readonly #templates: Templates;
  readonly #runs: Reports;
  /** Changes whenever a job may have changed a lab: what the status said before is out of date then. */
  #epoch = 0;

  constructor(given: LabsDeps) {
    const { runAs } = given;
    const deps = runAs ? { ...given, env: environmentFor(runAs, given.env) } : given;
    this.#deps = deps;
    this.#runs = new Reports(deps);
    // Of workspaces, everything is allowed, or they would be of no use.
    this.roots = new AllowedRoots(deps.roots, deps.workspaces);
    this.status = new LabStatus({
      driver: () => this.#driver,
      runCli: async (args) => this.#runs.report(requireLabCli(this.findCli()), args),
      maxAgeMs: deps.statusMaxAgeMs,
      stateFile: () => this.findCli()?.driver.stateFile(deps.env),
      epoch: () => this.#epoch,
      observer: deps.statusObserver,
    });
    this.nodes = new LabNodes({
      status: this.status,
      cli: () => requireLabCli(this.findCli()),
      env: () => this.environment(),
      words: deps.runAs?.words ?? [],
      maxSessions: deps.maxNodeSessions,
      maxTerminals: deps.maxTerminals,
    });
    const { status, roots } = this;
    this.tests = new LabTests({
      status,
      cli: () => requireLabCli(this.findCli()),
      roots: this.roots,
      runIn: async (cli, cwd, args) => this.#runs.list(cli, cwd, args),
    });
    this.list = new LabList({ status, driver: () => this.#driver, maxAgeMs: deps.statusMaxAgeMs });
    this.topologies = new LabTopologies({
      cli: () => requireLabCli(this.findCli()),
      roots: this.roots,
      entryOf: async (id) => (await status.list()).find((lab) => lab.id === id),
      runIn: async (cli, cwd, args) => this.#runs.report(cli, args, { cwd }),
    });
    const beside = new LayoutBeside({ driver: () => this.#driver, status, roots, runAs: deps.runAs });
    this.layouts = new LabLayouts(deps.dataDir, beside);
    const { list, topologies, layouts } = this;
    this.#templates = new Templates(new TemplateThread(deps.shutdown));
    this.pictures = new LabPictures({ list, topologies, layouts, thread: new LayoutThread(deps) });
  }

  /** Looked up each time, so a lab CLI that is installed later is found. */
  findCli(): LabCli | undefined {
    return findLabCli(this.#deps.cli, this.#deps.env);
  }

  /** That of `cli`; undefined when it does not say. */
  async versionOf(cli: LabCli): Promise<string | undefined> {
    return labCliVersion(cli, this.#deps.env, this.#deps.runAs?.words ?? []);
  }

  /** To be called when a job may have changed a lab: the status is asked for anew then. */
  noteChange(): void {
    this.#epoch += 1;
    if (this.#keepsNoRecord) this.status.refresh(0);
  }

  /** To be called once, before anybody asks which labs there are. */
  async open(): Promise<void> {
    const onChange = (): void => this.noteChange();
    new ChangeWatch({ ...followed(this.#deps, () => this.findCli()), onChange }).start();
    await this.seeAll();
  }

  /** To be awaited before `labIn`: of a lab CLI without a record, it knows what was seen last. Never rejects: `labIn` throws then. */
  async seeAll(): Promise<void> {
    if (this.#keepsNoRecord) await this.status.catchUp();
  }

  get #keepsNoRecord(): boolean {
    return this.#driver.files.recordedLabs === undefined;
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

  /**
   * Checks a request against the machine, of which it may use no more than `scope` allows.
   * @throws AppError when it cannot be run; see `planCommand`.
   */
  async plan(request: LabRequest, scope?: PlanScope): Promise<LabCommandPlan> {
    const cli = requireLabCli(this.findCli());
    const roots = scope === undefined ? this.roots : this.roots.narrowedTo(scope.allows);
    return planCommand(request, {
      cli,
      env: this.#deps.env,
      runIn: async (directory, args) => this.#runs.list(cli, directory, args),
      roots,
      topologyHosts: this.#deps.topologyHosts,
      directoryOf: async (instance) => this.#directoryOf(instance, scope),
      mayNameUnknown: scope?.mayNameUnknown ?? true,
      instanceIn: async (directory) => this.status.instanceIn(directory),
      entryOf: async (instance) => (await this.status.entries(false)).get(instance),
      serverDirectory: process.cwd(),
      workspaces: this.#deps.workspaces,
    });
  }

  /** What whoever asks may not use is not there for him. */
  async #directoryOf(instance: string, scope: PlanScope | undefined): Promise<string | undefined> {
    const directory = await this.status.directoryOf(instance);
    if (directory === undefined || scope === undefined) return directory;
    const real = await realpath(directory).catch(() => directory);
    return scope.allows(real) ? directory : undefined;
  }

  /** Whether the lab CLI may run in `workdir`, a real path. */
  allows(workdir: string): boolean {
    return this.roots.allows(workdir);
  }

  /** Right before a job starts: why it must not, beside those that run; else undefined. */
  async whyNotBeside(
    job: CommandRecord,
    running: readonly (CommandRecord & { readonly id: string })[],
  ): Promise<string | undefined> {
    const cli = this.findCli();
    if (cli?.driver.hasOneLabOfAName !== true) return undefined;
    const run = async (args: readonly string[]) => this.#runs.list(cli, job.workdir, args);
    return nameClash(job, running, { driver: cli.driver, env: this.#deps.env, run });
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
    return findLabIn(directory, () => {
      // Of a lab CLI without a record, what it told before the last change does not count.
      if (this.#keepsNoRecord && !this.status.isLastRecent) throw new Error('the labs are being looked at');
      return this.recorded();
    });
  }

  /** All labs that the lab CLI has on record now, without a run of it. @throws Error when that cannot be told. */
  recorded(): readonly RecordedLab[] {
    return recordedLabs(this.#driver, this.#deps.env, () => this.status.lastEntries);
  }

  /** The environment for the lab CLI's processes: those of a job, or any other. @throws AppError `lab-cli-missing`. */
  environment(job?: Pick<CommandRecord, 'workdir'>): Record<string, string> {
    const env = labCliEnvironment(requireLabCli(this.findCli()), this.#deps.env);
    return { ...env, ...(job && this.#driver.jobEnvironment?.(job.workdir)) };
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
    result: JobResult | null = null,
  ): string {
    const { name, driver } = this.findCli() ?? { name: 'the lab CLI', driver: defaultDriver };
    return driver.errorSentence({ action, cliName: name, logTail: logEnd, result, ...end });
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

  /** After exit code 0: a sentence when the action did not do what it says, else undefined. */
  async verify(command: Omit<CommandRecord, 'startedAt'>, logEnd: string): Promise<string | undefined> {
    return verifySuccess(command, logEnd, {
      driver: this.#driver,
      instanceDirs: async () => {
        this.noteChange();
        // A status that cannot be told proves nothing; what else there is to look at is looked at all the same.
        return this.status.directories(true).catch(() => undefined);
      },
      look: async (program, args) => this.#runs.look(this.findCli(), program, args),
    });
  }

  /** The same by what it found out. */
  doubt(result: JobResult): string | undefined {
    return this.#driver.doubt?.(result);
  }

  /** What a person has to do after an action was ended half-way or failed; undefined when certainly nothing. */
  cleanupHint(
    { action, workdir, startedAt }: Pick<CommandRecord, 'action' | 'workdir' | 'startedAt'>,
    logEnd: string,
  ): string | undefined {
    const cli = this.findCli();
    const { needsTopology, hintWhenHalfDone } = specOf(action);
    const beganMs = needsTopology && startedAt !== null ? Date.parse(startedAt) : null;
    const run = { action, directory: workdir, logEnd, beganMs };
    return cli && !cli.driver.mayHaveLeftLab(this.#deps.env, run) ? undefined : hintWhenHalfDone;
  }

  /** The directory beside the lab CLI's own state, where all services are that use it, for what they must agree on. */
  sharedDirectory(): string {
    // Root writes nothing where another user could put links in its way.
    if (this.#deps.runAs) return path.join(this.#deps.dataDir, 'ids');
    return path.join(this.#driver.stateDirectory(this.#deps.env), 'lab-api');
  }

  async instancesToAvoid(): Promise<readonly string[]> {
    return this.#driver.instancesToAvoid();
  }

  /** Whom jobs run as; undefined for the service's own user. */
  get runAs(): JobUser | undefined {
    return this.#deps.runAs;
  }

  get #driver(): LabDriver {
    return this.findCli()?.driver ?? defaultDriver;
  }
}
