import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { lookIntervalMs, UnusedWorkspaces } from '../../../../src/labs/workspaces/unused-workspaces.ts';
import type { WorkspaceUse } from '../../../../src/labs/workspaces/workspace-use.ts';
import { AppError } from '../../../../src/lib/app-error.ts';
import { bodyOf, Ground } from './ground.ts';
import { minute, TestClock } from './test-clock.ts';

const hour = 60 * minute;
const day = 24 * hour;
const keepMs = 30 * day;

let clock = new TestClock();
let ground: Ground;
/** Of the workspace `course`. */
let labIn: () => string | undefined;
let job: string | undefined;
const use: Partial<WorkspaceUse> = {
  labIn: (directory) => (directory === ground.at('course') ? labIn() : undefined),
  jobIn: (directory) => (directory === ground.at('course') ? job : undefined),
};
beforeEach(async () => {
  [clock, labIn, job] = [new TestClock(), () => undefined, undefined];
  ground = await Ground.make({ use, clock, limits: { keepMs } });
  await ground.workspaces.make('course', 'ann');
});

const unusedOf = (ms = keepMs) =>
  new UnusedWorkspaces({ workspaces: ground.workspaces, keepMs: ms, clock, log: ground.log });
const names = async () => ground.workspaces.store.names();
const messages = () => ground.log.entries.map(({ message }) => message);
/** A look, and another one an hour later. */
async function lookTwice(unused = unusedOf()): Promise<void> {
  await unused.look();
  clock.pass(hour);
  await unused.look();
}

