/** Faults are set and healed, on record. */
import { describe, expect, test } from '@jest/globals';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { AppError } from '../../../src/lib/app-error.ts';
import { failureOf } from '../../support/failure-of.ts';
import { faultyLab, wantedFault } from '../../support/faulty-lab.ts';

const current = faultyLab();

describe('a fault', () => {
  test('is on disk before anything happens, and set on disk after', async () => {
    const it = current();
    expect(await it.set({ ttlSeconds: 60 })).toMatchObject({ link: '1', kind: 'down', user: 'alice' });
    expect(it.onDisk('then.json')).toMatchObject([{ state: 'setting' }]);
    expect(it.onDisk()).toMatchObject([{ state: 'set', endsAtMs: 61_000 }]);
    expect(it.down()).toEqual(['r1.eth1', 'r2.eth1']);
    await it.heal('1');
    expect(it.down()).toEqual([]);
    expect(it.onDisk()).toEqual([]);
    expect(it.faults.of(it.lab)).toEqual([]);
    expect(it.told()).toEqual(['set', '1 alice healed it']);
  });

  test('that a node does not take is undone in the others', async () => {
    const it = current();
    it.refuse('r2 down');
    expect(await failureOf(it.set())).toMatchObject({ code: 'lab-cli-failed' });
    expect(it.down()).toEqual([]);
    expect(it.onDisk()).toEqual([]);
    expect(it.told()).toEqual([]);
  });

  test('that cannot be written down is not set', async () => {
    const it = current();
    mkdirSync(it.file('faults.json'));
    expect(await failureOf(it.set())).toMatchObject({ code: 'storage-fault' });
    expect(it.down()).toEqual([]);
    expect(it.faults.of(it.lab)).toEqual([]);
  });

  test('of a user who may not change the lab any more is not set', async () => {
    const it = current();
    const check = (): void => {
      throw new AppError('unauthorized', 'the login has ended');
    };
    expect(await failureOf(it.faults.set(it.lab, wantedFault(), { user: 'alice', check }))).toMatchObject({
      code: 'unauthorized',
    });
    expect(it.down()).toEqual([]);
  });

  test('that is asked for again gets another end, and is set where it was undone by hand', async () => {
    const it = current();
    await it.set({ ttlSeconds: 60 });
    rmSync(it.file('r1.eth1'));
    expect(await it.set({ ttlSeconds: 9 })).toMatchObject({ expiresAt: expect.any(String) });
    expect(it.down()).toEqual(['r1.eth1', 'r2.eth1']);
    expect(it.onDisk()).toMatchObject([{ endsAtMs: 10_000 }]);
    await it.heal('1');
    expect(it.down()).toEqual([]);
  });

  test('that is refused leaves the one that is there', async () => {
    const it = current();
    await it.set({ node: 'r1' });
    it.refuse('r2 down');
    expect(await failureOf(it.set())).toMatchObject({ code: 'lab-cli-failed' });
    expect(it.down()).toEqual(['r1.eth1']);
    expect(it.faults.of(it.lab)).toMatchObject([{ node: 'r1' }]);
    await it.heal('1');
    expect(it.down()).toEqual([]);
  });

  test('of an earlier start of the lab is forgotten first', async () => {
    const it = current();
    await it.set();
    for (const name of it.down()) rmSync(it.file(name));
    it.run = '2';
    await it.set({ node: 'r1' });
    expect(it.faults.of(it.lab)).toHaveLength(1);
    await it.heal('1');
    expect(it.down()).toEqual([]);
  });

  test('takes the place of another one, which lets go of the rest', async () => {
    const it = current();
    await it.set();
    await it.set({ node: 'r1' });
    expect(it.down()).toEqual(['r1.eth1']);
    expect(it.faults.of(it.lab)).toMatchObject([{ node: 'r1' }]);
    await it.heal('1');
    expect(it.down()).toEqual([]);
  });

  test('that two users ask for at once is set once', async () => {
    const it = current();
    await Promise.all([it.set(), it.set(), it.isolate('r1')]);
    expect(it.onDisk()).toHaveLength(2);
    await it.healAll();
    expect(it.down()).toEqual([]);
    expect(it.onDisk()).toEqual([]);
  });
});

test('an interface that two faults hold comes back with the last of them, in either order', async () => {
  const it = current();
  await it.set();
  await it.isolate('r1');
  await it.heal('1');
  expect(it.down()).toEqual(['r1.eth1', 'r1.eth2']);
  await it.heal(null, 'r1');
  expect(it.down()).toEqual([]);
  await it.isolate('r1');
  await it.set();
  await it.heal(null, 'r1');
  expect(it.down()).toEqual(['r1.eth1', 'r2.eth1']);
  await it.heal('1');
  expect(it.down()).toEqual([]);
});

test('an interface that was down before stays down', async () => {
  const it = current();
  writeFileSync(it.file('r1.eth1'), '');
  await it.set();
  await it.heal('1');
  expect(it.down()).toEqual(['r1.eth1']);
});
