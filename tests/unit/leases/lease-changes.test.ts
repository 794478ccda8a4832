import { describe, expect, test } from '@jest/globals';
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { failureOf } from '../../support/failure-of.ts';
import { endsOf, hour, isoOf, Machine, minute, startMs, workdir } from '../../support/lease-machine.ts';
import { sampleId } from '../../support/sample-job.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const base = temporaryDirectory();

describe('a change', () => {
  test('that comes after the clock was set counts from what it is now', async () => {
    const machine = new Machine(base);
    const leases = await machine.service();
    await machine.started(leases, hour);
    machine.setClockBy(-3 * hour);
    const { expiresAt } = await leases.change('7', { kind: 'ttl', ttlMs: 2 * hour });
    await leases.look();
    expect(endsOf(machine)).toEqual([expiresAt]);
    expect(machine.takenDown).toEqual([]);
    await leases.stop();
  });

  test('of a lab that is being started holds from its beginning', async () => {
    const machine = new Machine(base);
    const leases = await machine.service();
    machine.add({ id: sampleId(1), state: 'running' });
    machine.lab();
    expect(await leases.change('7', { kind: 'ttl', ttlMs: hour })).toMatchObject({
      jobId: sampleId(1),
      expiresAt: isoOf(startMs + hour),
    });
    machine.pass(10 * minute);
    machine.end(sampleId(1), { state: 'success' });
    await eventually('the lease', () => machine.ends().length === 1);
    expect(endsOf(machine)).toEqual([isoOf(startMs + hour)]);
    await leases.stop();
  });

  test('that comes in the moment in which the up has ended counts, and so does its end before it', async () => {
    const machine = new Machine(base);
    const leases = await machine.service();
    await leases.expect({ id: sampleId(1), workdir }, hour);
    machine.add({ id: sampleId(1), state: 'running' });
    machine.lab();
    machine.end(sampleId(1), { state: 'success' });
    const lab = { id: '7', cli: 'netlab', directory: workdir, entry: { run: 'first' } };
    expect(leases.expiresAt(lab)).toBe(isoOf(startMs + hour));
    await leases.change('7', { kind: 'ttl', ttlMs: 2 * hour });
    await leases.look();
    expect(leases.expiresAt(lab)).toBe(isoOf(startMs + 2 * hour));
    expect(endsOf(machine)).toEqual([isoOf(startMs + 2 * hour)]);
    await leases.stop();
  });

  test('of a lab that was started without an end gives it one, and takes it away again', async () => {
    const machine = new Machine(base);
    const leases = await machine.service();
    machine.add({ id: sampleId(1), state: 'running' });
    machine.lab();
    machine.end(sampleId(1), { state: 'success' });
    await leases.change('7', { kind: 'ttl', ttlMs: hour });
    const lab = { id: '7', cli: 'netlab', directory: workdir, entry: { run: 'first' } };
    expect(leases.expiresAt(lab)).toBe(isoOf(startMs + hour));
    expect(leases.expiresAt({ ...lab, entry: { run: 'by hand' } })).toBeNull();
    expect((await leases.change('7', { kind: 'never' })).expiresAt).toBeNull();
    expect(machine.ends()).toEqual([]);
    await leases.stop();
  });

  test('is refused of a lab of somebody else, one that is being taken down, and one that is not there', async () => {
    const machine = new Machine(base);
    const leases = await machine.service();
    machine.lab();
    expect((await failureOf(leases.change('7', { kind: 'ttl', ttlMs: 1 }))).code).toBe('conflict');
    expect((await failureOf(leases.change('8', { kind: 'ttl', ttlMs: 1 }))).code).toBe('instance-not-found');
    await machine.started(leases, 1);
    machine.pass(1);
    await leases.look();
    machine.jobs.set(machine.takenDown[0]!, {
      ...machine.jobs.get(machine.takenDown[0]!)!,
      state: 'running',
    });
    const refusal = await failureOf(leases.change('7', { kind: 'ttl', ttlMs: hour }));
    expect(refusal.message).toContain(`is being taken down by ${machine.takenDown[0]}`);
    await leases.stop();
  });

  test('that the disk does not take is none', async () => {
    const machine = new Machine(base);
    const leases = await machine.service();
    await machine.started(leases, hour);
    const before = endsOf(machine);
    renameSync(path.dirname(machine.file), `${path.dirname(machine.file)}-away`);
    expect((await failureOf(leases.change('7', { kind: 'ttl', ttlMs: 1 }))).code).toBe('storage-fault');
    expect((await failureOf(leases.expect({ id: sampleId(9), workdir }, hour))).code).toBe('storage-fault');
    renameSync(`${path.dirname(machine.file)}-away`, path.dirname(machine.file));
    expect(endsOf(machine)).toEqual(before);
    machine.pass(minute);
    await leases.look();
    expect(machine.takenDown).toEqual([]);
    await leases.stop();
  });

  test('that the disk does not take gives no end to a lab that had none', async () => {
    const machine = new Machine(base);
    const leases = await machine.service();
    machine.add({ id: sampleId(1), state: 'running' });
    machine.lab();
    const lab = { id: '7', cli: 'netlab', directory: workdir, entry: { run: 'first' } };
    const away = `${path.dirname(machine.file)}-away`;
    const fails = async (): Promise<void> => {
      renameSync(path.dirname(machine.file), away);
      const refusal = await failureOf(leases.change('7', { kind: 'ttl', ttlMs: 1 }));
      renameSync(away, path.dirname(machine.file));
      expect(refusal.code).toBe('storage-fault');
      expect(leases.expiresAt(lab)).toBeNull();
    };
    await fails();
    machine.end(sampleId(1), { state: 'success' });
    await fails();
    machine.pass(minute);
    await leases.look();
    expect(machine.takenDown).toEqual([]);
    await leases.stop();
  });
});

test('a file that nobody understands is set aside, and a person is told', async () => {
  const machine = new Machine(base);
  writeFileSync(machine.file, '{"leases": [');
  const leases = await machine.service();
  expect(machine.log.errors()).toEqual([
    'the leases cannot be understood and were set aside: no lab is taken down by them',
  ]);
  await machine.started(leases, hour);
  await leases.stop();
});
