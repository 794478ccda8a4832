/** The built service on a disk that gets full, or turns read-only, while jobs run. */
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { failedChecks, startGated } from '../support/gated-jobs.ts';
import { PrivateDisk, privateDiskMissing } from '../support/private-disk.ts';
import { expectProblem } from '../support/problem.ts';
import type { Client } from '../support/client.ts';
import { processesOf, runProgram, topologyThat, type Ground } from '../support/service.ts';

async function expectRefusal(client: Client, ground: Ground, code: string): Promise<void> {
  const reply = await client.post('/jobs', {
    action: 'create',
    workdir: ground.workdir,
    topology: topologyThat(':'),
  });
  expectProblem(reply, 503, code);
  expect(reply.headers['retry-after']).toMatch(/^\d+$/);
}

const failedWith5 = { state: 'failed', reason: 'exited', exitCode: 5 };
const canceled = { state: 'canceled', reason: 'canceled', leftovers: [] };

(privateDiskMissing === undefined ? describe : describe.skip)(
  `a disk${privateDiskMissing === undefined ? '' : ` (${privateDiskMissing})`}`,
  () => {
    test('that gets full: jobs end as they do, the service says what is wrong, and all is on disk once there is room', async () => {
      const disk = await PrivateDisk.make();
      const { ground } = disk;
      const service = await disk.startProgram();
      const ends = await startGated(service, ground, 'ends', 'exit 5');
      const killed = await startGated(service, ground, 'killed', 'kill -9 $$');
      const stopped = await startGated(service, ground, 'stopped');
      const waiting = await service.start({
        action: 'create',
        workdir: (await service.job(ends)).workdir,
        topology: topologyThat('exit 6'),
      });
      disk.fill();

      expect(await failedChecks(service)).toMatchObject({
        'jobs-directory': expect.stringMatching(/ is not writable: ENOSPC/),
        'free-disk': '0 bytes free, the floor is 64 KiB',
      });
      expect((await service.get('/healthz')).status).toBe(200);
      await expectRefusal(service, ground, 'disk-full');
      ground.let('ends');
      ground.let('killed');
      expect(await service.ended(ends)).toMatchObject(failedWith5);
      expect(await service.ended(killed)).toMatchObject({ reason: 'signaled', signal: 'SIGKILL' });
      expect(await service.cancel(stopped)).toMatchObject({ status: 200, json: canceled });
      expect(await processesOf(stopped)).toEqual([]);
      expect(await failedChecks(service)).toMatchObject({
        'job-records': expect.stringMatching(/^3 job record\(s\) cannot be written: ENOSPC/),
      });
      // A start that cannot be recorded could be a second one after a crash.
      expect(await service.job(waiting)).toMatchObject({ state: 'queued' });
      expect(await service.logText(ends)).toBe('ready\n');

      disk.makeRoom();
      expect(await service.ended(waiting)).toMatchObject({ state: 'failed', exitCode: 6 });
      await eventually(
        'all records to be on disk',
        async () => Object.keys(await failedChecks(service)).length === 0,
      );
      expect(disk.record(ends)).toMatchObject(failedWith5);
      expect(disk.record(killed)).toMatchObject({ reason: 'signaled', signal: 'SIGKILL' });
      expect(disk.record(stopped)).toMatchObject(canceled);
      await startGated(service, ground, 'later');
      expect(service.run.output()).not.toContain('was not handled');
    });

    test('that the log of a job fills: its error says so', async () => {
      const disk = await PrivateDisk.make();
      const service = await disk.startProgram();
      const workdir = disk.ground.makeWorkdir('talks');
      const body = {
        action: 'create',
        workdir,
        topology: topologyThat('yes "the log is full of this" || exit 1'),
      };
      const { state, error } = await service.ended(await service.start(body));
      expect({ state, error }).toEqual({
        state: 'failed',
        error: expect.stringContaining(
          `exit code 1; the disk of ${disk.ground.dataDir}/jobs is full, and what it printed last may be lost: make room there`,
        ),
      });
    });

    test('that is full when the service is started again: adopts what runs, and knows how the others ended', async () => {
      const disk = await PrivateDisk.make();
      const { ground } = disk;
      const first = await disk.startProgram();
      const ended = await startGated(first, ground, 'ended', 'exit 5');
      const ends = await startGated(first, ground, 'ends', 'exit 5');
      const stopped = await startGated(first, ground, 'stopped');
      disk.fill();
      // Gives the owner's few bytes back, which somebody else takes.
      expect(await first.end()).toBe(0);
      disk.fill();
      ground.let('ended');
      await eventually('the job is over', async () => (await processesOf(ended)).length === 0);

      const second = await disk.startProgram();
      expect(second.run.output()).toMatch(/queued=0 adopted=2 finished=1 interrupted=0/);
      expect(await second.job(ended)).toMatchObject(failedWith5);
      expect(await failedChecks(second)).toMatchObject({
        'free-disk': expect.any(String),
        'job-records': expect.stringMatching(/^1 job record/),
      });
      ground.let('ends');
      expect(await second.ended(ends)).toMatchObject(failedWith5);
      expect(await second.cancel(stopped)).toMatchObject({ status: 200, json: canceled });
      await expectRefusal(second, ground, 'disk-full');
      expect(await second.end('SIGKILL')).toBeNull();

      // What was in memory only is found out again: from what the shim noted.
      const third = await disk.startProgram();
      expect(await third.job(ended)).toMatchObject(failedWith5);
      expect(await third.job(ends)).toMatchObject(failedWith5);
      expect(await third.job(stopped)).toMatchObject({ state: 'failed', signal: 'SIGINT' });
      disk.makeRoom();
      await eventually(
        'all records to be on disk',
        async () => Object.keys(await failedChecks(third)).length === 0,
      );
      expect(disk.record(ended)).toMatchObject(failedWith5);
    });

    test('that turns read-only: the same, and a start on it says so in a sentence', async () => {
      const disk = await PrivateDisk.make();
      const { ground } = disk;
      const first = await disk.startProgram();
      const ends = await startGated(first, ground, 'ends', 'exit 5');
      const stopped = await startGated(first, ground, 'stopped');
      const adopted = await startGated(first, ground, 'adopted', 'exit 5');
      disk.makeReadOnly();

      expect(await failedChecks(first)).toMatchObject({
        'jobs-directory': expect.stringMatching(/ is not writable: EROFS: read-only file system/),
      });
      await expectRefusal(first, ground, 'storage-fault');
      ground.let('ends');
      expect(await first.ended(ends)).toMatchObject(failedWith5);
      expect(await first.cancel(stopped)).toMatchObject({ status: 200, json: canceled });
      expect(await failedChecks(first)).toMatchObject({
        'job-records': expect.stringMatching(/^2 job record\(s\) cannot be written: EROFS/),
      });
      expect(await first.end()).toBe(0);

      const env = { ...ground.env, LAB_API_LOG_LEVEL: 'info', LAB_API_LOG_FORMAT: 'text' };
      const refused = runProgram(['api'], env, ground.root, disk.through);
      expect(await refused.exit).toBe(1);
      expect(refused.output()).toMatch(/^lab api: [^\n]*read-only file system[^\n]*\n$/);
      expect(await processesOf(adopted)).not.toEqual([]);

      disk.makeWritable();
      const second = await disk.startProgram();
      ground.let('adopted');
      expect(await second.ended(adopted)).toMatchObject(failedWith5);
      // Nobody could note how these two ended.
      for (const id of [ends, stopped])
        expect(await second.job(id)).toMatchObject({ state: 'failed', reason: 'interrupted' });
      expect(await failedChecks(second)).toEqual({});
    });
  },
);
