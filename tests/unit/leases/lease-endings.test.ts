import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { eventually } from '../../support/eventually.ts';
import { endsOf, hour, isoOf, Machine, minute, startMs, workdir } from '../../support/lease-machine.ts';
import { sampleId } from '../../support/sample-job.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const base = temporaryDirectory();

/** A lab whose lease is over, and whose down is queued. */
async function withDown() {
  const machine = new Machine(base);
  const leases = await machine.service();
  await machine.started(leases, hour);
  machine.pass(hour);
  await leases.look();
  return { machine, leases, down: machine.jobs.get(machine.takenDown[0]!)! };
}

describe('the end of a lease', () => {
  test('is so long after the end of the up, and not before', async () => {
    const machine = new Machine(base);
    const leases = await machine.service();
    await machine.started(leases, hour);
    expect(endsOf(machine)).toEqual([isoOf(startMs + hour)]);
    machine.pass(hour - 1);
    await leases.look();
    expect(machine.takenDown).toEqual([]);
    machine.pass(1);
    await leases.look();
    await leases.look();
    expect(machine.takenDown).toHaveLength(1);
    await leases.stop();
  });

  test('that has come before the lab was seen for the first time is not slept through', async () => {
    const machine = new Machine(base);
    const leases = await machine.service();
    await leases.expect({ id: sampleId(1), workdir }, 1);
    machine.add({ id: sampleId(1), state: 'running' });
    machine.lab();
    machine.end(sampleId(1), { state: 'success' });
    machine.pass(5);
    await eventually('the down', () => machine.takenDown.length === 1);
    await leases.stop();
  });

  test('that comes while a look goes on is not slept through, at whatever step of it', async () => {
    const ends = Array.from({ length: 16 }, async (_none, ttlMs) => {
      const machine = new Machine(base);
      const leases = await machine.service();
      await leases.expect({ id: sampleId(1), workdir }, ttlMs + 1);
      machine.add({ id: sampleId(1), state: 'running' });
      machine.lab();
      machine.msPerReading = 1;
      machine.end(sampleId(1), { state: 'success' });
      await eventually(`the down after ${ttlMs + 1} ms`, () => machine.takenDown.length === 1);
      await leases.stop();
    });
    await Promise.all(ends);
  });

  test('is not forgotten by a look that comes before the record of its job', async () => {
    const machine = new Machine(base);
    const leases = await machine.service();
    await leases.expect({ id: sampleId(1), workdir }, hour);
    await leases.look();
    machine.add({ id: sampleId(1), state: 'running' });
    machine.lab();
    machine.end(sampleId(1), { state: 'success' });
    await eventually('the lease', () => machine.ends().length === 1);
    await leases.stop();
  });

  test('is forgotten at the next start when there never was a job', async () => {
    const machine = new Machine(base);
    const first = await machine.service();
    await first.expect({ id: sampleId(1), workdir }, hour);
    await first.stop();
    const second = await machine.service();
    await second.look();
    expect(readFileSync(machine.file, 'utf8')).not.toContain(sampleId(1));
    await second.stop();
  });

  test('of two ups of a lab is that of the later one; without a time, there is none any more', async () => {
    const machine = new Machine(base);
    const leases = await machine.service();
    await machine.started(leases, hour);
    await machine.started(leases, 3 * hour, sampleId(2));
    expect(endsOf(machine)).toEqual([isoOf(startMs + 3 * hour)]);
    machine.add({ id: sampleId(3), state: 'running' });
    machine.end(sampleId(3), { state: 'success' });
    await eventually('the lease to end', () => machine.ends().length === 0);
    await leases.stop();
  });

  test('that comes while an up of the lab runs is put off until it is known what the lab is then', async () => {
    const machine = new Machine(base);
    const leases = await machine.service();
    await machine.started(leases, hour);
    await leases.expect({ id: sampleId(2), workdir }, 5 * hour);
    machine.add({ id: sampleId(2), state: 'running' });
    machine.pass(hour);
    await leases.look();
    expect(machine.takenDown).toEqual([]);
    machine.end(sampleId(2), { state: 'failed' });
    await eventually('the down', () => machine.takenDown.length === 1);
    await leases.stop();
  });
});

describe('a lab that is another one by now', () => {
  test.each([
    ['started anew by somebody else', { run: 'by hand' }],
    ['in another directory', { directory: '/labs/other' }],
  ])('%s is left alone', async (_what, changes) => {
    const machine = new Machine(base);
    const leases = await machine.service();
    await machine.started(leases, hour);
    machine.lab(changes);
    machine.pass(hour);
    await leases.look();
    await leases.look();
    expect(machine.takenDown).toEqual([]);
    await eventually('the lease to end', () => machine.ends().length === 0);
    await leases.stop();
  });

  test('is left alone too when it was swapped while its down waited', async () => {
    const { machine, leases, down } = await withDown();
    expect(await leases.whyObsolete(down)).toBeUndefined();
    machine.lab({ run: 'by hand' });
    expect(await leases.whyObsolete(down)).toContain('not there any more');
    expect(await leases.whyObsolete(down)).toContain('has ended');
    await leases.stop();
  });

  test('gets no lease when it was swapped while the service was away', async () => {
    const machine = new Machine(base);
    const first = await machine.service();
    await first.expect({ id: sampleId(1), workdir }, hour);
    machine.add({ id: sampleId(1), state: 'running' });
    await first.stop();
    await machine.service();
    machine.lab({ startedMs: startMs + minute });
    machine.end(sampleId(1), { state: 'success', finishedAt: isoOf(startMs) });
    await eventually('the answer', () =>
      machine.log.entries.some(({ message }) => message.includes('gets no lease')),
    );
    expect(machine.ends()).toEqual([]);
  });
});

