/** What becomes of ids when jobs end, and while the disk refuses. */
import { describe, expect, test } from '@jest/globals';
import { mkdirSync, readFileSync, renameSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../../../src/lib/app-error.ts';
import type { FreeIdsDeps } from '../../../../src/labs/ids/free-ids.ts';
import { eventually } from '../../../support/eventually.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { jobId, Machine } from './machine.ts';

describe('when a job has ended', () => {
  /** A service with claims 1 and 2 of ended jobs, and how often it has asked for the labs. */
  async function ended(changes: Partial<FreeIdsDeps> = {}) {
    const machine = new Machine();
    let asked = 0;
    const listed = async () => {
      asked += 1;
      return Promise.resolve(machine.labs);
    };
    const log = new MemoryLogger();
    const service = machine.service('a', { listed, log, ...changes });
    for (const number of [1, 2]) machine.claimOfDeadService(number, jobId(number));
    return { machine, service, log, asked: () => asked };
  }

  test('the ids of labs that have gone are given back at once, not with the next request', async () => {
    const { machine, service } = await ended();
    machine.labs.add('2');
    service.noteEnd({ instance: '1' });
    await eventually('the claim to go', () => !machine.claimed().includes(1));
    expect(machine.claimed()).toEqual([2]);
  });

  test.each([null, 'default', '1x', 'x1', ''])(
    'the lab CLI is not asked for a lab that is called %j',
    async (instance) => {
      const { machine, service, asked } = await ended();
      service.noteEnd({ instance });
      // In the same service, one task comes after the other: what the first one did is done.
      await service.take();
      expect(asked()).toBe(2);
      expect(machine.claimed()).toEqual([1]);
    },
  );

  test('and the labs cannot be told, that is on the log, and the ids stay', async () => {
    const { machine, service, log } = await ended({
      listed: async () => Promise.reject(new AppError('lab-cli-failed', 'the lab CLI fails')),
    });
    service.noteEnd({ instance: '1' });
    const entry = await eventually('it to be told', () => log.entries[0]);
    expect(entry).toEqual({
      level: 'warn',
      message: 'multilab ids cannot be given back now',
      fields: { cause: 'the lab CLI fails' },
    });
    expect(machine.claimed()).toEqual([1, 2]);
  });
});

describe('a disk that refuses', () => {
  test('to take an id back: it is on the log, and the id is taken until the disk lets it go', async () => {
    const machine = new Machine();
    const log = new MemoryLogger();
    const service = machine.service('a', { log });
    const taken = await service.take();
    const file = path.join(machine.claims, '1.json');
    const aside = path.join(machine.root, 'aside');
    renameSync(file, aside);
    mkdirSync(file);
    await taken.giveBack();
    expect(log.entries).toEqual([
      {
        level: 'warn',
        message: 'a multilab id cannot be given back now',
        fields: { id: 1, cause: expect.stringContaining('1.json') },
      },
    ]);
    expect((await service.take()).id).toBe(2);
    rmdirSync(file);
    renameSync(aside, file);
    for (let id = 2; id <= 200; id += 1) machine.labs.add(String(id));
    expect((await service.take()).id).toBe(1);
  });
});

test('a claim names the job and the service, so that another one can tell whether it still stands for something', async () => {
  const machine = new Machine();
  const taken = await machine.service('a').take();
  const claim = () => JSON.parse(readFileSync(path.join(machine.claims, '1.json'), 'utf8'));
  const owner = { pid: process.pid, startTicks: expect.any(Number), bootId: expect.stringMatching(/./) };
  expect(claim()).toEqual({ jobsDirectory: path.join(machine.root, 'a'), job: null, process: owner });
  await taken.bindTo(jobId(1));
  expect(claim()).toEqual({ jobsDirectory: path.join(machine.root, 'a'), job: jobId(1), process: owner });
});
