import { expect, test } from '@jest/globals';
import { UnsavedJobs } from '../../../../src/jobs/store/unsaved-jobs.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';

const [id, otherId] = [sampleId(1), sampleId(2)];

test('say how many they are, and why', () => {
  const unsaved = new UnsavedJobs(new MemoryLogger());
  expect(unsaved.fault).toBeNull();
  unsaved.note(id, new Error('ENOSPC'));
  expect(unsaved.fault).toBeNull();
  unsaved.set(id, sampleJob({ id }));
  expect(unsaved.fault).toBe('1 job record(s) cannot be written: ENOSPC');
});

test('are reported once for as long as the cause is the same', () => {
  const log = new MemoryLogger();
  const unsaved = new UnsavedJobs(log);
  const fails = (which: string, cause: string): void => {
    unsaved.note(which, new Error(cause));
    unsaved.set(which, sampleJob({ id: which }));
  };
  fails(id, 'ENOSPC');
  fails(id, 'ENOSPC');
  fails(otherId, 'ENOSPC');
  fails(otherId, 'EIO');
  fails(otherId, 'EIO');
  expect(log.entries.map(({ level, fields }) => [level, fields])).toEqual([
    ['error', { job: id, cause: 'ENOSPC' }],
    ['error', { job: otherId, cause: 'ENOSPC' }],
    ['error', { job: otherId, cause: 'EIO' }],
  ]);
});

test('are named, with their states, when the service ends', () => {
  const log = new MemoryLogger();
  const unsaved = new UnsavedJobs(log);
  unsaved.report();
  expect(log.entries).toEqual([]);
  unsaved.set(id, sampleJob({ id, state: 'failed' }));
  unsaved.report();
  expect(log.entries.map(({ level, fields }) => [level, fields])).toEqual([
    ['error', { job: id, state: 'failed' }],
  ]);
});
