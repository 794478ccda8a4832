/**
 * The owners of labs. A lab belongs to the user of the job that started it, also after a restart. The lab CLI reports when a lab
 * was started, so the times in which such jobs ran are kept: a lab that was started at any other time was started from a shell
 * and has no owner. Records of jobs are removed; this record stays as long as the lab does.
 */
import { shareSchema, type Share } from '../access/model/groups.ts';
import { isTerminal, type Job } from '../jobs/model/job.ts';
import { specOf } from '../labs/model/actions.ts';
import { AppError, messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import { JsonFile } from '../lib/files/json-file.ts';
import * as z from 'zod';
import type { OwnerService, StartedLab } from './owner-service.ts';

const time = z.int().min(0);

/** A lab that was started in this time is this owner's. Times are ms since 1970. */
const spanSchema = z.object({
  /** The id of the job that ran then; null when the lab was given to its owner. */
  job: z.string().nullable(),
  owner: z.string().nullable(),
  from: time,
  /** Null while the job runs. */
  to: time.nullable(),
  // A later version may have kinds of shares that are unknown here: then the lab is not shared.
  shares: z.array(shareSchema).readonly().catch([]),
});
type OwnedSpan = Readonly<z.infer<typeof spanSchema>>;

const contentSchema = z.object({ directories: z.record(z.string(), z.array(spanSchema).readonly()) });
type OwnerFileContent = z.infer<typeof contentSchema>;

interface OwnerJobs {
  readonly unfinished: () => readonly Job[];
  /** Those that ended in this directory and may have started a lab, oldest first. */
  readonly startsIn: (workdir: string) => Promise<readonly Job[]>;
  /** Calls `listener` after every change of a job; the result ends that. */
  readonly onChange: (listener: (job: Job) => void) => () => void;
  /** Runs `action` while no job is accepted. */
  readonly whileClosed: <T>(action: () => Promise<T>) => Promise<T>;
}

interface LabOwnersDeps {
  readonly file: string;
  readonly jobs: OwnerJobs;
  /** The labs that the lab CLIs have on record now; `failure` when some of them are unknown. */
  readonly labs: () => {
    readonly labs: readonly (StartedLab & { readonly directory: string })[];
    readonly failure: Error | undefined;
  };
  readonly log: Logger;
}

/** In one directory; the lab that is there was started in one of the last ones. */
const spansMax = 20;
/** Directories; then those without a lab are forgotten. */
const directoriesMax = 1_000;

function mayStartLab({ action }: Pick<Job, 'action'>): boolean {
  const { startsLab, restartsLab } = specOf(action);
  return startsLab === true || restartsLab === true;
}

function spanOf(spans: readonly OwnedSpan[], startedAtMs: number | null): OwnedSpan | undefined {
  return spans.findLast(({ from, to }) =>
    startedAtMs === null ? to === null : from <= startedAtMs && startedAtMs <= (to ?? Infinity),
  );
}

export class LabOwners implements OwnerService {
  readonly #deps: LabOwnersDeps;
  /** The spans of each directory, oldest first. If the file is damaged, most spans are read from the records of jobs. */
  readonly #file: JsonFile<OwnerFileContent>;
  #spans = new Map<string, readonly OwnedSpan[]>();
  #stopListening = (): void => undefined;
  #isFailing = false;

  constructor(deps: LabOwnersDeps) {
    this.#deps = deps;
    this.#file = new JsonFile({
      file: deps.file,
      parse: (value) => contentSchema.parse(value),
      onDamage: (details) =>
        deps.log.error(
          'the file of lab owners is damaged and was set aside; the owners are read from the jobs',
          details,
        ),
    });
  }

  /** Call when the records of jobs were read and nothing was made of them yet. @throws Error when the disk refuses. */
  async open(): Promise<void> {
    const { jobs } = this.#deps;
    const content = await this.#file.load();
    this.#spans = new Map(Object.entries(content?.directories ?? {}));
    // Jobs that ended just before a crash, and those of older versions, are only in the job records.
    for (const { directory } of this.#labs())
      for (const job of await jobs.startsIn(directory)) this.#note(job);
    for (const job of jobs.unfinished()) this.#note(job);
    this.#stopListening = jobs.onChange((job) => {
      if (this.#note(job)) void this.#saveSoon();
    });
  }

  /** Resolves when all is on disk, as far as the disk takes it. */
  async close(): Promise<void> {
    this.#stopListening();
    await this.#saveSoon();
  }

  ownerOf({ directory, startedAtMs }: StartedLab): string | null {
    return this.#spanOf({ directory, startedAtMs })?.owner ?? null;
  }

  sharesOf(lab: StartedLab): readonly Share[] {
    return this.#spanOf(lab)?.shares ?? [];
  }

  async give(lab: StartedLab, owner: string | null, check?: () => void): Promise<void> {
    await this.#change(lab, { owner, shares: [] }, check);
  }

  async share(lab: StartedLab, shares: readonly Share[], check?: () => void): Promise<void> {
    await this.#change(lab, { shares }, check);
  }

  #spanOf({ directory, startedAtMs }: StartedLab): OwnedSpan | undefined {
    return directory === null ? undefined : spanOf(this.#spans.get(directory) ?? [], startedAtMs);
  }

  async #change(
    lab: StartedLab,
    changes: Pick<OwnedSpan, 'shares'> & Partial<Pick<OwnedSpan, 'owner'>>,
    check: () => void = () => undefined,
  ): Promise<void> {
    const { directory, startedAtMs: at } = lab;
    if (directory === null || at === null)
      throw new AppError('conflict', 'the lab CLI does not tell this lab from the next one in its directory');
    await this.#deps.jobs.whileClosed(async () => {
      check();
      const busy = this.#deps.jobs.unfinished().find(({ workdir }) => workdir === directory);
      if (busy !== undefined)
        throw new AppError(
          'conflict',
          `who may use the lab can be changed when the job ${busy.id} has ended`,
        );
      const before = this.#spans.get(directory);
      const { owner, shares } = { owner: this.ownerOf(lab), ...changes };
      this.#add(directory, { job: null, owner, from: at, to: at, shares });
      try {
        await this.#file.save(() => this.#content());
      } catch (error) {
        if (before === undefined) this.#spans.delete(directory);
        else this.#spans.set(directory, before);
        const message = 'whose the lab is cannot be written down at the moment';
        throw new AppError('storage-fault', message, { cause: error, retryAfterSeconds: 10 });
      }
    });
  }

  /** Whether there is anything new to keep. */
  #note(job: Job): boolean {
    if (!mayStartLab(job) || job.request['dryRun'] === true) return false;
    const { id, workdir, startedAt, finishedAt, state } = job;
    const known = this.#spans.get(workdir)?.find((span) => span.job === id);
    if (startedAt === null) return known !== undefined && this.#drop(workdir, id);
    const to = isTerminal(state) && finishedAt !== null ? Date.parse(finishedAt) : null;
    if (known && known.to === to) return false;
    // A lab that is restarted stays whose it was: that is looked up before anything of it is stopped.
    const { owner, shares } = known ?? this.#ofLabBy(job);
    this.#add(workdir, { job: id, owner, from: Date.parse(startedAt), to, shares });
    return true;
  }

  /** Of the lab that a job starts. */
  #ofLabBy({ action, workdir, requestedBy }: Job): Pick<OwnedSpan, 'owner' | 'shares'> {
    if (specOf(action).startsLab === true) return { owner: requestedBy, shares: [] };
    const lab = this.#labs().find(({ directory }) => directory === workdir);
    // Without a lab, `restart` starts one all the same.
    return lab
      ? { owner: this.ownerOf(lab), shares: this.sharesOf(lab) }
      : { owner: requestedBy, shares: [] };
  }

  #add(directory: string, span: OwnedSpan): void {
    const others = (this.#spans.get(directory) ?? []).filter(({ job }) => job !== span.job);
    // Last, so that a directory in use is not among the oldest.
    this.#spans.delete(directory);
    this.#spans.set(directory, [...this.#latest(directory, others), span]);
    if (this.#spans.size > directoriesMax) this.#forgetRest();
  }

  /** The last spans, and that in which the lab was started that is there: any number of jobs may have failed since. */
  #latest(directory: string, spans: readonly OwnedSpan[]): readonly OwnedSpan[] {
    if (spans.length < spansMax) return spans;
    const lab = this.#labs().find((other) => other.directory === directory);
    const start = lab && spanOf(spans, lab.startedAtMs);
    return spans.filter((span, index) => span === start || index > spans.length - spansMax);
  }

  #drop(directory: string, id: string): boolean {
    const others = (this.#spans.get(directory) ?? []).filter(({ job }) => job !== id);
    if (others.length > 0) this.#spans.set(directory, others);
    else this.#spans.delete(directory);
    return true;
  }

  /** Nothing is asked any more about directories without a lab. */
  #forgetRest(): void {
    const used = new Set(this.#labs().map(({ directory }) => directory));
    for (const [directory, spans] of this.#spans)
      if (!used.has(directory) && spans.every(({ to }) => to !== null)) this.#spans.delete(directory);
  }

  #labs(): ReturnType<LabOwnersDeps['labs']>['labs'] {
    const { labs, failure } = this.#deps.labs();
    if (failure === undefined) return labs;
    this.#deps.log.warn('the labs on record could not be read', { cause: messageOf(failure) });
    // Keep all known directories, so that the owners of running labs are not lost.
    return [...labs, ...[...this.#spans.keys()].map((directory) => ({ directory, startedAtMs: null }))];
  }

  #content(): OwnerFileContent {
    return { directories: Object.fromEntries(this.#spans) };
  }

  /** If the write fails, the next change repeats it; after a crash, the job records restore it. Never rejects. */
  async #saveSoon(): Promise<void> {
    try {
      await this.#file.save(() => this.#content());
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing)
        this.#deps.log.error('whose labs are cannot be written now', { cause: messageOf(error) });
      this.#isFailing = true;
    }
  }
}
