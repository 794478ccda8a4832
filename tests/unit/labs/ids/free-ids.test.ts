import { describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { presenceOf } from '../../../../src/jobs/store/record-files.ts';
import { FreeIds, type FreeIdsDeps } from '../../../../src/labs/ids/free-ids.ts';
import { AppError } from '../../../../src/lib/app-error.ts';
import { eventually } from '../../../support/eventually.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const base = temporaryDirectory();
const jobId = (number: number): string => `job-${number}-abcdef`;

/** One machine: its labs, and the services on it. */
class Machine {
  readonly root = mkdtempSync(path.join(base, 'machine-'));
  readonly claims = path.join(this.root, 'ids');
  readonly labs = new Set<string>();
  readonly ofJobs = new Set<string>();
  /** By the directory of the lab. */
  readonly idsIn = new Map<string, string>();

  service(name: string, changes: Partial<FreeIdsDeps> = {}): FreeIds {
    return new FreeIds({
      directory: () => this.claims,
      jobsDirectory: path.join(this.root, name),
      listed: async () => this.labs,
      idIn: async (directory) => this.idsIn.get(directory),
      avoided: async () => [],
      instancesOfJobs: () => this.ofJobs,
      presenceOf,
      log: new MemoryLogger(),
      ...changes,
    });
  }

  record(service: string, job: string, state: string): void {
    const directory = path.join(this.root, service, job);
    mkdirSync(directory, { recursive: true });
    writeFileSync(path.join(directory, 'job.json'), JSON.stringify({ state }));
  }

  claimed(): number[] {
    const files = readdirSync(this.claims).filter((name) => name.endsWith('.json'));
    return files.map((name) => Number.parseInt(name, 10)).toSorted((a, b) => a - b);
  }

  /** A claim of a service whose process has ended. */
  claimOfDeadService(id: number, job: string | null): void {
    mkdirSync(this.claims, { recursive: true });
    const process = { pid: 1, startTicks: 1, bootId: 'another-boot' };
    const claim = { jobsDirectory: path.join(this.root, 'dead'), job, process };
    writeFileSync(path.join(this.claims, `${id}.json`), JSON.stringify(claim));
  }
}

/** An id whose job is on record, in that state. */
async function idOfJob(
  machine: Machine,
  service: FreeIds,
  { job, state, directory }: { job: string; state: string; directory?: string },
): Promise<number> {
  const taken = await service.take(directory);
  await taken.bindTo(job);
  machine.record('a', job, state);
  taken.keep();
  return taken.id;
}

describe('a free id', () => {
  test('is given to one request only, however many ask at the same time in two services', async () => {
    const machine = new Machine();
    const [one, other] = [machine.service('a'), machine.service('b')];
    const taken = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => (index % 2 === 0 ? one : other).take()),
    );
    const ids = taken.map(({ id }) => id);
    expect(new Set(ids).size).toBe(60);
    expect(ids.every((id) => id >= 1 && id <= 200)).toBe(true);
  });

  test('is none of a lab, and none that a waiting job asked for by its number', async () => {
    const machine = new Machine();
    machine.labs.add('1').add('default');
    machine.ofJobs.add('2');
    expect((await machine.service('a').take()).id).toBe(3);
  });

  test('is one that something else seems to have only when there is no other', async () => {
    const machine = new Machine();
    for (let id = 5; id <= 200; id += 1) machine.labs.add(String(id));
    const service = machine.service('a', { avoided: async () => ['1', '3'] });
    const ids = [];
    for (let count = 0; count < 4; count += 1) ids.push((await service.take()).id);
    expect(ids.slice(0, 2)).toEqual([2, 4]);
    expect(new Set(ids.slice(2))).toEqual(new Set([1, 3]));
  });

  test('is the next one after the last: the id of a lab that has just gone comes last', async () => {
    const machine = new Machine();
    const service = machine.service('a');
    const first = await service.take();
    await first.giveBack();
    expect((await service.take()).id).toBe(first.id + 1);
  });

  test('is the same again for a directory whose lab is on record, so that starts that fail there take one id only', async () => {
    const machine = new Machine();
    const service = machine.service('a');
    const first = await idOfJob(machine, service, { job: jobId(1), state: 'failed', directory: '/labs/a' });
    machine.labs.add(String(first));
    machine.idsIn.set('/labs/a', String(first));
    for (let count = 2; count <= 12; count += 1)
      expect(
        await idOfJob(machine, service, { job: jobId(count), state: 'failed', directory: '/labs/a' }),
      ).toBe(first);
    expect((await service.take('/labs/b')).id).toBe(first + 1);
    // One that could not be recorded leaves the id to the lab.
    await (await service.take('/labs/a')).giveBack();
    expect((await service.take('/labs/b')).id).toBe(first + 2);
    machine.labs.clear();
    machine.idsIn.clear();
    expect((await service.take('/labs/a')).id).toBe(first + 3);
    machine.idsIn.set('/labs/a', 'default');
    expect((await service.take('/labs/a')).id).toBe(first + 4);
  });

  test('is refused when all are taken, and there again when one is given back', async () => {
    const machine = new Machine();
    for (let id = 1; id <= 199; id += 1) machine.labs.add(String(id));
    const service = machine.service('a');
    const last = await service.take();
    expect(last.id).toBe(200);
    const refusal = await failureOf(service.take());
    expect(refusal.code).toBe('no-free-id');
    expect(refusal.message).toContain('stop labs that are not needed');
    await last.giveBack();
    expect((await service.take()).id).toBe(200);
  });
});