describe('an unused workspace', () => {
  test('is removed at the second look, an hour after the first one', async () => {
    const unused = unusedOf();
    clock.pass(keepMs - minute);
    await unused.look();
    expect(messages()).toEqual([]);
    clock.pass(minute + 1000);
    await unused.look();
    clock.pass(hour - 1);
    await unused.look();
    expect([await names(), messages()]).toEqual([
      ['course'],
      ['a workspace is unused, and will be removed unless it is used'],
    ]);
    clock.pass(1);
    await unused.look();
    expect(await names()).toEqual([]);
    const { fields } = ground.log.entries.at(-1) ?? {};
    expect(messages().at(-1)).toBe('a workspace was removed because it was unused');
    expect(fields).toMatchObject({ workspace: 'course', owner: 'ann' });
    expect(ground.workspaces.uses.of('course')).toBeUndefined();
  });

  test('tells when it goes', async () => {
    const { createdAt, lastUsedAt, expiresAt } = await ground.workspaces.get('course');
    expect(Date.parse(expiresAt ?? '') - Date.parse(lastUsedAt)).toBe(keepMs);
    expect(Date.parse(lastUsedAt)).toBeGreaterThanOrEqual(Date.parse(createdAt));
  });

  test('stays when the service was off for long, until this one has looked for an hour', async () => {
    await ground.workspaces.uses.save();
    clock.restart(clock.nowMs() + 10 * keepMs);
    await unusedOf().look();
    clock.pass(10 * hour);
    // Started once more.
    await unusedOf().look();
    expect(await names()).toEqual(['course']);
  });

  test.each([
    [
      'write of a file',
      async () => void (await ground.files.write('course', 'a', bodyOf('a'), { check: () => undefined })),
    ],
    ['read of a file', async () => (await ground.files.open('course', 'file')).close()],
    ['removal of a file', async () => ground.files.remove('course', 'file', { check: () => undefined })],
    ['download', async () => ground.workspaces.withItems('course', async () => undefined)],
    ['second creation', async () => void (await ground.workspaces.make('course', 'bob'))],
    ['new owner', async () => ground.workspaces.setAccess('course', { owner: 'bob', shares: [] })],
    ['job', async () => ground.workspaces.noteJob(ground.at('course', 'below'), false)],
  ])('stays after a %s', async (_, act) => {
    writeFileSync(ground.at('course', 'file'), '');
    const unused = unusedOf();
    clock.pass(2 * keepMs);
    await unused.look();
    await act();
    clock.pass(hour);
    await unused.look();
    clock.pass(hour);
    await unused.look();
    expect(await names()).toEqual(['course']);
    expect(Date.parse((await ground.workspaces.get('course')).lastUsedAt)).toBe(clock.nowMs() - 2 * hour);
  });

  test('stays after a change of a file in a shell', async () => {
    clock.pass(2 * keepMs);
    writeFileSync(ground.at('course', 'file'), '');
    utimesSync(ground.at('course', 'file'), clock.nowMs() / 1000, clock.nowMs() / 1000);
    await lookTwice();
    expect(await names()).toEqual(['course']);
  });

  test('goes when its last use was a change of a file, whose time has a fraction of a millisecond', async () => {
    writeFileSync(ground.at('course', 'file'), 'work');
    utimesSync(ground.at('course', 'file'), clock.nowMs() / 1000 + 60.000_7, clock.nowMs() / 1000 + 60.000_7);
    clock.pass(2 * keepMs);
    await lookTwice();
    expect(await names()).toEqual([]);
  });

  test('stays when a file is changed in a shell after its size was measured', async () => {
    const { workspaces } = ground;
    clock.pass(2 * keepMs);
    const list = workspaces.list.bind(workspaces);
    workspaces.list = async () => {
      const listed = await list();
      // As a large workspace, or one that waits while another one is erased.
      writeFileSync(ground.at('course', 'file'), 'work');
      utimesSync(ground.at('course', 'file'), clock.nowMs() / 1000, clock.nowMs() / 1000);
      return listed;
    };
    await lookTwice();
    expect(await names()).toEqual(['course']);
  });

  test('stays when it is used between the second look and its removal', async () => {
    const unused = unusedOf();
    clock.pass(2 * keepMs);
    await ground.workspaces.make('other', null);
    await unused.look();
    clock.pass(hour);
    const { workspaces } = ground;
    const list = workspaces.list.bind(workspaces);
    workspaces.list = async () => {
      const listed = await list();
      workspaces.uses.note('course');
      return listed;
    };
    await unused.look();
    expect(await names()).toEqual(['course', 'other']);
    expect(messages().at(-1)).toBe('an unused workspace is kept for now');
  });

  test.each([
    ['a lab', () => (labIn = () => 'bgp'), () => (labIn = () => undefined)],
    ['a job', () => (job = 'job-1-abcdef'), () => (job = undefined)],
  ])('stays with %s, and counts from its end', async (_, begin, end) => {
    const unused = unusedOf();
    begin();
    clock.pass(2 * keepMs);
    await lookTwice(unused);
    expect((await ground.workspaces.get('course')).expiresAt).toBeNull();
    end();
    clock.pass(keepMs - minute);
    await lookTwice(unused);
    expect(await names()).toEqual(['course']);
    clock.pass(hour);
    await unused.look();
    expect(await names()).toEqual([]);
  });

  test('stays while it is unknown whether a lab is there', async () => {
    labIn = () => {
      throw new AppError('workspace-busy', 'unknown');
    };
    clock.pass(2 * keepMs);
    const unused = unusedOf();
    await lookTwice(unused);
    expect([await names(), messages().at(-1)]).toEqual([['course'], 'an unused workspace is kept for now']);
    labIn = () => undefined;
    await unused.look();
    expect(await names()).toEqual([]);
  });

  test('stays when a lab comes after the list was made', async () => {
    let asked = 0;
    labIn = () => ((asked += 1) > 2 ? 'bgp' : undefined);
    clock.pass(2 * keepMs);
    await lookTwice();
    expect(await names()).toEqual(['course']);
  });

  test.each([
    ['ahead', 40 * 365 * day],
    ['back', -30 * minute],
  ])('waits for one more hour when the clock is set %s', async (_, byMs) => {
    const unused = unusedOf();
    clock.pass(2 * keepMs);
    await unused.look();
    clock.set(byMs);
    await lookTwice(unused);
    expect(await names()).toEqual([]);
    expect(messages().filter((message) => message.startsWith('a workspace is unused'))).toHaveLength(2);
  });

  test('that was used under a clock that was behind stays for its time', async () => {
    await ground.workspaces.uses.save();
    const later = clock.nowMs() + 2 * keepMs;
    clock.restart(0);
    ground.workspaces.uses.note('course');
    const unused = unusedOf();
    await unused.look();
    clock.set(later);
    await lookTwice(unused);
    expect(await names()).toEqual(['course']);
  });

  test('goes sooner when the time is short', async () => {
    ground = await Ground.make({ use, clock, limits: { keepMs: 1000 } });
    await ground.workspaces.make('course', null);
    const unused = unusedOf(1000);
    clock.pass(2000);
    await unused.look();
    clock.pass(1000);
    await unused.look();
    expect(await names()).toEqual([]);
  });

  test('stays when the service did not make it, as does all that is no workspace', async () => {
    mkdirSync(ground.at('by-hand'));
    utimesSync(ground.at('by-hand'), 1, 1);
    symlinkSync('/etc', ground.at('link'));
    mkdirSync(ground.at('given'));
    await ground.workspaces.setAccess('given', { owner: 'bob', shares: [] });
    clock.pass(2 * keepMs);
    await lookTwice();
    expect(await names()).toEqual(['by-hand', 'given']);
    expect((await ground.workspaces.get('by-hand')).expiresAt).toBeNull();
  });

  test('stays when the service ends', async () => {
    const unused = unusedOf();
    clock.pass(2 * keepMs);
    await unused.look();
    clock.pass(hour);
    await unused.look(AbortSignal.abort());
    expect(await names()).toEqual(['course']);
  });

  test('stays when the disk refuses the list, which is logged', async () => {
    ground.workspaces.list = async () => Promise.reject(new Error('EIO'));
    await unusedOf().look();
    expect(ground.log.errors()).toEqual(['unused workspaces cannot be removed']);
  });
});

test.each([
  [1, 1000],
  [20_000, 5_000],
  [keepMs, hour],
])('the service checks a workspace that is kept for %d ms every %d ms', (ms, everyMs) => {
  expect(lookIntervalMs(ms)).toBe(everyMs);
});

test('a time beyond all dates is the last one that there is', async () => {
  ground = await Ground.make({ use, clock, limits: { keepMs: Number.MAX_SAFE_INTEGER } });
  await ground.workspaces.make('course', null);
  expect((await ground.workspaces.get('course')).expiresAt).toBe('9999-12-31T23:59:59.999Z');
});
