import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { AllowedRoots } from './system/allowed-roots.ts';
import { oncePerTurn } from '../lib/async/once-per-turn.ts';
import { TopologyCheck } from './checks/topology-check.ts';
import { driverOfSetting, findLabCli } from './drivers/drivers.ts';
import type { Look } from './drivers/containers-there.ts';
import { programsOn } from './drivers/find-program.ts';
import { LabFacts } from './search/lab-facts.ts';
import { OutcomeRules } from './results/outcome-rules.ts';
import { LabLayouts } from './picture/lab-layouts.ts';
import { LayoutBeside } from './picture/layout-beside.ts';
import { LabPictures } from './picture/lab-pictures.ts';
import { LayoutThread } from './picture/layout-thread.ts';
import { LabTopologies } from './topologies/lab-topologies.ts';
import type { LabCli, LabDriver } from './drivers/lab-driver.ts';
import type { Asker } from './drivers/status-driver.ts';
import { beside } from './status/shared-labs.ts';
import { CliVersion } from './program/cli-version.ts';
import { LabPlaces } from './status/lab-places.ts';
import { environmentFor, type JobUser } from './program/job-user.ts';
import { labCliEnvironment, labCliVersion, requireLabCli, whyMissing } from './program/lab-cli.ts';
import { LabReports, type LabReportsDeps } from './topologies/lab-reports.ts';
import { LabTests } from './status/lab-tests.ts';
import { LabReady } from './ready/lab-ready.ts';
import type { LabNodeDeps } from './nodes/lab-node.ts';
import { LabNodes } from './nodes/lab-nodes.ts';
import { LabTraffic } from './nodes/lab-traffic.ts';
import { nameClash } from './plan/name-clash.ts';
import { planCommand, type LabCommandPlan, type TimedRequest } from './plan/plan-command.ts';
import { Reports } from './results/reports.ts';
import type { RunResult } from './system/run.ts';
import type { LabsDeps } from './labs-deps.ts';
import { specOf } from './model/actions.ts';
import type { CommandRecord, FindStart } from './model/command-record.ts';
import type { PlanScope } from './plan/working-directory.ts';
import { ChangeWatch, followed } from './change-watch.ts';
import { LabList } from './status/lab-list.ts';
import { LabStatus } from './status/lab-status.ts';
import { Templates, type LabTemplate } from './templates/templates.ts';
import { TemplateThread } from './templates/template-thread.ts';

