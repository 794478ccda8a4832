import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { endsOf, hour, isoOf, Machine, startMs } from '../../support/lease-machine.ts';
import { sampleId } from '../../support/sample-job.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const base = temporaryDirectory();

describe('the end of a lease', () => {
  test.each([
    ['forward', 3 * hour],
    ['backward', -3 * hour],
  ])('stays as far away when the clock is set %s', async (_direction, byMs) => {
    const machine = new Machine(base);
    const leases = await machine.service();
    await machine.started(leases, 2 * hour);
    machine.setClockBy(byMs);
    await leases.look();
    expect(machine.takenDown).toEqual([]);
    machine.pass(2 * hour - 1);
    await leases.look();
    expect(machine.takenDown).toEqual([]);
    machine.pass(1);
    await leases.look();
    expect(machine.takenDown).toHaveLength(1);
    await leases.stop();
  });

  test.each([
    ['forward', 3 * hour],
    ['backward', -3 * hour],
  ])('is not moved by a clock that was set %s before there was a lease', async (_direction, byMs) => {
    const machine = new Machine(base);
    const leases = await machine.service();
    machine.setClockBy(byMs);
    await machine.started(leases, 2 * hour);
    await leases.look();
    expect(machine.takenDown).toEqual([]);
    machine.pass(2 * hour);
    await leases.look();
    expect(machine.takenDown).toHaveLength(1);
    await leases.stop();
  });

  test('that was named while the up runs stays as far away when the clock is set then', async () => {
    const machine = new Machine(base);
    const leases = await machine.service();
    machine.add({ id: sampleId(1), state: 'running' });
    machine.lab();
    await leases.change('7', { kind: 'ttl', ttlMs: 2 * hour });
    machine.setClockBy(5 * hour);
    machine.end(sampleId(1), { state: 'success' });
    await eventually('the lease', () => machine.ends().length === 1);
    expect(machine.takenDown).toEqual([]);
    expect(endsOf(machine)).toEqual([isoOf(machine.nowMs + 2 * hour)]);
    await leases.stop();
  });

  test('stays as far away when the clock is set while the service is away', async () => {
    const machine = new Machine(base);
    await machine.started(await machine.service(), 2 * hour);
    machine.setClockBy(5 * hour);
    const leases = await machine.service();
    expect(machine.takenDown).toEqual([]);
    machine.pass(2 * hour);
    await leases.look();
    expect(machine.takenDown).toHaveLength(1);
    await leases.stop();
  });

  test('is by the clock when the machine was started anew, and when somebody named the moment', async () => {
    const machine = new Machine(base);
    const first = await machine.service();
    await machine.started(first, 2 * hour);
    await first.change('7', { kind: 'moment', at: isoOf(startMs + 3 * hour) });
    machine.setClockBy(hour);
    await first.look();
    expect(endsOf(machine)).toEqual([isoOf(startMs + 3 * hour)]);
    await first.stop();
    machine.bootId = 'another-boot';
    machine.bootMs += 10 * hour;
    machine.nowMs = startMs + 3 * hour;
    const second = await machine.service();
    expect(machine.takenDown).toHaveLength(1);
    await second.stop();
  });
});
