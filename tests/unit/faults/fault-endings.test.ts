/** Faults end: with their time, with their lab, in a later service, after a job. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { eventually } from '../../support/eventually.ts';
import { failureOf } from '../../support/failure-of.ts';
import { faultyLab } from '../../support/faulty-lab.ts';

const current = faultyLab();

describe('the end of a fault', () => {
  test('comes with its time, not before', async () => {
    const it = current();
    it.faults.start();
    await it.set({ ttlSeconds: 10 });
    it.uptimeMs = 10_999;
    await it.faults.look();
    expect(it.down()).toHaveLength(2);
    it.uptimeMs = 11_000;
    await it.faults.look();
    expect(it.down()).toEqual([]);
    expect(it.told()).toEqual(['set', '1 its time is over']);
    await it.faults.stop();
  });

  test('that a node keeps off is tried again; a node that is gone needs none', async () => {
    const it = current();
    it.faults.start();
    await it.set({ ttlSeconds: 10 });
    it.refuse('r2 up');
    it.uptimeMs = 11_000;
    await it.faults.look();
    expect(it.down()).toEqual(['r2.eth1']);
    expect(it.faults.of(it.lab)).toHaveLength(1);
    expect(await failureOf(it.heal('1'))).toMatchObject({ code: 'lab-cli-failed' });
    it.gone = new Set(['r2']);
    await it.faults.look();
    expect(it.faults.of(it.lab)).toEqual([]);
    await it.faults.stop();
  });

  test('of one that could be neither set nor undone comes as soon as it can', async () => {
    const it = current();
    it.faults.start();
    it.refuse('r1 up\nr2 down');
    await failureOf(it.set());
    expect(it.down()).toEqual(['r1.eth1']);
    expect(it.faults.of(it.lab)).toMatchObject([{ link: '1' }]);
    it.refuse('');
    await it.faults.look();
    expect(it.down()).toEqual([]);
    expect(it.onDisk()).toEqual([]);
    await it.faults.stop();
  });

  test('for all: one that fails does not keep the others', async () => {
    const it = current();
    await it.set();
    await it.set({ link: '2', node: 'r1' });
    it.refuse('r2 up');
    expect(await failureOf(it.healAll())).toMatchObject({ code: 'lab-cli-failed' });
    expect(it.down()).toEqual(['r2.eth1']);
    expect(it.faults.of(it.lab)).toMatchObject([{ link: '1' }]);
  });

  test.each([
    ['9', null, 'link-not-found'],
    [null, 'r9', 'node-not-found'],
  ])('of link %s, node %s is refused: %s', async (link, node, code) => {
    const it = current();
    expect(await failureOf(it.heal(link, node))).toMatchObject({ code });
  });

  test('does not touch a lab that was started anew', async () => {
    const it = current();
    await it.set();
    it.run = '2';
    await it.heal('1');
    expect(it.down()).toHaveLength(2);
    expect(it.onDisk()).toEqual([]);
    expect(it.told()).toEqual(['set', '1 the lab was stopped']);
  });

  test('waits as long as the status is unknown', async () => {
    const it = current();
    it.faults.start();
    await it.set({ ttlSeconds: 10 });
    it.isStatusKnown = false;
    it.uptimeMs = 11_000;
    await it.faults.look();
    expect(it.faults.of(it.lab)).toHaveLength(1);
    await it.faults.stop();
  });
});

describe('a later service', () => {
  test('heals what was half set, and keeps the end of the rest', async () => {
    const it = current();
    await it.set({ ttlSeconds: 10 });
    await it.set({ link: '2' });
    const rest = it.file('faults.json');
    copyFileSync(it.file('then.json'), rest);
    expect(it.onDisk().map(({ state }) => state)).toEqual(['set', 'setting']);
    const later = it.newFaults();
    await later.open();
    later.start();
    await eventually(
      'the half set fault is healed',
      () => it.down().length === 2 && later.of(it.lab).length === 1,
    );
    expect(later.of(it.lab)).toMatchObject([{ link: '1' }]);
    it.uptimeMs = 11_000;
    await later.look();
    expect(it.down()).toEqual([]);
    await later.stop();
  });

  test('starts without faults when their file is damaged', async () => {
    const it = current();
    writeFileSync(it.file('faults.json'), '{"faults": [{}]}');
    const later = it.newFaults();
    await later.open();
    expect(later.of(it.lab)).toEqual([]);
  });
});

describe('a job in the directory of the lab', () => {
  beforeEach(() => current().faults.start());
  const job = { state: 'success', workdir: '/labs/demo', action: 'restart-nodes' } as const;

  test('that made nodes anew has the fault set again', async () => {
    const it = current();
    await it.set();
    rmSync(it.file('r1.eth1'));
    it.faults.noteJob(job);
    await eventually('it is set again', () => it.down().length === 2);
    await it.heal('1');
    expect(it.down()).toEqual([]);
  });

  test('after which it cannot be set again has it healed', async () => {
    const it = current();
    await it.set();
    rmSync(it.file('r1.eth1'));
    it.refuse('r1 down');
    it.faults.noteJob(job);
    await eventually('it is healed', () => it.told().length === 2);
    expect(it.down()).toEqual([]);
    expect(it.told().at(-1)).toMatch(/^1 it could not be set again: ip failed on r1/);
  });

  test('that took the lab away has it forgotten', async () => {
    const it = current();
    await it.set();
    it.run = '2';
    it.faults.noteJob(job);
    await eventually('it is forgotten', () => it.told().length === 2);
    expect(it.down()).toHaveLength(2);
  });
});
