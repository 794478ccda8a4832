import { describe, expect, test } from '@jest/globals';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../../src/jobs/model/job.ts';
import { LabOwners } from '../../../src/owners/lab-owners.ts';
import { MemoryLogger } from '../../support/memory-logger.ts';
import { sampleJob } from '../../support/sample-job.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const ms = (minute: number): number => Date.UTC(2026, 10, 21, 12, minute);
const at = (minute: number): string => new Date(ms(minute)).toISOString();
const directory = '/labs/demo';
const lab = (minute: number) => ({ directory, startedAtMs: ms(minute) });

/** A job that ran between these minutes. */
function ran(from: number, to: number | null, changes: Partial<Job> = {}): Job {
  const times = { startedAt: at(from), finishedAt: to === null ? null : at(to) };
  const state = to === null ? 'running' : 'success';
  return sampleJob({
    id: `job-${from}-aaaaaa`,
    workdir: directory,
    requestedBy: 'alice',
    state,
    ...times,
    ...changes,
  });
}

async function machine(
  { ended = [], now }: { ended?: Job[]; now?: ReturnType<typeof lab> } = {},
  file?: string,
) {
  const place = file ?? path.join(mkdtempSync(path.join(root, 'owners-')), 'lab-owners.json');
  const state = {
    ended,
    unfinished: [] as Job[],
    labs: now ? [now] : [],
    fault: undefined as Error | undefined,
  };
  let tell: (job: Job) => void = () => undefined;
  const log = new MemoryLogger();
  const owners = new LabOwners({
    file: place,
    jobs: {
      unfinished: () => state.unfinished,
      startsIn: async (workdir) => state.ended.filter((job) => job.workdir === workdir),
      onChange: (listener) => {
        tell = listener;
        return () => undefined;
      },
      whileClosed: async (action) => action(),
    },
    labs: () => ({ labs: state.labs, failure: state.fault }),
    log,
  });
  await owners.open();
  return { owners, log, state, file: place, tell: (job: Job) => tell(job) };
}

describe('a lab belongs to', () => {
  test('the user of the job that started it', async () => {
    const { owners, tell } = await machine();
    tell(ran(1, 3));
    tell(ran(5, 8, { requestedBy: 'bob' }));
    expect(owners.ownerOf(lab(2))).toBe('alice');
    expect(owners.ownerOf(lab(6))).toBe('bob');
  });

  test('no user if it was started from a shell, elsewhere, or at an unknown time', async () => {
    const { owners, tell } = await machine();
    tell(ran(1, 3));
    expect(owners.ownerOf(lab(4))).toBeNull();
    expect(owners.ownerOf({ directory: '/labs/other', startedAtMs: ms(2) })).toBeNull();
    expect(owners.ownerOf({ directory: null, startedAtMs: ms(2) })).toBeNull();
    expect(owners.ownerOf({ directory, startedAtMs: null })).toBeNull();
  });

  test('whoever starts it, while that takes', async () => {
    const { owners, tell } = await machine();
    tell(ran(1, null));
    expect(owners.ownerOf({ directory, startedAtMs: null })).toBe('alice');
    expect(owners.ownerOf(lab(2))).toBe('alice');
    tell(ran(1, null, { state: 'queued', startedAt: null }));
    expect(owners.ownerOf(lab(2))).toBeNull();
  });

  test('the same one when somebody else restarts it', async () => {
    const { owners, state, tell } = await machine();
    tell(ran(1, 3));
    state.labs = [lab(2)];
    const restart = { action: 'restart', requestedBy: 'bob' } as const;
    tell(ran(5, null, restart));
    state.labs = [lab(6)];
    tell(ran(5, 7, restart));
    expect(owners.ownerOf(lab(6))).toBe('alice');
  });

  test('the same one when it is restarted while another lab CLI fails', async () => {
    const { owners, state, tell } = await machine();
    tell(ran(1, 3));
    [state.labs, state.fault] = [[lab(2)], new Error('not now')];
    tell(ran(5, 7, { action: 'restart', requestedBy: 'bob' }));
    expect(owners.ownerOf(lab(6))).toBe('alice');
  });

  test('the same one after a dry run and a job that only looked', async () => {
    const { owners, tell } = await machine();
    tell(ran(1, 3));
    tell(ran(5, 7, { requestedBy: 'bob', request: { dryRun: true } }));
    tell(ran(8, 9, { requestedBy: 'bob', action: 'collect' }));
    expect(owners.ownerOf(lab(2))).toBe('alice');
    expect(owners.ownerOf(lab(6))).toBeNull();
  });

  test('the same one however many jobs fail in its directory', async () => {
    const { owners, state, tell } = await machine();
    tell(ran(1, 3));
    state.labs = [lab(2)];
    for (let minute = 4; minute < 50; minute += 1)
      tell(ran(minute, minute, { requestedBy: 'bob', state: 'failed' }));
    expect(owners.ownerOf(lab(2))).toBe('alice');
  });
});

