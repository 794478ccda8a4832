/** The labs on this machine, of all lab CLIs of the service. With one lab CLI, every question goes straight to it. */
import type { AllowedRoots } from './system/allowed-roots.ts';
import { unknownInstance } from './drivers/status-failure.ts';
import { Patience, usualPatienceMs, withName } from './answers.ts';
import { labsNamed } from './choose-cli.ts';
import type { CliLabs } from './cli-labs.ts';
import type { LabLayouts } from './picture/lab-layouts.ts';
import type { LabTemplate } from './templates/templates.ts';
import { findTopologyFile } from './topologies/topology-file.ts';
import type { LabCli } from './drivers/lab-driver.ts';
import type { LabEntries } from './drivers/status-driver.ts';
import type { JobUser } from './program/job-user.ts';
import type { RecordedLab } from './status/lab-in-directory.ts';
import type { Aged, ListedLab } from './status/lab-list.ts';
import type { FoundLab } from './status/lab-places.ts';
import type { KnownLab, SeenLabs, StatusDocument, StatusFormat } from './status/lab-status.ts';

interface Freshness {
  readonly fresh: boolean;
}

/** The labs that the lab CLIs tell of. */
export interface ToldLabs {
  readonly labs: readonly KnownLab[];
  /** The names of those lab CLIs that failed, or have not answered in time. */
  readonly missingClis: readonly string[];
}

/** The labs with their nodes. For `missingClis`, the last good list counts, if there was one. */
export interface ListedLabs extends Aged<readonly ListedLab[]> {
  readonly missingClis: readonly string[];
}

export class Labs {
  /** One for each lab CLI; the first serves requests and jobs that name none. */
  readonly members: readonly CliLabs[];
  readonly roots: AllowedRoots;
  readonly #first: CliLabs;
  readonly #patience: Patience;
  /** Lists with nodes take longer, and are no sign that a lab CLI hangs. */
  readonly #listPatience: Patience;

  /** No answer about all labs waits longer than `patienceMs` for one of several lab CLIs. */
  constructor(members: readonly CliLabs[], patienceMs = usualPatienceMs) {
    const [first] = members;
    if (first === undefined) throw new Error('there is no lab CLI');
    this.members = members;
    this.roots = first.roots;
    this.#first = first;
    this.#patience = new Patience(patienceMs);
    this.#listPatience = new Patience(patienceMs);
  }

  /** The labs of one lab CLI alone. @throws AppError `invalid-request` for a name that no lab CLI of the service has. */
  only(name: string): Labs {
    return this.members.length === 1 && this.#first.name === name ? this : new Labs([this.named(name)]);
  }

  /** @throws AppError `invalid-request` for a name that no lab CLI of the service has. */
  named(name: string): CliLabs {
    return labsNamed(this.members, name);
  }

  /**
   * The lab CLI that has the lab of an id: the first of several, and the first of all for an id that none of them knows.
   * @throws AppError as `find`.
   */
  async having(id: string, fresh = false): Promise<CliLabs> {
    if (this.members.length === 1) return this.#first;
    const known = await this.find(id, fresh);
    return known === undefined ? this.#first : this.named(known.cli);
  }

