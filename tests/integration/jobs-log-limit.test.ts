/** A log never takes more of the disk than its limit, whatever the job does; what of it is kept is true. */
import { expect, test } from '@jest/globals';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import type { JobRig } from '../support/job-rig.ts';
import { restarts } from '../support/restarted-rig.ts';

const { startRig } = restarts();
const mebibyte = 1024 ** 2;
const limit = mebibyte;

function fileSize(rig: JobRig, id: string): number {
  return statSync(rig.store.paths(id).log).size;
}

/** What somebody is shown who follows the log from the start to its end. */
async function follow(rig: JobRig, id: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const { signal } = new AbortController();
  for await (const news of rig.followers.follow({ id, offset: 0, signal }))
    if (news.kind === 'log') chunks.push(news.chunk.bytes);
  return Buffer.concat(chunks);
}

test('a job that prints on through all signals is ended, and its file is cut where the log ends', async () => {
  const rig = await startRig({ maxLogSizeBytes: limit, cancelGraceMs: 500 });
  // Each line tells its number, so that nothing that was cut out could pass for the log.
  const script = `trap '' INT TERM; exec awk 'BEGIN { while (1) print ++count }'`;
  const { id } = await rig.submit({ program: '/bin/sh', args: ['-c', script] });
  const shown = await follow(rig, id);
  const job = await rig.ended(id);
  expect(job).toMatchObject({ state: 'failed', reason: 'log-limit', leftovers: [] });
  expect(job.error).toContain('the log grew over its limit of 1 MiB');
  expect(job.logSize).toBe(limit);
  expect(fileSize(rig, id)).toBe(limit);
  expect(rig.logBytes(id).equals(shown)).toBe(true);
  let count = 0;
  const lines = shown.toString().split('\n').slice(0, -1);
  expect(lines.every((line) => Number(line) === (count += 1))).toBe(true);
});

test('a burst right before the end is cut too, and no character with it; the outcome stands', async () => {
  const rig = await startRig({ maxLogSizeBytes: limit });
  const script = `printf x; yes äöü€ | head -c ${50 * mebibyte}; exit 3`;
  const job = await rig.ended((await rig.submit({ program: '/bin/sh', args: ['-c', script] })).id);
  const { logSize } = job;
  expect(['exited', 'log-limit']).toContain(job.reason);
  expect(logSize).toBeGreaterThan(limit - 4);
  expect(logSize).toBeLessThanOrEqual(limit);
  expect(fileSize(rig, job.id)).toBe(logSize);
  expect(rig.logText(job.id)).not.toContain('\ufffd');
});

test('a running job keeps the limit of its start', async () => {
  const rig = await startRig({ maxLogSizeBytes: limit });
  const [begun, go] = [path.join(rig.root, 'begun'), path.join(rig.root, 'go')];
  const script = `: > ${begun}; until [ -e ${go} ]; do sleep 0.05; done; head -c ${3 * mebibyte} /dev/zero; exec sleep 60`;
  const { id } = await rig.submit({ program: '/bin/sh', args: ['-c', script] });
  await eventually('the start', () => existsSync(begun));
  rig.limits.maxLogSizeBytes = 8 * mebibyte;
  writeFileSync(go, '');
  const job = await rig.ended(id);
  expect(job).toMatchObject({ state: 'failed', reason: 'log-limit', logSize: limit });
  expect(job.error).toContain('the log grew over its limit of 1 MiB');
});

test('nobody is shown what stands behind the limit while the job runs', async () => {
  const rig = await startRig({ maxLogSizeBytes: limit, cancelGraceMs: 60_000 });
  const { id } = await rig.submitReady({ program: 'ignores-int-and-term-loudly' });
  await eventually('the limit', async () => (await rig.record(id)).stopRequest !== null);
  for (let look = 0; look < 20; look += 1) {
    expect((await rig.jobs.get(id)).logSize).toBeLessThanOrEqual(limit);
    expect((await rig.jobs.openLog(id)).extent.end).toBeLessThanOrEqual(limit);
  }
  await rig.cancel(id, { force: true });
});
