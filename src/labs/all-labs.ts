/** The labs on this machine, through the lab CLIs of the service: with one, they are its own, and nothing else is asked. */
import { AppError } from '../lib/app-error.ts';
import { settledWithin } from '../lib/async/settled-within.ts';
import { specOf } from './model/actions.ts';
import type { AllowedRoots } from './system/allowed-roots.ts';
import { chooseLabs, labsNamed, maxWaitMs, namesOf } from './choose-labs.ts';
import { driverNames } from './drivers/drivers.ts';
import type { LabCli } from './drivers/lab-driver.ts';
import type { RecordedLab } from './status/lab-in-directory.ts';
import type { OutcomeRules } from './results/outcome-rules.ts';
import type { JobResult } from './model/job-result.ts';
import type { JobUser } from './program/job-user.ts';
import {
  layoutsOfAll,
  listOfAll,
  nodesOfAll,
  ofEach,
  ownerAmong,
  partsByLab,
  statusOfAll,
} from './lab-parts.ts';
import type { CommandRecord } from './model/command-record.ts';
import type { PlanScope } from './plan/plan-scope.ts';
import type { LabTemplate, Labs } from './labs.ts';
import type { LabCommandPlan, LabRequest } from './plan/plan-command.ts';
import type { WorkspacePlaces } from './workspaces/workspace-places.ts';

/** A job by what its record says. */
type Recorded = Pick<CommandRecord, 'cli'>;

interface AllLabsDeps {
  /** The first is that of requests and labs that say nothing else. */
  readonly members: readonly Labs[];
  /** For jobs of a lab CLI that is none of the service's any more. */
  readonly formerly: (name: string) => Labs;
  readonly workspaces: WorkspacePlaces;
}

export class AllLabs {
  readonly status: ReturnType<typeof statusOfAll>;
  /** The labs in words that all lab CLIs share. */
  readonly list: ReturnType<typeof listOfAll>;
  readonly topologies: ReturnType<typeof partsByLab>['topologies'];
  readonly layouts: ReturnType<typeof layoutsOfAll>;
  readonly pictures: ReturnType<typeof partsByLab>['pictures'];
  readonly roots: AllowedRoots;
  readonly nodes: ReturnType<typeof nodesOfAll>;
  readonly tests: ReturnType<typeof partsByLab>['tests'];
  /** Each lab CLI's own. */
  readonly members: readonly Labs[];
  readonly #deps: AllLabsDeps;
  readonly #first: Labs;
  readonly #former = new Map<string, Labs>();

  constructor(deps: AllLabsDeps) {
    const { members } = deps;
    const [first] = members;
    if (first === undefined) throw new Error('there is no lab CLI');
    this.#deps = deps;
    this.#first = first;
    this.members = members;
    const ownerOf = ownerAmong(members);
    this.status = statusOfAll(first, members, ownerOf);
    this.list = listOfAll(members, ownerOf);
    const parts = partsByLab(ownerOf);
    this.topologies = parts.topologies;
    this.pictures = parts.pictures;
    this.tests = parts.tests;
    this.nodes = nodesOfAll(ownerOf);
    this.layouts = layoutsOfAll(first, members);
    this.roots = first.roots;
  }

