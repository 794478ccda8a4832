import { expect, test } from '@jest/globals';
import { jobPaths } from '../../../../src/jobs/store/job-files.ts';
import { JobIndex } from '../../../../src/jobs/store/job-index.ts';
import { summarize, type JobSummary } from '../../../../src/jobs/store/job-summary.ts';
import { randomSource } from '../../../support/random-topology.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';

const summary = (number: number, labels = {}): JobSummary =>
  summarize(sampleJob({ id: sampleId(number), labels }), jobPaths('/none', 'x'));
const all = (): boolean => true;

test('an index in which nothing is knows nothing', () => {
  const index = new JobIndex();
  expect([index.get(sampleId(1)), index.newest(), index.delete(sampleId(1))]).toEqual([
    undefined,
    undefined,
    false,
  ]);
  expect([index.all(), index.select(all, 5), index.select(all, 5, sampleId(1))]).toEqual([[], [], []]);
});

test('jobs are in order whatever the order in which they come, change and go', () => {
  const random = randomSource(11);
  const index = new JobIndex();
  const expected = new Map<string, JobSummary>();
  for (let step = 0; step < 400; step += 1) {
    const job = summary(Math.floor(random() * 40), { step: String(step) });
    if (random() < 0.3) {
      expect(index.delete(job.id)).toBe(expected.delete(job.id));
    } else {
      index.set(job);
      expected.set(job.id, job);
    }
    const sorted = [...expected.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1));
    expect(index.all()).toEqual(sorted);
    expect(index.newest()).toBe(sorted.at(-1));
    const id = sampleId(Math.floor(random() * 42) - 1);
    expect(index.get(id)).toBe(expected.get(id));
    const below = sorted.filter((one) => one.id < id).toReversed();
    const isEven = (one: JobSummary): boolean => Number(one.labels['step']) % 2 === 0;
    expect(index.select(all, 3, id)).toEqual(below.slice(0, 3));
    expect(index.select(isEven, 2)).toEqual(sorted.toReversed().filter(isEven).slice(0, 2));
  }
});

test('no more is looked at than a page needs, and a list of all is a copy', () => {
  const index = new JobIndex();
  for (const number of [1, 2, 3, 4]) index.set(summary(number));
  const seen: string[] = [];
  const page = index.select(({ id }) => seen.push(id) > 0, 2);
  expect(page.map(({ id }) => id)).toEqual([sampleId(4), sampleId(3)]);
  expect(seen).toEqual([sampleId(4), sampleId(3)]);
  expect(index.select(all, 0)).toEqual([]);
  index.all().pop();
  expect(index.all()).toHaveLength(4);
});
