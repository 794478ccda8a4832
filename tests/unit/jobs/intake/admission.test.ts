import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { Admission, type JobLimits } from '../../../../src/jobs/intake/admission.ts';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { parseJobRequest } from '../../../../src/jobs/model/job-request.ts';
import type { JobPlan, JobScope, LabPort } from '../../../../src/jobs/model/lab-port.ts';
import { JobQueue } from '../../../../src/jobs/run/job-queue.ts';
import type { JobStore } from '../../../../src/jobs/store/job-store.ts';
import type { AppError } from '../../../../src/lib/app-error.ts';
import { failureOf } from '../../../support/failure-of.ts';
import type { MemoryLogger } from '../../../support/memory-logger.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { storedJobs } from '../../../support/stored-jobs.ts';

const { openStore } = storedJobs();
let store: JobStore;
let queue: JobQueue;
let log: MemoryLogger;

beforeEach(async () => {
  ({ store, log } = await openStore());
  queue = new JobQueue({ maxRunningJobs: 1 });
});

const plan: JobPlan = {
  workdir: '/labs/demo',
  workspace: null,
  command: (file) => ['lab', 'up', file],
  topologyText: 'nodes: [a]\n',
  instance: '7',
  warnings: ['of the plan'],
};

interface Circumstances extends Partial<JobLimits> {
  readonly plan?: Partial<JobPlan>;
  readonly onPlan?: () => void;
  readonly makeWorkspace?: () => Promise<void>;
  readonly leased?: Set<string>;
}

function admissionWith(circumstances: Circumstances = {}): Admission {
  const { plan: changes, onPlan, makeWorkspace, leased, ...limits } = circumstances;
  const lab = {
    plan: async () => {
      onPlan?.();
      return { ...plan, ...changes };
    },
    makeWorkspace,
  } as unknown as LabPort;
  const usual = { maxQueuedJobs: 2, jobTimeoutMs: 90_000, minFreeDiskBytes: 0 };
  const checkCallback = async (): Promise<string[]> => ['callbackUrl: checked'];
  const freeIds = { take: async () => Promise.reject(new Error('no id is asked for here')) };
  const leases = {
    ttlMsOf: () => (leased ? 1_000 : null),
    expect: async ({ id }: Pick<Job, 'id'>) => void leased?.add(id),
    forget: (id: string) => void leased?.delete(id),
    whyObsolete: async () => undefined,
  };
  const limited = { ...usual, ...limits };
  return new Admission({ store, queue, lab, log, limits: limited, checkCallback, freeIds, leases });
}

const request = (fields: Record<string, unknown> = {}) =>
  parseJobRequest({ action: 'up', workdir: 'demo', topology: 'nodes: [a]', ...fields });
const ann = { requestedBy: 'ann' };

describe('a job that is admitted', () => {
  test('is on record with all that is known of it', async () => {
    const asked = request({ labels: { a: 'b' }, timeoutSeconds: 1.5, zzz: 1, wibble: 1 });
    const claim = { user: 'ann', key: 'k', fingerprint: 'f' };
    const job = await admissionWith().admit(asked, { ...ann, retryOf: 'job-0-abcdef', claim });
    const { topology } = store.paths(job.id);
    expect(job).toEqual({
      ...sampleJob(),
      id: expect.stringMatching(/^job-\d{13}-[0-9a-f]{6}$/),
      createdAt: expect.any(String),
      command: ['lab', 'up', topology],
      request: asked.accepted,
      warnings: [...asked.warnings, 'of the plan'],
      instance: '7',
      labels: { a: 'b' },
      requestedBy: 'ann',
      retryOf: 'job-0-abcdef',
      idempotency: { key: 'k', fingerprint: 'f' },
      timeoutMs: 1_500,
    });
    expect(asked.warnings.length).toBeGreaterThan(0);
    expect(await store.get(job.id)).toEqual(job);
    expect(readFileSync(topology, 'utf8')).toBe('nodes: [a]\n');
    expect(log.entries).toMatchObject([
      { level: 'info', fields: { job: job.id, action: 'up', workdir: '/labs/demo', requestedBy: 'ann' } },
    ]);
  });

  test('ids only ever grow, also when the clock was ahead once', async () => {
    const admission = admissionWith();
    const ahead = Date.now() + 1_000_000;
    admission.goOnAfter(`job-${ahead}-abcdef`);
    const ids = [await admission.admit(request(), ann), await admission.admit(request(), ann)];
    expect(ids.map(({ id }) => Number(id.split('-')[1]))).toEqual([ahead + 1, ahead + 2]);
  });

  test('without any job before it, ids begin with the time', async () => {
    const admission = admissionWith();
    admission.goOnAfter(undefined);
    const before = Date.now();
    const { id } = await admission.admit(request(), ann);
    expect(Number(id.split('-')[1])).toBeGreaterThanOrEqual(before);
    expect(Number(id.split('-')[1])).toBeLessThan(before + 60_000);
  });
});

test('a record that the disk refuses leaves no lease behind', async () => {
  const leased = new Set<string>();
  const createFails = async () => {
    expect(leased.size).toBe(1);
    throw new Error('no space left');
  };
  jest.spyOn(store, 'create').mockImplementation(createFails);
  await expect(admissionWith({ leased }).admit(request(), ann)).rejects.toThrow('no space left');
  expect([...leased]).toEqual([]);
});