  /** The same of one of them alone. @throws AppError `invalid-request` for a name that none of them has. */
  only(name: string): AllLabs {
    const labs = labsNamed(this.members, name);
    return this.members.length === 1 ? this : new AllLabs({ ...this.#deps, members: [labs] });
  }

  /** That of requests that say nothing else, as it is on this machine now. */
  findCli(): LabCli | undefined {
    return this.#first.findCli();
  }

  /** By their names: all of them as they are on this machine now. */
  clis(): readonly (readonly [string, LabCli | undefined])[] {
    return this.members.map((labs) => [labs.name, labs.findCli()] as const);
  }

  /** To be called when a job may have changed a lab. */
  noteChange(): void {
    for (const labs of this.members) labs.noteChange();
  }

  /** To be called once, before anybody asks which labs there are. */
  async open(): Promise<void> {
    await Promise.all(this.members.map(async (labs) => labs.open()));
  }

  /** To be awaited before `labIn`. Never rejects. */
  async seeAll(): Promise<void> {
    await Promise.all(this.members.map(async (labs) => labs.places.seeAll()));
  }

  /** The topologies in `directory` (absolute), each for one lab CLI. @throws AppError `directory-not-found`. */
  async templates(directory: string, recursive: boolean): Promise<readonly LabTemplate[]> {
    const lists = await ofEach(this.members, async (labs) => labs.templates(directory, recursive));
    if (lists.length === 1) return lists[0] ?? [];
    const byPath = new Map<string, LabTemplate>();
    const owns = ({ cli, path }: LabTemplate): boolean => labsNamed(this.members, cli).ownsTopology(path);
    const rank = (template: LabTemplate): number =>
      (owns(template) ? 4 : 0) + (template.valid ? 2 : 0) + (template.runnable ? 1 : 0);
    for (const template of lists.flat()) {
      const known = byPath.get(template.path);
      if (known === undefined || rank(template) > rank(known)) byPath.set(template.path, template);
    }
    return [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  /**
   * Checks a request against the machine, of which it may use no more than `scope` allows.
   * @throws AppError when it cannot be run; see `planCommand` and `chooseLabs`.
   */
  async plan(
    request: LabRequest & { readonly cli?: string | undefined },
    scope?: PlanScope,
  ): Promise<LabCommandPlan & { readonly cli: string }> {
    const roots = scope === undefined ? this.roots : this.roots.narrowedTo(scope.allows);
    const { workspaces } = this.#deps;
    const labs = await chooseLabs(this.members, request, {
      roots,
      // Empty: nobody tells where it is.
      mayKnow: (directory) => scope === undefined || (directory !== '' && scope.allows(directory)),
      workspaces,
      serverDirectory: process.cwd(),
    });
    return { ...(await labs.plan(request, scope)), cli: labs.name };
  }

  /** Whether a lab CLI may run in `workdir`, a real path. */
  allows(workdir: string): boolean {
    return this.roots.allows(workdir);
  }

  /** Right before a job starts: why it must not, beside those that run; else undefined. */
  async whyNotBeside(
    job: CommandRecord,
    running: readonly (CommandRecord & { readonly id: string })[],
  ): Promise<string | undefined> {
    const labs = this.#jobLabs(job);
    if (!this.members.includes(labs)) return this.whyGone(labs.name);
    const isOther = await this.#whyNotHere(job, labs);
    const ofSame = running.filter((other) => this.#jobLabs(other) === labs);
    return isOther ?? labs.whyNotBeside(job, ofSame);
  }

  /** What was accepted for a lab CLI cannot run with another one: its words are not those of the other. */
  whyGone(name: string): string {
    return `"${name}" is none of the lab CLIs of this server any more (${namesOf(this.members)}): add it to LAB_API_CLIS, and restart the service`;
  }

  /** The lab of another lab CLI may have come into the directory since the job was accepted. */
  async #whyNotHere({ action, workdir }: CommandRecord, labs: Labs): Promise<string | undefined> {
    if (this.members.length === 1 || specOf(action).startsLab !== true) return undefined;
    for (const other of this.members) {
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

  /** The lab that lives in `directory` (a real path) or below. @throws AppError `workspace-busy` when that cannot be told. */
  labIn(directory: string): string | undefined {
    for (const labs of this.members) {
      const id = labs.places.labIn(directory);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  /** All labs that are on record now, without a run. @throws Error when that cannot be told. */
  recorded(): readonly RecordedLab[] {
    return this.members.flatMap((labs) => labs.places.recorded());
  }

  /** Whom jobs run as; undefined for the service's own user. */
  get runAs(): JobUser | undefined {
    return this.#first.runAs;
  }

  environment(job: CommandRecord): ReturnType<OutcomeRules['environment']> {
    return this.#judge(job).environment(job);
  }

  madeBy(job: Parameters<OutcomeRules['madeBy']>[0] & Recorded): ReturnType<OutcomeRules['madeBy']> {
    return this.#judge(job).madeBy(job);
  }

  errorSentence(
    ...[job, ...rest]: [
      Parameters<OutcomeRules['errorSentence']>[0] & Recorded,
      ...Tail<Parameters<OutcomeRules['errorSentence']>>,
    ]
  ): string {
    return this.#judge(job).errorSentence(job, ...rest);
  }

  isSuccess(job: Parameters<OutcomeRules['isSuccess']>[0] & Recorded, exitCode: number): boolean {
    return this.#judge(job).isSuccess(job, exitCode);
  }

  resultReader(job: Parameters<OutcomeRules['resultReader']>[0]): ReturnType<OutcomeRules['resultReader']> {
    return this.#judge(job).resultReader(job);
  }

  nonProgress(job: Recorded): RegExp | undefined {
    return this.#judge(job).nonProgress;
  }

  async verify(...[job, logEnd]: Parameters<OutcomeRules['verify']>): Promise<string | undefined> {
    return this.#judge(job).verify(job, logEnd);
  }

  doubt(job: Recorded, result: JobResult): string | undefined {
    return this.#judge(job).doubt(result);
  }

  async leftBehind(...[job, logEnd]: Parameters<OutcomeRules['leftBehind']>): Promise<readonly string[]> {
    return this.#judge(job).leftBehind(job, logEnd);
  }

  cleanupHint(
    job: Parameters<OutcomeRules['cleanupHint']>[0] & Recorded,
    logEnd: string,
  ): string | undefined {
    return this.#judge(job).cleanupHint(job, logEnd);
  }

  #judge(job: Recorded): OutcomeRules {
    return this.#jobLabs(job).judge;
  }

  /** Those that a job was accepted for; before there were several, nobody wrote that down. */
  #jobLabs({ cli }: Recorded): Labs {
    const own = this.members.find(({ name }) => name === (cli ?? this.#first.name));
    if (own !== undefined) return own;
    if (cli === null || cli === undefined || !driverNames.includes(cli)) return this.#first;
    const former = this.#former.get(cli) ?? this.#deps.formerly(cli);
    this.#former.set(cli, former);
    return former;
  }

  /** @throws AppError `lab-cli-missing` for one that the service does not have any more. */
  assertThere(name: string | null): void {
    if (name === null || this.members.some((labs) => labs.name === name)) return;
    throw new AppError('lab-cli-missing', this.whyGone(name));
  }
}

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never;