/** The labs of one lab CLI on this machine: everything that jobs and clients may ask about them. */
export class CliLabs {
  /** Judges how its jobs ended. */
  readonly judge: OutcomeRules;
  readonly status: LabStatus;
  readonly places: LabPlaces;
  /** The labs in words that all lab CLIs share. */
  readonly list: LabList;
  /** Which of their nodes are ready. */
  readonly ready: LabReady;
  readonly topologies: LabTopologies;
  readonly facts = new LabFacts(() => this.topologies);
  readonly traffic: LabTraffic;
  readonly layouts: LabLayouts;
  readonly pictures: LabPictures;
  readonly roots: AllowedRoots;
  readonly tests: LabTests;
  readonly reports: LabReports;
  readonly checks = new TopologyCheck(
    () => ({ ...this.#deps, findCli: () => this.requireCli(), others: this.#others }),
    async (...asked) => this.#runs.report(...asked),
  );
  readonly #deps: LabsDeps;
  readonly #asker: Asker;
  readonly #nodeDeps: LabNodeDeps;
  readonly #templates: Templates;
  readonly #runs: Reports;
  readonly #version: CliVersion;
  /** Changes whenever a job may have changed a lab: what the status said before is out of date then. */
  #epoch = 0;

  constructor(given: LabsDeps) {
    const { runAs } = given;
    const deps = runAs ? { ...given, env: environmentFor(runAs, given.env) } : given;
    this.#deps = deps;
    this.#asker = { env: deps.env, isOtherUser: runAs !== undefined };
    this.#runs = new Reports(deps);
    const words = deps.runAs?.commandPrefix ?? [];
    this.#version = new CliVersion(async (cli) => labCliVersion(cli, deps.env, words));
    // A list of 200 labs asks 2,000 times.
    const driver = oncePerTurn(() => this.#driver);
    const cli = (): LabCli => this.requireCli();
    // Of workspaces, everything is allowed, or they would be of no use.
    this.roots = new AllowedRoots(deps.roots, { ...deps, serverDirectory: process.cwd() });
    this.status = new LabStatus({
      driver,
      runCli: async (args) => this.#report(args),
      maxAgeMs: deps.statusMaxAgeMs,
      stateFile: () => this.findCli()?.driver.stateFile(deps.env),
      epoch: () => this.#epoch,
      observer: deps.statusObserver,
      beside: deps.others && beside(driver, deps.others),
    });
    this.places = new LabPlaces({ driver, env: deps.env, status: this.status, cli: () => this.findCli() });
    this.judge = new OutcomeRules({
      findCli: () => this.findCli(),
      requireCli: cli,
      driver,
      env: deps.env,
      runs: this.#runs,
      directoriesNow: async () => {
        this.noteChange();
        return this.status.directories(true);
      },
    });
    this.#nodeDeps = {
      status: this.status,
      cli,
      env: () => this.judge.environment(),
      words,
      places: deps.nodePlaces,
    };
    const { status, roots } = this;
    this.tests = new LabTests({ status, cli, roots, runIn: async (...asked) => this.#runs.list(...asked) });
    const runIn: LabReportsDeps['runIn'] = async (of, cwd, args, limits = {}) =>
      this.#runs.report(of, args, { cwd, limits });
    const topologies = (this.topologies = new LabTopologies({ cli, roots, status, runIn }));
    this.reports = new LabReports({ topologies, cli, runIn });
    const layouts = new LabLayouts(deps.dataDir, new LayoutBeside({ driver, status, roots, runAs }));
    this.layouts = layouts;
    const [look, nodes, asker] = [this.#look, this.#nodeDeps, this.#asker];
    const there = { look, topologyOf: async (id: string) => topologies.ifReadable(id) };
    const list = (this.list = new LabList({ status, driver, maxAgeMs: deps.statusMaxAgeMs, there }));
    this.traffic = new LabTraffic({ status, topologies, driver, asker, look });
    const ready = (this.ready = new LabReady({ ...deps, list, driver, look, nodes }));
    this.#templates = new Templates(new TemplateThread(deps.shutdown));
    this.pictures = new LabPictures({ list, ready, topologies, layouts, thread: new LayoutThread(deps) });
  }

  async #report(args: readonly string[]): Promise<RunResult> {
    const cli = this.requireCli();
    const result =
      (await cli.driver.status.answer?.(args, this.#asker)) ??
      (await this.#runs.status(cli, args, this.#epoch));
    // The record is then as new as the status.
    await this.places.seeRecord();
    return result;
  }

  readonly #look: Look = async (program, args) => this.#runs.look(this.findCli(), program, args);

  /** The nodes of a lab. Changes of them, and whatever enters them, ask `assertMayChange` first. */
  nodes(lab: string, assertMayChange?: () => void): LabNodes {
    return new LabNodes({ ...this.#nodeDeps, topologies: this.topologies }, lab, assertMayChange);
  }

  /** As `GET /` calls it. */
  get name(): string {
    return this.#driver.name;
  }

  /** Whether the service has no other lab CLI. */
  get isAlone(): boolean {
    return this.#deps.others === undefined;
  }

  /** Looked up each time, so a lab CLI that is installed later is found. */
  findCli(): LabCli | undefined {
    return findLabCli(this.#deps.cli, this.#deps.env);
  }

  /** @throws AppError `lab-cli-missing` */
  requireCli(): LabCli {
    return requireLabCli(this.findCli(), this.#deps.cli);
  }

  /** The version of the lab CLI; undefined when there is no lab CLI, or it does not report one. */
  async version(): Promise<string | undefined> {
    const cli = this.findCli();
    return cli && this.#version.of(cli);
  }

  /** Its description in `GET /`, without a run. */
  describe() {
    const [cli, driver] = [this.findCli(), this.#driver];
    const version = (cli && this.#version.toldBy(cli)) ?? null;
    const runtime = driver.runtimes?.inForce(this.#deps.env).runtime ?? null;
    return { name: driver.name, version, driver, isThere: cli !== undefined, runtime } as const;
  }

  /** To be called when a job may have changed a lab: the status is asked for anew then. */
  noteChange(): void {
    this.#epoch += 1;
    if (this.places.keepsNoRecord) this.status.refresh(0);
  }

  /** To be called once, before the first question about labs. */
  watch(): void {
    const onChange = (): void => this.noteChange();
    new ChangeWatch({ ...followed(this.#deps, () => this.findCli()), onChange }).start();
  }

  /** The topologies in `directory` (absolute). @throws AppError `directory-not-found`. */
  async templates(directory: string, recursive: boolean): Promise<readonly LabTemplate[]> {
    const cli = this.findCli();
    const { PATH } = labCliEnvironment(cli ?? { binDirs: [] }, this.#deps.env);
    const searchPath = this.#driver.runtimes?.searchPath?.(this.#deps.env, PATH ?? '') ?? PATH;
    const templates = await this.#templates.list(directory, recursive, {
      isPrivate: (place) => this.roots.isPrivate(place),
      files: this.#driver.topologies,
      without: cli ? undefined : whyMissing(this.#deps.cli),
      hasProgram: programsOn(searchPath),
    });
    return templates.map((template) => ({ ...template, cli: this.name }));
  }

  /** Whether a file is a topology of this lab CLI and of no other, by its name. */
  ownsTopology(file: string): boolean {
    const { areOwnNames, isName } = this.#driver.topologies;
    return areOwnNames === true && isName(path.basename(file));
  }

  /**
   * Checks a request against the machine; the request may use no more than `scope` allows. `findStart` finds starts of this lab
   * CLI that may have left something which its status does not list.
   * @throws AppError when it cannot be run; see `planCommand`.
   */
  async plan(request: TimedRequest, scope?: PlanScope, findStart?: FindStart): Promise<LabCommandPlan> {
    const cli = this.requireCli();
    const roots = scope === undefined ? this.roots : this.roots.narrowedTo(scope.allows);
    // Other actions need a lab with nodes.
    const unlisted = specOf(request.action).stopsLab === true ? findStart : undefined;
    return planCommand(request, {
      cli,
      multilabId: this.#deps.multilabId,
      env: this.#deps.env,
      others: this.#others,
      runIn: async (place, args) => this.#runs.check(cli, place, args, [this.#epoch, request.sinceMs]),
      roots,
      topologyHosts: this.#deps.topologyHosts,
      directoryOf: async (instance) => this.#directoryOf(instance, scope, unlisted),
      findStart,
      mayNameUnknown: scope?.mayNameUnknown ?? true,
      instanceIn: async (directory) =>
        (await this.places.idIn(directory)) ?? (await this.status.instanceIn(directory)),
      entryOf: async (instance) => (await this.status.entries(false)).get(instance),
      serverDirectory: process.cwd(),
      workspaces: this.#deps.workspaces,
    });
  }

  /** For a user, a lab in a directory outside `scope` does not exist. */
  async #directoryOf(id: string, scope?: PlanScope, findStart?: FindStart): Promise<string | undefined> {
    const listed = await this.status.directoryOf(id);
    const directory = listed ?? (await findStart?.({ instance: id }))?.workdir;
    if (directory === undefined || scope === undefined) return directory;
    const real = await realpath(directory).catch(() => directory);
    return scope.allows(real) ? directory : undefined;
  }

  /** Right before a job starts: why it must not, beside those that run; else undefined. */
  async whyNotBeside(
    job: CommandRecord,
    running: readonly (CommandRecord & { readonly id: string })[],
  ): Promise<string | undefined> {
    const cli = this.findCli();
    if (cli?.driver.hasOneLabOfAName !== true) return undefined;
    // No program starts where nothing is.
    const directory = existsSync(job.workdir) ? job.workdir : process.cwd();
    const run = async (args: readonly string[]) => this.#runs.check(cli, directory, args, [this.#epoch]);
    return nameClash(job, running, { driver: cli.driver, env: this.#deps.env, others: this.#others, run });
  }

  /** Makes the workspace that a request names, unless it is there. */
  async makeWorkspace(name: string, owner: string | null): Promise<void> {
    await this.#deps.makeWorkspace(name, owner);
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

  /** See `LabDriver`. */
  get stopsWithoutDirectory(): boolean {
    return this.#driver.stopsWithoutDirectory === true;
  }

  /** The user that jobs run as; undefined for the service's own user. */
  get runAs(): JobUser | undefined {
    return this.#deps.runAs;
  }

  get #others(): readonly string[] {
    return this.#deps.others?.().map(({ name }) => name) ?? [];
  }

  get #driver(): LabDriver {
    return this.findCli()?.driver ?? driverOfSetting(this.#deps.cli);
  }
}
