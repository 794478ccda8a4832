/**
 * Kills the service between every two steps of what it does with a job, one step later each time, until the scenario
 * comes to its end; at two or three steps of each scenario, or at all of them in the thorough mode.
 * LAB_TEST_CRASH_STEPS=all takes the writes that nobody sees as well, and both sides of every step.
 */
import { expect, test } from '@jest/globals';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Task } from '../support/crash-promises.ts';
import { grounds, openWindow, type Scenario } from '../support/crash-windows.ts';
import { eventually } from '../support/eventually.ts';
import { isThorough, leftOut } from '../support/thorough.ts';

const thorough = process.env['LAB_TEST_CRASH_STEPS'] === 'all';
const takesAll = isThorough || thorough;
/** Services that run at the same time, no more than there are processors. Each lane goes through the scenario once without a crash, to see that it is over. */
const lanes = takesAll ? 2 : 1;
/** No scenario has so many steps: one that does not come to its end is a fault of its own. */
const mostSteps = 400;

const ends: Task = { name: 'ends', lines: ['one', 'two', 'three'], exitCode: 7 };
const waits: Task = { name: 'waits', lines: ['ready', 'bye'], exitCode: 3, gate: 'go' };
const behind: Task = { name: 'behind', lines: ['after'], exitCode: 0 };
const overdue: Task = {
  name: 'overdue',
  lines: ['ready', 'bye'],
  exitCode: 3,
  gate: 'never',
  timeoutSeconds: 1,
};
const once: Task = { ...ends, name: 'once', key: 'only-once' };
const next: Task = { ...waits, name: 'next' };
const cleaned: Task = { ...waits, name: 'cleaned', onCancel: 'down' };
const elsewhere: Task = { ...ends, name: 'elsewhere', workdir: 'other' };

const scenarios: readonly Scenario[] = [
  {
    name: 'a job is submitted with a key, and again by a client that got no reply; it runs and ends, and one behind it starts',
    stride: 11,
    tasks: [once, next],
    act: async (client, ground, promises) => {
      const first = await promises.submit(client, ground, once);
      await promises.submit(client, ground, once);
      const second = await promises.submit(client, ground, next);
      await client.ended(first);
      await client.reach(second, 'running');
      await ground.waitsFor('go');
    },
    before: async () => undefined,
  },
  {
    name: 'a running job is canceled that has another one behind it',
    tasks: [waits, behind],
    before: async (client, ground, promises) => {
      await promises.submit(client, ground, waits);
      await promises.submit(client, ground, behind);
      await ground.waitsFor('go');
    },
    act: async (client, _ground, promises) => {
      const [id = ''] = promises.accepted.keys();
      await promises.cancel(client, id);
      await client.ended(id);
    },
  },
  {
    name: 'a queued job is canceled',
    tasks: [waits, behind],
    before: async (client, ground, promises) => {
      await promises.submit(client, ground, waits);
      await promises.submit(client, ground, behind);
      await ground.waitsFor('go');
    },
    act: async (client, _ground, promises) => {
      const [, id = ''] = promises.accepted.keys();
      await promises.cancel(client, id);
    },
  },
  {
    name: 'the time of a job is up',
    tasks: [overdue],
    before: async (client, ground, promises) => {
      await promises.submit(client, ground, overdue);
      await ground.waitsFor('never');
    },
    act: async (client, _ground, promises) => {
      const [id = ''] = promises.accepted.keys();
      await client.ended(id);
    },
  },
  {
    name: 'the service is started, and finds jobs in every state',
    stride: 15,
    tasks: [waits, behind, elsewhere],
    // The service that is killed has a place for the job elsewhere, and starts it.
    prepareEnv: { LAB_API_MAX_RUNNING_JOBS: '1' },
    prepare: async (client, ground, promises) => {
      await promises.submit(client, ground, waits);
      await promises.submit(client, ground, behind);
      await ground.waitsFor('go');
      await promises.submit(client, ground, elsewhere);
    },
    act: async (client, ground, promises) => {
      const [running = '', , other = ''] = promises.accepted.keys();
      ground.let('go');
      await client.ended(running);
      await client.ended(other);
    },
  },
  {
    name: 'old jobs are removed',
    stride: 2,
    // The scenario above has the other steps of a start, and the scenario below each file of a job.
    only: /\/\.trash\/[^/]+$|"removed"/,
    isPreparedOnce: true,
    tasks: [ends, behind],
    env: { LAB_API_KEEP_JOBS: '1' },
    prepare: async (client, ground, promises) => {
      const id = await promises.submit(client, ground, ends);
      await client.ended(id);
      await client.ended(await promises.submit(client, ground, behind));
      promises.removable.add(id);
    },
    act: async (client, { dataDir }, promises) => {
      const trash = path.join(dataDir, 'jobs', '.trash');
      for (const id of promises.removable)
        await eventually(`${id} to be gone`, async () => {
          const { status } = await client.get(`/jobs/${id}`);
          return status === 404 && !existsSync(path.join(trash, id));
        });
    },
  },
  {
    name: 'a job is removed',
    isPreparedOnce: true,
    tasks: [ends],
    prepare: async (client, ground, promises) => {
      await client.ended(await promises.submit(client, ground, ends));
    },
    before: async () => undefined,
    act: async (client, _ground, promises) => {
      for (const id of promises.accepted.keys()) await promises.remove(client, id);
    },
  },
  {
    name: 'an "up" is canceled that a "down" has to follow',
    stride: 11,
    tasks: [cleaned],
    before: async (client, ground, promises) => {
      await promises.submit(client, ground, cleaned);
      await ground.waitsFor('go');
    },
    act: async (client, _ground, promises) => {
      const [id = ''] = promises.accepted.keys();
      await promises.cancel(client, id);
      await client.ended(String((await client.ended(id)).cleanupJobId));
    },
  },
  {
    name: 'the index of jobs is made anew',
    stride: 1,
    only: /index\.jsonl/,
    isPreparedOnce: true,
    tasks: [ends, behind],
    prepare: async (client, ground, promises) => {
      await client.ended(await promises.submit(client, ground, ends));
      await client.ended(await promises.submit(client, ground, behind));
      writeFileSync(path.join(ground.dataDir, 'jobs', 'index.jsonl'), 'of another version');
    },
    act: async (client, _ground, promises) => {
      for (const id of promises.accepted.keys()) await client.ended(id);
    },
  },
];

if (!takesAll) test.skip(`most of the steps (skipped: ${leftOut})`, () => undefined);

test.each(scenarios)(
  '$name',
  async (scenario) => {
    const sides = thorough ? (['before', 'after'] as const) : (['before'] as const);
    const stride = takesAll ? 1 : (scenario.stride ?? 3);
    const violations: string[] = [];
    let crashes = 0;
    let isOver = false;
    let last = 1 - stride;
    const lane = async (): Promise<void> => {
      const nextGround = await grounds(scenario);
      for (let number = (last += stride); !isOver && number <= mostSteps; number = last += stride) {
        for (const side of sides) {
          const window = await openWindow(scenario, { number, side, thorough }, await nextGround());
          if (window.crash === undefined) isOver = true;
          else crashes += 1;
          violations.push(...window.violations.map((what) => `${number} ${window.crash}: ${what}`));
        }
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    expect(violations).toEqual([]);
    expect(isOver).toBe(true);
    // A preload that does not reach the calls would find no violation either.
    expect(crashes).toBeGreaterThanOrEqual(2);
  },
  600_000,
);