test('a workspace that another user makes in this moment is theirs', async () => {
  let owner = 'ann';
  const makeWorkspace = async () => void (owner = 'bob');
  const scope = {
    check: () => {
      if (owner !== 'ann') throw new Error(`the workspace belongs to ${owner}`);
    },
  } as unknown as JobScope;
  const admission = admissionWith({ plan: { workspace: 'course' }, makeWorkspace });
  const asked = request({ workdir: undefined, workspace: 'course' });
  await expect(admission.admit(asked, { ...ann, scope })).rejects.toThrow('belongs to bob');
  expect(store.summaries()).toEqual([]);
});

describe('what is refused', () => {
  async function refused(circumstances: Circumstances, fields = {}): Promise<AppError> {
    const error = await failureOf(admissionWith(circumstances).admit(request(fields), ann));
    expect(store.summaries()).toHaveLength(queue.waitingCount);
    return error;
  }

  test('a limit over that of the server', async () => {
    const error = await refused({}, { timeoutSeconds: 90.001 });
    expect(error).toMatchObject({ code: 'invalid-request', errors: [{ field: 'timeoutSeconds' }] });
    expect(error.message).toContain('90 ');
    expect(await admissionWith().admit(request({ timeoutSeconds: 90 }), ann)).toMatchObject({
      timeoutMs: 90_000,
    });
  });

  test('anything while the disk is nearly full', async () => {
    const minFreeDiskBytes = Number.MAX_SAFE_INTEGER;
    expect(await refused({ minFreeDiskBytes })).toMatchObject({ code: 'disk-full', retryAfterSeconds: 60 });
  });

  test('one more than may wait', async () => {
    await admissionWith().admit(request(), ann);
    expect(await refused({ maxQueuedJobs: 1 })).toMatchObject({ code: 'queue-full', retryAfterSeconds: 10 });
  });

  test('of many at once, all that are too many', async () => {
    const admission = admissionWith({ maxQueuedJobs: 3 });
    const asked = Array.from({ length: 9 }, () => admission.admit(request(), ann));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });

  test('a busy directory, for those who do not want to wait', async () => {
    const holder = await admissionWith().admit(request(), ann);
    expect(await refused({}, { onConflict: 'reject' })).toMatchObject({
      code: 'workdir-busy',
      extra: { conflictingJobId: holder.id },
      retryAfterSeconds: 10,
    });
    const elsewhere = admissionWith({ plan: { workdir: '/labs/other' } });
    expect(await elsewhere.admit(request({ onConflict: 'reject' }), ann)).toMatchObject({ state: 'queued' });
  });

  test('an action that locks nothing meets no conflict', async () => {
    await admissionWith().admit(request(), ann);
    const status = parseJobRequest({ action: 'status', onConflict: 'reject' });
    expect(await admissionWith().admit(status, ann)).toMatchObject({ action: 'status' });
  });

  test.each(['before it is planned', 'while it is planned'])(
    'all once the service shuts down: %s',
    async (when) => {
      const admission: Admission = admissionWith({ onPlan: () => admission.close() });
      expect(admission.isOpen).toBe(true);
      if (when.startsWith('before')) admission.close();
      const error = await failureOf(admission.admit(request(), ann));
      expect(error).toMatchObject({ code: 'shutting-down', retryAfterSeconds: 10 });
      expect(admission.isOpen).toBe(false);
      expect(queue.waitingCount).toBe(0);
    },
  );
});

describe('the "down" that takes away what an "up" leaves', () => {
  const up: Job = sampleJob({ id: sampleId(3), state: 'canceling', labels: { a: 'b' }, requestedBy: 'ann' });

  test('goes before all that wait, whatever the limits say', async () => {
    const waiting = await admissionWith().admit(request(), ann);
    const id = await admissionWith({ maxQueuedJobs: 1, minFreeDiskBytes: Number.MAX_SAFE_INTEGER }).cleanUp(
      up,
    );
    expect([id, waiting.id].map((job) => queue.turnOf(job!)?.position)).toEqual([1, 2]);
    expect(await store.get(id!)).toMatchObject({
      action: 'down',
      cleanupOf: up.id,
      workdir: '/labs/demo',
      labels: { a: 'b' },
      requestedBy: 'ann',
      timeoutMs: 90_000,
      request: { cleanup: true, force: true },
    });
  });

  test('is made once, also when a crash has one ask again', async () => {
    const id = await admissionWith().cleanUp(up);
    expect(await admissionWith().cleanUp(up)).toBe(id);
    expect(store.summaries()).toHaveLength(1);
    expect(await admissionWith().cleanUp({ ...up, id: sampleId(4) })).not.toBe(id);
  });

  test('is not made where the directory leads elsewhere by now', async () => {
    expect(await admissionWith({ plan: { workdir: '/etc' } }).cleanUp(up)).toBeNull();
    expect(log.entries).toMatchObject([
      { level: 'error', fields: { job: up.id, cause: '/labs/demo leads to /etc now' } },
    ]);
    expect(store.summaries()).toEqual([]);
  });
});
