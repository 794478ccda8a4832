/** Reading many records from a disk that does not always give them. */
import { describe, expect, test } from '@jest/globals';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { Quarantine } from '../../../../src/jobs/store/quarantine.ts';
import { RecordFiles, type RecordReading } from '../../../../src/jobs/store/record-files.ts';
import { RecordLoader } from '../../../../src/jobs/store/record-loader.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const fails = (code: string): RecordReading => ({
  kind: 'unreadable',
  error: Object.assign(new Error(code), { code }),
});

/** Records that are read as `readings` says, one answer after the other for each id; sound ones for the others. */
class Disk extends RecordFiles {
  readonly asked: string[] = [];
  readonly #readings: Map<string, RecordReading[]>;

  constructor(directory: string, readings: Record<string, RecordReading[]>) {
    super(directory);
    this.#readings = new Map(Object.entries(readings));
  }

  override async read(id: string): Promise<RecordReading> {
    this.asked.push(id);
    const reading = this.#readings.get(id)?.shift();
    return reading ?? { kind: 'sound', job: sampleJob({ id }), length: 10 };
  }
}

async function loaderOf(readings: Record<string, RecordReading[]>) {
  const directory = mkdtempSync(path.join(root, 'jobs-'));
  const log = new MemoryLogger();
  const quarantine = new Quarantine(directory, log);
  await quarantine.prepare();
  const disk = new Disk(directory, readings);
  return { directory, log, disk, loader: new RecordLoader({ directory, records: disk, quarantine, log }) };
}

async function chunks(loaded: AsyncGenerator<Job[]>): Promise<string[][]> {
  const all: string[][] = [];
  for await (const jobs of loaded) all.push(jobs.map(({ id }) => id));
  return all;
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => sampleId(index + 1));

describe('an error', () => {
  test('that may pass is waited out, twice', async () => {
    const { loader, disk, log } = await loaderOf({ [sampleId(1)]: [fails('EMFILE'), fails('EIO')] });
    expect(await chunks(loader.load(ids(1)))).toEqual([ids(1)]);
    expect(disk.asked).toHaveLength(3);
    expect([loader.fault, log.entries]).toEqual([null, []]);
  });
});

test('the unreadable ones are asked for once at a time; a job is unreadable until somebody has taken it', async () => {
  const { loader } = await loaderOf({ [sampleId(1)]: [fails('EACCES')] });
  await chunks(loader.load(ids(1)));
  const first = loader.loadUnreadable();
  expect((await first.next()).value).toMatchObject([{ id: sampleId(1) }]);
  expect(loader.unreadable.has(sampleId(1))).toBe(true);
  expect(await chunks(loader.loadUnreadable())).toEqual([]);
  expect((await first.next()).done).toBe(true);
  expect(loader.unreadable.size).toBe(0);
});
