/** `onCancel: "down"`: the service itself takes down what is left of an `up` that was ended half-way. */
import { describe, expect, test } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../src/lib/app-error.ts';
import { isTerminal, type Job } from '../../src/jobs/model/job.ts';
import { eventually } from '../support/eventually.ts';
import { processesOf } from '../support/job-processes.ts';
import { jobRigs, type JobRig } from '../support/job-rig.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const base = temporaryDirectory();
const makeRig = jobRigs();
type Options = Partial<Parameters<typeof makeRig>[0]>;

/** The programs of these tests write down in which order they ran. */
const noteIn = (root: string, word: string) => ({
  program: '/bin/sh',
  args: ['-c', `echo ${word} >>"$0"`, path.join(root, 'order')],
});
const orderIn = ({ root }: JobRig): string[] => {
  const file = path.join(root, 'order');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};

async function startRig(options: Options = {}): Promise<JobRig> {
  const root = options.root ?? mkdtempSync(path.join(base, 'machine-'));
  const lab = { cleanupHint: () => 'run "down" with "cleanup"' };
  const rig = makeRig({ root, cleanup: noteIn(root, 'down'), ...options, lab: { ...lab, ...options.lab } });
  await rig.start();
  return rig;
}

const body = { onCancel: 'down', labels: { team: 'core' } };

async function cleanupsOf(rig: JobRig, id: string): Promise<Job[]> {
  const found = rig.store.summaries().filter(({ cleanupOf }) => cleanupOf === id);
  return Promise.all(found.map(async (summary) => rig.record(summary.id)));
}

describe('an up that is canceled', () => {
  test('has its lab taken down, before all that waits for the directory and whatever the queue holds', async () => {
    const rig = await startRig({ maxQueuedJobs: 2, maxRunningJobs: 1 });
    const up = await rig.submitReady({ program: 'forever', body, by: 'alice' });
    const waiting = await rig.submit({ ...noteIn(rig.root, 'waiting'), body: { action: 'down' } });
    const elsewhere = await rig.submit({ ...noteIn(rig.root, 'elsewhere'), workdir: 'other' });
    const canceled = await rig.cancel(up.id, { by: 'bob' });
    const [down, ...others] = await cleanupsOf(rig, up.id);
    expect(others).toEqual([]);
    expect(canceled).toMatchObject({
      state: 'canceled',
      cleanupJobId: down?.id,
      error: `canceled by bob; ${down?.id} takes the lab down`,
    });
    expect(await rig.ended(down!.id)).toMatchObject({
      action: 'down',
      state: 'success',
      cleanupOf: up.id,
      cleanupJobId: null,
      workdir: up.workdir,
      labels: { team: 'core' },
      requestedBy: 'alice',
      request: { action: 'down', workdir: up.workdir, cleanup: true, force: true },
    });
    for (const { id } of [waiting, elsewhere]) await rig.ended(id);
    expect(orderIn(rig)).toEqual(['down', 'waiting', 'elsewhere']);
    expect(rig.recordOnDisk(up.id)).toEqual(canceled);
  });

  test('in many ways at once: one down', async () => {
    const rig = await startRig();
    const { id } = await rig.submitReady({ program: 'ignores-sigint', body });
    await Promise.all(Array.from({ length: 10 }, async () => rig.cancel(id)));
    const downs = await cleanupsOf(rig, id);
    expect(downs).toHaveLength(1);
    await rig.ended(downs[0]!.id);
    expect(orderIn(rig)).toEqual(['down']);
  });

  test('keeps onCancel in its retry', async () => {
    const rig = await startRig();
    const { id } = await rig.submitReady({ program: 'forever', body });
    const { cleanupJobId } = await rig.cancel(id);
    await rig.ended(cleanupJobId!);
    const { job } = await rig.jobs.retry(id, { requestedBy: 'carol', claim: undefined });
    expect(job).toMatchObject({
      retryOf: id,
      requestedBy: 'carol',
      request: { onCancel: 'down' },
      cleanupJobId: null,
    });
    await rig.ended(job.id);
  });
});

test('when the down cannot be recorded, the up ends all the same and says what is to be done', async () => {
  const rig = await startRig();
  const { id } = await rig.submitReady({ program: 'forever', body });
  rig.store.create = () => Promise.reject(new AppError('storage-fault', 'the disk is full'));
  expect(await rig.cancel(id)).toMatchObject({
    state: 'canceled',
    cleanupJobId: null,
    error: 'canceled; run "down" with "cleanup"',
  });
  expect(processesOf(id)).toEqual([]);
  expect(rig.log.errors()).toEqual(['the "down" after a canceled "up" cannot be queued']);
});

describe('a crash', () => {
  /** The service goes down at the moment that `when` tells; a new one finds what is left. */
  async function crashWhile(up: Job, first: JobRig, when: (job: Job) => boolean): Promise<JobRig> {
    const isDown = new Promise<void>((resolve) => {
      first.store.on('change', (job) => {
        if (!when(job)) return;
        first.crash();
        resolve();
      });
    });
    void first.cancel(up.id, { by: 'alice' }).catch(() => undefined);
    await isDown;
    return startRig({ root: first.root, maxRunningJobs: 1 });
  }

  test.each<[string, (job: Job) => boolean]>([
    ['before the down is on record', (job) => job.state === 'canceling'],
    ['between the down and the end of the up', (job) => job.cleanupOf !== null],
    ['after the end of the up', (job) => job.action === 'up' && isTerminal(job.state)],
  ])('%s: one down, and it comes first', async (_when, isMoment) => {
    const first = await startRig({ maxRunningJobs: 1 });
    const up = await first.submitReady({ program: 'forever', body });
    const waiting = await first.submit({ ...noteIn(first.root, 'waiting'), body: { action: 'down' } });
    const rig = await crashWhile(up, first, isMoment);
    const ended = await rig.ended(up.id);
    const downs = await cleanupsOf(rig, up.id);
    expect(downs).toHaveLength(1);
    expect(ended).toMatchObject({
      state: 'canceled',
      cleanupJobId: downs[0]?.id,
      error: `canceled by alice; ${downs[0]?.id} takes the lab down`,
    });
    for (const { id } of [downs[0]!, waiting]) expect((await rig.ended(id)).state).toBe('success');
    expect(orderIn(rig)).toEqual(['down', 'waiting']);
    await eventually('the queue to be empty', () => rig.store.unfinished().length === 0);
  });
});