describe('an id that was given out', () => {
  test.each(['queued', 'running', 'canceling'])('is taken while its job is %s', async (state) => {
    const machine = new Machine();
    const id = await idOfJob(machine, machine.service('a'), { job: jobId(1), state });
    for (let other = 1; other <= 200; other += 1) if (other !== id) machine.labs.add(String(other));
    expect((await failureOf(machine.service('b').take())).code).toBe('no-free-id');
  });

  test('is taken while its lab is there, also when its job was removed', async () => {
    const machine = new Machine();
    const service = machine.service('a');
    const id = await idOfJob(machine, service, { job: jobId(1), state: 'success' });
    machine.labs.add(String(id));
    machine.claimOfDeadService(7, jobId(9));
    machine.labs.add('7');
    await machine.service('b').take();
    expect(machine.claimed()).toEqual([id, 2, 7]);
  });

  test('is given back when its job has ended and its lab is not there', async () => {
    const machine = new Machine();
    const service = machine.service('a');
    const id = await idOfJob(machine, service, { job: jobId(1), state: 'failed' });
    await machine.service('b').take();
    expect(machine.claimed()).not.toContain(id);
  });

  test('is kept when the status of another look, which is newer, lists its lab', async () => {
    const machine = new Machine();
    const service = machine.service('a', { listed: async (fresh) => (fresh ? ['1'] : []) });
    expect(await idOfJob(machine, service, { job: jobId(1), state: 'success' })).toBe(1);
    await service.take();
    expect(machine.claimed()).toEqual([1, 2]);
  });

  test('is free again after a crash before its job was on record', async () => {
    const machine = new Machine();
    machine.claimOfDeadService(1, null);
    machine.claimOfDeadService(2, jobId(2));
    await machine.service('a').take();
    expect(machine.claimed()).toEqual([1]);
  });

  test('is taken as long as its service may still put its job on record', async () => {
    const machine = new Machine();
    const taken = await machine.service('a').take();
    const other = machine.service('b');
    await other.take();
    await taken.bindTo(jobId(1));
    await other.take();
    expect(machine.claimed()).toEqual([1, 2, 3]);
  });

  test('is taken when nobody understands to whom it was given', async () => {
    const machine = new Machine();
    mkdirSync(machine.claims, { recursive: true });
    writeFileSync(path.join(machine.claims, '1.json'), '{"half": ');
    machine.claimOfDeadService(2, '../../escape');
    expect((await machine.service('a').take()).id).toBe(3);
  });
});

test('no id is given out by a guess when the status cannot be told, or the files cannot be used', async () => {
  const machine = new Machine();
  const broken = machine.service('a', { listed: async () => Promise.reject(new Error('the lab CLI fails')) });
  await expect(broken.take()).rejects.toThrow('the lab CLI fails');
  writeFileSync(path.join(machine.root, 'file'), '');
  const blocked = machine.service('a', { directory: () => path.join(machine.root, 'file', 'ids') });
  const refusal = await failureOf(blocked.take());
  expect(refusal.code).toBe('storage-fault');
});

describe('when a job has ended', () => {
  /** A service with claims 1 and 2 of ended jobs. */
  async function ended(changes: Partial<FreeIdsDeps> = {}) {
    const machine = new Machine();
    const log = new MemoryLogger();
    const service = machine.service('a', { log, ...changes });
    for (const number of [1, 2]) machine.claimOfDeadService(number, jobId(number));
    return { machine, service, log };
  }

  test('the ids of labs that have gone are given back at once, not with the next request', async () => {
    const { machine, service } = await ended();
    machine.labs.add('2');
    service.noteEnd({ instance: '1' });
    await eventually('the claim to go', () => !machine.claimed().includes(1));
    expect(machine.claimed()).toEqual([2]);
  });

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

test('a claim names the job and the service, so that another one can tell whether it still stands for something', async () => {
  const machine = new Machine();
  const taken = await machine.service('a').take();
  const claim = () => JSON.parse(readFileSync(path.join(machine.claims, '1.json'), 'utf8'));
  const owner = { pid: process.pid, startTicks: expect.any(Number), bootId: expect.stringMatching(/./) };
  expect(claim()).toEqual({ jobsDirectory: path.join(machine.root, 'a'), job: null, process: owner });
  await taken.bindTo(jobId(1));
  expect(claim()).toEqual({ jobsDirectory: path.join(machine.root, 'a'), job: jobId(1), process: owner });
});
