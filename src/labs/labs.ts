/** The labs on this machine, of all lab CLIs of the service. With one lab CLI, every question goes straight to it. */
import { AppError } from '../lib/app-error.ts';
import type { AllowedRoots } from './system/allowed-roots.ts';
import { labsNamed } from './choose-cli.ts';
import type { CliLabs } from './cli-labs.ts';
import type { LabTemplate } from './templates/templates.ts';
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

/** The error of one of several lab CLIs, with the name of that lab CLI in its sentence. */
function withName(error: unknown, { name }: CliLabs): Error {
  if (!(error instanceof AppError)) return error instanceof Error ? error : new Error(String(error));
  const { code, cause, errors, extra, retryAfterSeconds } = error;
  return new AppError(code, `${name}: ${error.message}`, {
    cause,
    errors,
    extra,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

export class Labs {
  /** One for each lab CLI; the first serves requests and jobs that name none. */
  readonly members: readonly CliLabs[];
  readonly roots: AllowedRoots;
  readonly #first: CliLabs;

  constructor(members: readonly CliLabs[]) {
    const [first] = members;
    if (first === undefined) throw new Error('there is no lab CLI');
    this.members = members;
    this.roots = first.roots;
    this.#first = first;
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
   * @throws AppError as the status of a lab CLI that fails, when no other lab CLI has the lab.
   */
  async having(id: string, fresh = false): Promise<CliLabs> {
    if (this.members.length === 1) return this.#first;
    const failures: Error[] = [];
    for (const labs of this.members) {
      try {
        if ((await labs.status.entries(fresh)).has(id)) return labs;
      } catch (error) {
        failures.push(withName(error, labs));
      }
    }
    // The lab may be one of theirs.
    if (failures[0] !== undefined) throw failures[0];
    return this.#first;
  }

  /** Every lab with its directory. @throws AppError as the status of a lab CLI that fails. */
  async list(fresh = false): Promise<readonly KnownLab[]> {
    return (await this.#askEach(async ({ status }) => status.list(fresh))).flat();
  }

  /** Every lab with its nodes, in the same words for all lab CLIs. @throws AppError as `list`. */
  async listWithNodes(how: Freshness): Promise<Aged<readonly ListedLab[]>> {
    const lists = await this.#askEach(async ({ list }) => list.all(how));
    return {
      value: lists.flatMap(({ value }) => value),
      ageMs: Math.max(...lists.map(({ ageMs }) => ageMs)),
    };
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

  /** A document of some labs of the first lab CLI, in the shape of its own. */
  documentOf(entries: LabEntries): ReturnType<CliLabs['status']['documentOf']> {
    return this.#first.status.documentOf(entries);
  }

  /** Changes when a status that was read before is out of date. Cheap to ask. */
  get version(): string {
    return this.members.map(({ status }) => status.version).join(' ');
  }

  /** The labs as they were read last, without a run; undefined until every lab CLI has answered once. */
  get lastSeen(): SeenLabs | undefined {
    const seen = this.members.map(({ status }) => status.lastSeen);
    const known = seen.filter((one) => one !== undefined);
    if (known.length < seen.length) return undefined;
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
    await Promise.all(this.members.map(async (labs) => labs.open()));
  }

  /** To be awaited before `labIn`. Never rejects. */
  async seeAll(): Promise<void> {
    await Promise.all(this.members.map(async (labs) => labs.places.seeAll()));
  }

  /** The lab that lives in `directory` (a real path) or below. @throws AppError `workspace-busy` when that is unknown. */
  labIn(directory: string): string | undefined {
    for (const labs of this.members) {
      const id = labs.places.labIn(directory);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  /** Every lab on record now, without a run. @throws Error when a record cannot be read. */
  recorded(): readonly RecordedLab[] {
    return this.members.flatMap((labs) => labs.places.recorded());
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

  /** The answer of each lab CLI. One failure fails all: an answer without the labs of a lab CLI would say that they are gone. */
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