describe('of more than a thousand directories', () => {
  const others = Array.from({ length: 1_000 }, (_, index) => `/labs/other-${index}`);
  const owned = (owners: LabOwners) =>
    [directory, '/labs/running', ...others].filter(
      (place) => owners.ownerOf({ directory: place, startedAtMs: ms(2) }) === 'alice',
    );

  test('those without a lab and without a job that runs are forgotten', async () => {
    const { owners, state, tell } = await machine();
    tell(ran(1, 3));
    tell(ran(1, null, { workdir: '/labs/running' }));
    state.labs = [lab(2)];
    for (const workdir of others) tell(ran(1, 3, { workdir }));
    expect(owned(owners)).toEqual([directory, '/labs/running', others.at(-1)]);
  });

  test('none is forgotten while the lab CLI cannot report its labs', async () => {
    const { owners, state, tell } = await machine();
    state.fault = new Error('not now');
    for (const workdir of [directory, ...others]) tell(ran(1, 3, { workdir }));
    expect(owned(owners)).toHaveLength(1_001);
  });
});

describe('it is known after a restart of the service', () => {
  test('when the jobs were removed meanwhile', async () => {
    const before = await machine();
    before.tell(ran(1, 3));
    await before.owners.close();
    const { owners } = await machine({ now: lab(2) }, before.file);
    expect(owners.ownerOf(lab(2))).toBe('alice');
  });

  test('from the records, when the file is not there, or damaged', async () => {
    const { owners, file } = await machine({ ended: [ran(1, 3)], now: lab(2) });
    expect(owners.ownerOf(lab(2))).toBe('alice');
    writeFileSync(file, '{');
    const again = await machine({ ended: [ran(1, 3)], now: lab(2) }, file);
    expect(again.owners.ownerOf(lab(2))).toBe('alice');
  });
});

test('a disk that refuses the file of owners is reported once, and again when it has taken the file meanwhile', async () => {
  const { owners, log, tell, file } = await machine();
  const refusals = () => log.entries.filter(({ level }) => level === 'error').length;
  // A directory in the place of the file: root could write a file without permission.
  const block = () => mkdirSync(path.join(file, 'x'), { recursive: true });
  block();
  for (const minute of [1, 4]) {
    tell(ran(minute, minute + 1));
    await owners.close();
    expect(refusals()).toBe(1);
  }
  rmSync(file, { recursive: true });
  await owners.close();
  expect(readFileSync(file, 'utf8')).toContain('alice');
  rmSync(file);
  block();
  await owners.close();
  expect(refusals()).toBe(2);
});

describe('a lab that is given away', () => {
  test('is the other one’s at once, and after a restart of the service and of the lab', async () => {
    const { owners, state, tell, file } = await machine();
    tell(ran(1, 3));
    await owners.give(lab(2), 'bob');
    expect(owners.ownerOf(lab(2))).toBe('bob');
    const again = await machine({ ended: [ran(1, 3)], now: lab(2) }, file);
    expect(again.owners.ownerOf(lab(2))).toBe('bob');
    state.labs = [lab(2)];
    tell(ran(5, 7, { action: 'restart' }));
    expect(owners.ownerOf(lab(6))).toBe('bob');
  });

  test('keeps its shares, which end with the lab', async () => {
    const { owners, tell, file } = await machine();
    const shares = [{ kind: 'user', name: 'eva', as: 'viewer' }] as const;
    tell(ran(1, 3));
    await owners.give(lab(2), 'bob');
    await owners.share(lab(2), shares);
    const again = await machine({ ended: [ran(1, 3)], now: lab(2) }, file);
    for (const { owners: either } of [{ owners }, again]) {
      expect(either.sharesOf(lab(2))).toEqual(shares);
      expect(either.ownerOf(lab(2))).toBe('bob');
    }
    await again.owners.give(lab(2), 'alice');
    expect(again.owners.sharesOf(lab(2))).toEqual([]);
    tell(ran(5, 7));
    expect(owners.sharesOf(lab(6))).toEqual([]);
    expect(owners.sharesOf({ ...lab(2), directory: null })).toEqual([]);
  });

  test('stays whose it is while a job is there, and when somebody objects', async () => {
    const { owners, state, tell } = await machine();
    tell(ran(1, 3));
    state.unfinished = [ran(5, null, { action: 'down' })];
    await expect(owners.give(lab(2), 'bob')).rejects.toMatchObject({ code: 'conflict' });
    state.unfinished = [];
    const object = (): never => {
      throw new Error('not yours');
    };
    await expect(owners.give(lab(2), 'bob', object)).rejects.toThrow('not yours');
    await expect(owners.give({ directory, startedAtMs: null }, 'bob')).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(owners.ownerOf(lab(2))).toBe('alice');
  });

  test('stays whose it is when the disk refuses', async () => {
    const { owners, tell, file } = await machine();
    tell(ran(1, 3));
    await owners.close();
    const kept = readFileSync(file, 'utf8');
    const place = path.dirname(file);
    chmodSync(place, 0o700);
    mkdirSync(`${file}.d`);
    const { owners: other } = await machine(
      { ended: [ran(1, 3)], now: lab(2) },
      path.join(place, 'gone', 'x.json'),
    );
    await expect(other.give(lab(2), 'bob')).rejects.toMatchObject({ code: 'storage-fault' });
    expect(other.ownerOf(lab(2))).toBe('alice');
    expect(readFileSync(file, 'utf8')).toBe(kept);
  });
});
