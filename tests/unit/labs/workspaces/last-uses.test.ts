import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { LastUses } from '../../../../src/labs/workspaces/last-uses.ts';
import { eventually } from '../../../support/eventually.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { minute, TestClock } from './test-clock.ts';

const base = temporaryDirectory();
let [directory, clock, log] = ['', new TestClock(), new MemoryLogger()];
beforeEach(() => {
  directory = mkdtempSync(path.join(base, 'uses-'));
  [clock, log] = [new TestClock(), new MemoryLogger()];
});

const make = () => new LastUses({ directory: () => directory, clock, log });
const writtenMs = (name: string): number => Math.round(statSync(path.join(directory, name)).mtimeMs);
/** The uses as the next service knows them. */
async function next(...names: readonly string[]): Promise<LastUses> {
  const uses = make();
  await uses.load(names);
  return uses;
}

describe('the last use of a workspace', () => {
  test('is known at once, and by the next service', async () => {
    const uses = make();
    expect(uses.of('a')).toBeUndefined();
    uses.note('a');
    expect(uses.of('a')).toBe(clock.nowMs());
    await eventually('the use is on disk', () => writtenMs('a') === clock.nowMs());
    expect((await next('a', 'b')).of('a')).toBe(clock.nowMs());
    expect((await next('a', 'b')).of('b')).toBeUndefined();
  });

  test('is written once a minute, and when the service stops', async () => {
    const uses = make();
    uses.note('a');
    await eventually('the use is on disk', () => writtenMs('a') === clock.nowMs());
    const first = clock.nowMs();
    clock.pass(minute - 1);
    uses.note('a');
    // In its turn after that of the note.
    await new Promise(setImmediate);
    expect(writtenMs('a')).toBe(first);
    await uses.save();
    expect(writtenMs('a')).toBe(clock.nowMs());
    clock.pass(minute);
    uses.note('a');
    await eventually('the use is on disk', () => writtenMs('a') === clock.nowMs());
  });

  test('may be known from elsewhere, unless a later one is', async () => {
    const uses = make();
    uses.noteEarlier('a', 5);
    expect(uses.of('a')).toBe(5);
    uses.noteEarlier('a', 4);
    expect(uses.of('a')).toBe(5);
    uses.note('a');
    uses.noteEarlier('a', 6);
    expect(uses.of('a')).toBe(clock.nowMs());
  });

  test('is forgotten with the workspace', async () => {
    const uses = make();
    uses.note('a');
    await uses.save();
    await uses.forget('a');
    expect([uses.of('a'), readdirSync(directory)]).toEqual([undefined, []]);
    await uses.forget('a');
  });

  test.each([
    ['ahead', 40 * 365 * 24 * 60 * minute],
    ['back', -40 * 365 * 24 * 60 * minute],
  ])('stays as long ago when the clock is set %s', async (_, byMs) => {
    const uses = make();
    uses.note('a');
    clock.pass(minute);
    clock.set(byMs);
    expect(uses.of('a')).toBe(clock.nowMs() - minute);
    clock.pass(minute);
    await uses.save();
    expect(uses.of('a')).toBe(clock.nowMs() - 2 * minute);
  });

  test('is not overwritten by a clock that is behind it', async () => {
    const uses = make();
    uses.note('a');
    await uses.save();
    const good = clock.nowMs();
    clock.restart(0);
    const restarted = await next('a');
    restarted.note('a');
    await restarted.save();
    expect(writtenMs('a')).toBe(good);
    clock.set(good + minute - clock.nowMs());
    await restarted.save();
    expect(writtenMs('a')).toBe(good + minute);
  });

  test('that the disk refuses is logged, and written later', async () => {
    const uses = make();
    rmSync(directory, { recursive: true });
    uses.note('a');
    await eventually('the refusal is in the log', () => log.entries.length > 0);
    const fields = { workspace: 'a', cause: expect.stringContaining('ENOENT') };
    expect(log.entries[0]).toMatchObject({ level: 'warn', fields });
    mkdirSync(directory);
    await uses.save();
    expect(writtenMs('a')).toBe(clock.nowMs());
  });

  test('is never written through a link', async () => {
    const victim = path.join(base, 'victim');
    writeFileSync(victim, '');
    utimesSync(victim, 1, 1);
    symlinkSync(victim, path.join(directory, 'a'));
    const uses = make();
    uses.note('a');
    await uses.save();
    expect(statSync(victim).mtimeMs).toBe(1000);
  });
});