  /**
   * The lab with an id, if it is `meant`. When several lab CLIs have one, the first of them counts. Undefined when none has. A lab
   * CLI that hangs is waited for only if it may have the lab.
   * @throws AppError as the status of a lab CLI that fails, when no other lab CLI has the lab.
   */
  async find(id: string, fresh: boolean, meant = (_lab: KnownLab) => true): Promise<KnownLab | undefined> {
    const isAlone = this.members.length === 1;
    const others: Promise<KnownLab | undefined>[] = [];
    for (const labs of this.members) {
      const asked = labs.status.list(fresh).then(
        (all) => all.find((lab) => lab.id === id && meant(lab)),
        (error: unknown) => {
          throw isAlone ? error : withName(error, labs);
        },
      );
      // Of two labs of one id, the second is not meant only because the first lab CLI fails now.
      const isLikely = isAlone || labs.status.lastEntries?.has(id) === true;
      const known = await (isLikely ? asked : this.#patience.settled(labs, asked));
      if (known !== undefined) return known;
      others.push(asked);
    }
    // The lab may be one of those that have not told.
    const found = others.map(async (asked) => {
      const known = await asked;
      if (known === undefined) throw unknownInstance(id);
      return known;
    });
    return Promise.any(found).catch(async () => (await Promise.all(others))[0]);
  }

  /** The layouts for a directory (a real path): those of the lab CLI that has a lab there, else of the first one. Never rejects. */
  async layoutsFor(directory: string): Promise<LabLayouts> {
    if (this.members.length > 1)
      for (const { status, layouts } of this.members)
        if ((await status.labIn(directory).catch(() => undefined)) !== undefined) return layouts;
    return this.#first.layouts;
  }

  /** Every lab with its directory; with `cli`, of that lab CLI alone. @throws AppError as the status of a lab CLI that fails. */
  async list(fresh = false, cli?: string | null): Promise<readonly KnownLab[]> {
    const asked = this.members.find(({ name }) => name === cli);
    if (asked !== undefined) return asked.status.list(fresh);
    return (await this.#askEach(async ({ status }) => status.list(fresh))).flat();
  }

  /** The same of those lab CLIs that tell. @throws AppError when none does. */
  async told(): Promise<ToldLabs> {
    const told = await this.#patience.answers(this.members, async ({ status }) => status.list());
    const labs = this.members.flatMap((member) => told.get(member) ?? []);
    return { labs, missingClis: this.#namesWithout(told) };
  }

  /** Every lab with its nodes, in the same words for all lab CLIs. @throws AppError when no lab CLI tells. */
  async listWithNodes(how: Freshness): Promise<ListedLabs> {
    const told = await this.#listPatience.answers(this.members, async ({ list }) => list.all(how));
    const lists = this.members.flatMap((labs) => told.get(labs) ?? labs.list.last ?? []);
    return {
      value: lists.flatMap(({ value }) => value),
      ageMs: Math.max(...lists.map(({ ageMs }) => ageMs)),
      missingClis: this.#namesWithout(told),
    };
  }

  /** The names of the lab CLIs that have not answered. */
  #namesWithout(told: ReadonlyMap<CliLabs, unknown>): readonly string[] {
    return this.members.filter((labs) => !told.has(labs)).map(({ name }) => name);
  }

  /** A mark and a time of this start of a lab; undefined when the lab CLI reports none. */
  startOf({ cli, entry }: Pick<KnownLab, 'cli' | 'entry'>): ReturnType<CliLabs['status']['startOf']> {
    const labs = this.members.find(({ name }) => name === cli) ?? this.#first;
    return labs.status.startOf({ entry });
  }

  /** The status document of the first lab CLI. */
  async status(format: StatusFormat, how: Freshness): Promise<StatusDocument> {
    return this.#first.status.all(format, how);
  }

  /** The labs of the first lab CLI. @throws AppError as its status. */
  async listOfFirst(fresh: boolean): Promise<readonly KnownLab[]> {
    return this.#first.status.list(fresh);
  }

  /** A document of some labs of the first lab CLI, in the shape of its own. */
  documentOf(entries: LabEntries): ReturnType<CliLabs['status']['documentOf']> {
    return this.#first.status.documentOf(entries);
  }

  /** Changes when a status that was read before is out of date, or a lab has become ready. Cheap to ask. */
  get version(): string {
    return this.members.map(({ status, ready }) => `${status.version}/${ready.version}`).join(' ');
  }

  /** Whether all nodes of a lab are ready, from its last check; null when that is unknown. It is checked then. */
  readyOf(lab: KnownLab): boolean | null {
    return this.named(lab.cli).ready.known(lab);
  }

  /** To be called when a lab is gone: the next lab of that name has to become ready by itself. */
  forgetReady({ instance, cli }: { readonly instance: string; readonly cli: string | null }): void {
    for (const { name, ready } of this.members) if (cli === null || name === cli) ready.forget(instance);
  }

  /** The labs as they were read last, without a run; undefined until a lab CLI has answered. */
  get lastSeen(): SeenLabs | undefined {
    const known = this.members.flatMap(({ status }) => status.lastSeen ?? []);
    if (known.length === 0) return undefined;
    return {
      atMs: Math.min(...known.map(({ atMs }) => atMs)),
      labs: known.flatMap(({ labs }) => labs),
      nodes: known.flatMap(({ nodes }) => nodes),
    };
  }

  /** Renews `lastSeen` in the background where it is older than that. */
  refresh(olderThanMs: number): void {
    for (const { status } of this.members) status.refresh(olderThanMs);
  }

  /** The user that jobs run as; undefined for the service's own user. */
  get runAs(): JobUser | undefined {
    return this.#first.runAs;
  }

  /** By their names: the lab CLIs as they are on this machine now. */
  clis(): readonly (readonly [string, LabCli | undefined])[] {
    return this.members.map((labs) => [labs.name, labs.findCli()] as const);
  }

  /** To be called when a job may have changed a lab. */
  noteChange(): void {
    for (const labs of this.members) labs.noteChange();
  }

  /** To be called once, before the first question about labs. */
  async open(): Promise<void> {
    await this.#first.checks.open();
    for (const labs of this.members) labs.watch();
    await this.seeAll(true);
  }

  /** To be awaited before `labIn`. Never rejects. In haste, it waits a few seconds at most for a lab CLI that hangs. */
  async seeAll(isInHaste = false): Promise<void> {
    const see = async (labs: CliLabs): Promise<void> => {
      const seen = labs.places.seeAll();
      await (isInHaste ? this.#patience.settled(labs, seen) : seen);
    };
    await Promise.all(this.members.map(see));
  }

  /** The lab that lives in `directory` (a real path) or below. @throws AppError `workspace-busy` when that is unknown. */
  labIn(directory: string): string | undefined {
    const failures: unknown[] = [];
    for (const labs of this.members) {
      try {
        const id = labs.places.labIn(directory);
        if (id !== undefined) return id;
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return undefined;
  }

  /** Every lab on record now, without a run; `failure` when those of a lab CLI are unknown. */
  onRecord(): { readonly labs: readonly RecordedLab[]; readonly failure: Error | undefined } {
    let failure: Error | undefined;
    const labs = this.members.flatMap(({ places }) => {
      try {
        return places.recorded();
      } catch (error) {
        failure ??= error instanceof Error ? error : new Error(String(error));
        return [];
      }
    });
    return { labs, failure };
  }

  /** The labs as they were known last, without waiting; those of a lab CLI that are unknown are left out. */
  lastFound(): readonly FoundLab[] {
    return this.members.flatMap(({ places }) => places.lastFound());
  }

  /** The topologies in `directory` (absolute), each for one lab CLI. @throws AppError `directory-not-found`. */
  async templates(directory: string, recursive: boolean): Promise<readonly LabTemplate[]> {
    const lists = await this.#askEach(async (labs) => labs.templates(directory, recursive));
    if (lists.length === 1) return lists[0] ?? [];
    const byPath = new Map<string, LabTemplate>();
    const owns = ({ cli, path }: LabTemplate): boolean => this.named(cli).ownsTopology(path);
    const rank = (template: LabTemplate): number =>
      (owns(template) ? 4 : 0) + (template.valid ? 2 : 0) + (template.runnable ? 1 : 0);
    for (const template of lists.flat()) {
      const known = byPath.get(template.path);
      if (known === undefined || rank(template) > rank(known)) byPath.set(template.path, template);
    }
    return [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Whether an `up` in a directory would find a topology: the named file, or one of its lab CLI's own places. Never rejects. */
  async hasTopology(cli: string | null, workdir: string, topologyPath?: string): Promise<boolean> {
    const labs = cli === null ? this.#first : this.members.find(({ name }) => name === cli);
    if (labs === undefined) return false;
    const { topologies } = labs.describe().driver;
    return findTopologyFile(topologyPath, { workdir, roots: this.roots, topologies }).then(
      () => true,
      () => false,
    );
  }

  /** The answer of each lab CLI. One failure fails all: a lab that is not in the answer is taken to be gone. */
  async #askEach<T>(ask: (labs: CliLabs) => Promise<T>): Promise<readonly T[]> {
    if (this.members.length === 1) return [await ask(this.#first)];
    return Promise.all(
      this.members.map(async (labs) =>
        ask(labs).catch((error: unknown) => {
          throw withName(error, labs);
        }),
      ),
    );
  }
}
