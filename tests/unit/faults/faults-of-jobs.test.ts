/** Faults that a job sets, which has the lab for itself. */
import { describe, expect, test } from '@jest/globals';
import { failureOf } from '../../support/failure-of.ts';
import { faultyLab, type FaultyLab } from '../../support/faulty-lab.ts';

const current = faultyLab();
const job = { id: 'job-1', workdir: '/labs/demo' };

/** All that follows is the job's. */
function asJob(it: FaultyLab, own = job): void {
  it.running.add(own.id);
  it.change = { ...it.change, job: own };
}

const asUser = (it: FaultyLab): void => void (it.change = { user: 'alice', check: () => undefined });

describe('a fault of a job', () => {
  test('is not changed by users, and neither is the rest of its lab', async () => {
    const it = current();
    asJob(it);
    await it.set();
    asUser(it);
    for (const change of [async () => it.set(), async () => it.set({ link: '2' }), async () => it.heal('1')])
      expect(await failureOf(change())).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('is not free: the scenario job-1 breaks and heals it'),
      });
    expect(await failureOf(it.healAll())).toMatchObject({ code: 'conflict' });
    expect(it.down()).toHaveLength(2);
    asJob(it);
    await it.heal('1');
    expect(it.down()).toEqual([]);
    expect(it.told()).toEqual(['set', '1 job-1 healed it']);
  });

  test('is not set beside one of a user', async () => {
    const it = current();
    await it.set({ link: '2' });
    expect(it.faults.ofUsers(it.lab)).toHaveLength(1);
    asJob(it);
    expect(await failureOf(it.set())).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('is not free: there is a fault already (link 2 down)'),
    });
  });

  test('is healed when the job has ended, and users need not wait for that', async () => {
    const it = current();
    it.faults.start();
    asJob(it);
    await it.set();
    expect(it.faults.ofUsers(it.lab)).toEqual([]);
    it.running.clear();
    asUser(it);
    await it.set({ link: '2' });
    await it.faults.look();
    expect(it.faults.of(it.lab)).toMatchObject([{ link: '2' }]);
    expect(it.told()).toContain('1 job-1 has ended');
  });

  test('is refused for a lab that is in another directory by then', async () => {
    const it = current();
    asJob(it, { id: 'job-2', workdir: '/labs/other' });
    expect(await failureOf(it.set())).toMatchObject({ code: 'instance-not-found' });
    expect(await failureOf(it.faults.prepare(it.lab, it.change))).toMatchObject({
      code: 'instance-not-found',
    });
    expect(it.down()).toEqual([]);
  });
});
