/**
 * `jobs/index.jsonl`: a header, then the summary of each finished job, so that a start need not read all records. It is a
 * cache and never the truth. A line is written when its record is on disk for good, and a finished job does not change: so
 * a line is right for as long as the directory of its job exists. A start reads the records of jobs whose lines are
 * missing.
 */
import { appendFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { Mutex } from '../../lib/async/mutex.ts';
import { openPlainFile } from '../../lib/files/plain-file.ts';
import { writeDurably } from '../../lib/files/write-durably.ts';
import { isTerminal } from '../model/job.ts';
import { fileMode } from './job-files.ts';
import { summarySchema, type JobSummary } from './job-summary.ts';

/**
 * Raise the version whenever what a line means has changed. A file with another header is not read: the next start takes
 * all jobs from their records and writes the file anew.
 */
const header = JSON.stringify({ file: 'lab-api job index', version: 2 });
const readBytes = 1024 * 1024;
const linesPerWrite = 1_000;
/** The file is written anew when more lines than this are of no use, and half as many again as are of use. */
const tolerableWaste = 1_000;

/** The newline stands before each line: one that is added behind a line that was cut off still stands alone. */
function lineOf(summary: JobSummary): string {
  return `\n${JSON.stringify(summary)}`;
}

/** In pieces: the whole file is tens of megabytes long. */
function* contentOf(summaries: readonly JobSummary[]): Generator<string> {
  yield header;
  for (let start = 0; start < summaries.length; start += linesPerWrite)
    yield summaries
      .slice(start, start + linesPerWrite)
      .map(lineOf)
      .join('');
}

/**
 * The lines of a file, with flat memory however long it is; no line at all when there is no file.
 * @throws Error when the file cannot be read, or a line is longer than any of ours: the disk lost what stood there, and left
 * zeros.
 */
async function* linesIn(file: string): AsyncGenerator<string[]> {
  const opened = await openPlainFile(file);
  if (opened.kind === 'absent') return;
  if (opened.kind !== 'found') throw opened.error;
  let rest = '';
  for await (const chunk of opened.handle.createReadStream({ encoding: 'utf8', highWaterMark: readBytes })) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield lines;
    if (rest.length > readBytes) throw new Error('one of its lines never ends');
  }
  yield [rest];
}

/** Undefined for a line that is cut off, or that another version wrote. */
function parseLine(line: string): JobSummary | undefined {
  try {
    const { data } = summarySchema.safeParse(JSON.parse(line));
    return data && isTerminal(data.state) ? data : undefined;
  } catch {
    return undefined;
  }
}

export class IndexFile {
  readonly #file: string;
  readonly #log: Logger;
  readonly #turn = new Mutex();
  /** Lines below the header, useful or not. */
  #lineCount = 0;
  /** Whether lines may be added: the file begins with our header. */
  #isSound = false;

  constructor(directory: string, log: Logger) {
    this.#file = path.join(directory, 'index.jsonl');
    this.#log = log;
  }

  /** The summaries in the file, by id. Never rejects: a file that cannot be read has none. */
  async read(): Promise<Map<string, JobSummary>> {
    const known = new Map<string, JobSummary>();
    const shared = new Map<string, string>();
    const learn = (line: string): void => {
      const summary = parseLine(line);
      if (!summary) return;
      // 100,000 jobs have a few hundred directories between them: one text for each of these, not one for each job.
      const workdir = shared.get(summary.workdir) ?? summary.workdir;
      shared.set(workdir, workdir);
      known.set(summary.id, { ...summary, workdir });
    };
    this.#isSound = false;
    this.#lineCount = 0;
    try {
      for await (const lines of linesIn(this.#file)) {
        if (!this.#isSound && lines.shift() !== header) return known;
        this.#isSound = true;
        this.#lineCount += lines.length;
        for (const line of lines) learn(line);
      }
    } catch (error) {
      this.#isSound = false;
      this.#report(error);
    }
    return known;
  }

  /**
   * Adds jobs whose records are on disk for good. Never rejects, and does not wait until the lines are on disk: when they
   * get lost, the next start reads the records.
   */
  async add(summaries: readonly JobSummary[]): Promise<void> {
    await this.#change(async () => {
      if (!this.#isSound || summaries.length === 0) return;
      this.#lineCount += summaries.length;
      await appendFile(this.#file, summaries.map(lineOf).join(''), { mode: fileMode });
    });
  }

  /** Writes the file anew, with all the finished jobs there are, when it is of no use or mostly waste. Never rejects. */
  async tidy(finished: readonly JobSummary[]): Promise<void> {
    await this.#change(async () => {
      const waste = this.#lineCount - finished.length;
      if (this.#isSound && waste <= tolerableWaste + finished.length / 2) return;
      await writeDurably(this.#file, contentOf(finished), fileMode);
      this.#isSound = true;
      this.#lineCount = finished.length;
    });
  }

  /** Removes the file, because a line contradicts a record: the next start reads all records. Never rejects. */
  async discard(): Promise<void> {
    await this.#change(async () => {
      this.#isSound = false;
      await rm(this.#file, { force: true });
    });
  }

  async #change(action: () => Promise<void>): Promise<void> {
    await this.#turn.run(action).catch((error: unknown) => this.#report(error));
  }

  #report(error: unknown): void {
    this.#log.warn('the index of jobs cannot be used now; a start without it takes longer', {
      file: this.#file,
      cause: messageOf(error),
    });
  }
}