test('a lab that a job of ours has started anew keeps its lease', async () => {
  const machine = new Machine(base);
  const leases = await machine.service();
  await machine.started(leases, hour);
  machine.pass(minute);
  // Any action that may change the lab: this table has no other one that starts it anew.
  machine.add({ id: sampleId(2), action: 'collect', state: 'running' });
  machine.lab({ run: 'by our own job' });
  machine.pass(minute);
  machine.end(sampleId(2), { state: 'success' });
  machine.pass(hour);
  await leases.look();
  expect(machine.takenDown).toHaveLength(1);
  expect(await leases.whyObsolete(machine.jobs.get(machine.takenDown[0]!)!)).toBeUndefined();
  await leases.stop();
});

describe('a down that is due', () => {
  test.each([
    ['the clock is set back', (machine: Machine) => machine.setClockBy(-minute)],
    [
      'an up of the lab begins',
      (machine: Machine) => void machine.add({ id: sampleId(2), state: 'running' }),
    ],
  ])('is not queued when %s while the lab CLI is asked for its labs', async (_, happens) => {
    const machine = new Machine(base);
    const leases = await machine.service();
    await machine.started(leases, hour);
    machine.pass(hour);
    machine.whileAsked = () => happens(machine);
    await leases.look();
    expect(machine.takenDown).toEqual([]);
    await leases.stop();
  });

  test('does not start when its lease is not over any more, or when it is unknown whether the lab is there', async () => {
    const { machine, leases, down } = await withDown();
    machine.statusFault = new Error('not now');
    expect(await leases.whyObsolete(down)).toContain('it is unknown whether');
    machine.statusFault = undefined;
    machine.pass(-minute);
    expect(await leases.whyObsolete(down)).toContain(`may live until ${isoOf(startMs + hour)}`);
    await leases.stop();
  });
});

describe('warnings', () => {
  const changes = (machine: Machine) => machine.told.map(({ change }) => change);

  test('come 15 and 5 minutes before, once each', async () => {
    const machine = new Machine(base);
    const leases = await machine.service();
    await machine.started(leases, hour);
    for (const ms of [44 * minute, minute, minute, 8 * minute, minute, minute, 4 * minute]) {
      machine.pass(ms);
      await leases.look();
    }
    expect(changes(machine)).toEqual(['expiring', 'expiring', 'expired']);
    expect(machine.told[0]).toEqual({ change: 'expiring', expiresAt: isoOf(startMs + hour) });
    expect(machine.told[2]).toMatchObject({ jobId: machine.takenDown[0] });
    await leases.stop();
  });

  test('that make no sense are left out: of a short lease, and after a time without service', async () => {
    const machine = new Machine(base);
    const leases = await machine.service();
    await machine.started(leases, 10 * minute);
    await leases.look();
    expect(changes(machine)).toEqual([]);
    await leases.change('7', { kind: 'ttl', ttlMs: hour });
    await leases.look();
    await leases.stop();
    machine.pass(57 * minute);
    const second = await machine.service();
    expect(changes(machine)).toEqual(['expiring']);
    await second.look();
    expect(changes(machine)).toEqual(['expiring']);
    await second.stop();
  });
});

describe('a down that cannot be done', () => {
  test('is tried again after 1, 2, 4 … minutes, an hour at most, and told each time', async () => {
    const machine = new Machine(base);
    const leases = await machine.service();
    await machine.started(leases, 1);
    machine.pass(1);
    await leases.look();
    const waits: number[] = [];
    for (let count = 1; count <= 9; count += 1) {
      machine.end(machine.takenDown.at(-1)!, { state: 'failed', error: 'the lab does not want to' });
      const { nextTryAt, why } = machine.told.at(-1)!;
      expect(why).toBe('the lab does not want to');
      waits.push((Date.parse(String(nextTryAt)) - machine.nowMs) / minute);
      machine.nowMs = Date.parse(String(nextTryAt)) - 1;
      await leases.look();
      expect(machine.takenDown).toHaveLength(count);
      machine.pass(1);
      await leases.look();
      expect(machine.takenDown).toHaveLength(count + 1);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    expect(machine.told.filter(({ change }) => change === 'expired')).toHaveLength(1);
    await leases.stop();
  });

  test.each(['statusFault', 'queueFault'] as const)(
    '%s: nothing is done by a guess, and it is tried again',
    async (fault) => {
      const machine = new Machine(base);
      const leases = await machine.service();
      await machine.started(leases, 1);
      machine.pass(1);
      machine[fault] = new Error('not now');
      await leases.look();
      expect(machine.takenDown).toEqual([]);
      expect(machine.told.at(-1)).toMatchObject({ change: 'expiry-failed', jobId: null, why: 'not now' });
      machine[fault] = undefined;
      machine.pass(minute);
      await leases.look();
      expect(machine.takenDown).toHaveLength(1);
      await leases.stop();
    },
  );

  test('is not begun a second time by a service that is started again', async () => {
    const machine = new Machine(base);
    const first = await machine.service();
    await machine.started(first, 1);
    machine.pass(1);
    await first.look();
    await first.stop();
    const second = await machine.service();
    await second.look();
    expect(machine.takenDown).toHaveLength(1);
    await second.stop();
  });
});
