/** Guards right here in place of a node: what they end, what they leave alone, and what becomes of them. */
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { placeGuard, type SessionGuard } from '../../../../src/labs/nodes/session-guard.ts';
import { eventually } from '../../../support/eventually.ts';
import { holdTime, sessionHere } from '../../../support/session-here.ts';
import { emptyPlace, temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
afterEach(() => void jest.useRealTimers());

/** A guard of a new session, and what it is to guard. */
function ground(way: readonly string[] = []) {
  const { session, processes } = sessionHere();
  const name = randomUUID();
  const place = async () => placeGuard(way, name, session.env);
  return {
    processes,
    place,
    placed: async (): Promise<SessionGuard> => {
      const { guard, words } = await place();
      if (guard === undefined) throw new Error(`there is no guard: ${words}`);
      return guard;
    },
    /** A program of the session, or of another one; resolves when it runs, with its pid. */
    started: async (program: readonly string[], of: string = name): Promise<number> => {
      const [file = '', ...args] = program;
      const child = spawn(file, args, {
        env: { ...session.env, LAB_NODE_SESSION: of },
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      await new Promise((resolve) => void child.stdout.once('data', resolve));
      return child.pid ?? Number.NaN;
    },
  };
}

const stubborn = ['sh', '-c', 'trap "" HUP TERM INT; setsid sh -c "echo here; exec sleep 1000" & sleep 1000'];

describe('a guard', () => {
  test('that is told to end ends all of its session, whatever that ignores, and nothing else', async () => {
    const { placed, started, processes } = ground();
    const guard = await placed();
    const another = await started(['sh', '-c', 'echo here; exec sleep 1000'], 'another');
    await started(stubborn);
    await started(stubborn);
    await guard.end();
    await eventually('the other one is left', () => processes().join() === String(another));
  });

  test('that is dismissed goes, and ends nothing', async () => {
    const { placed, started, processes } = ground();
    const guard = await placed();
    const program = await started(['sh', '-c', 'echo here; exec sleep 1000']);
    guard.dismiss();
    await eventually('the program is left', () => processes().join() === String(program));
  });

  test('can be told to end when it has gone already', async () => {
    const guard = await ground(['sh', '-c', 'echo "lab: on guard" >&2']).placed();
    await guard.end();
    guard.dismiss();
  });

  test('is placed by the words that lead into the node, in a group of its own', async () => {
    const { file } = emptyPlace(root);
    const note = 'cut -d" " -f5 "/proc/$$/stat" >"$0"; echo $$ >>"$0"; exec "$@"';
    const { placed, processes } = ground(['sh', '-c', note, file]);
    const guard = await placed();
    const [group, pid] = readFileSync(file, 'utf8').trim().split('\n');
    expect(group).toBe(pid);
    await guard.end();
    expect(processes()).toEqual([]);
  });
});

describe('there is no guard', () => {
  test('where there is no such program', async () => {
    const { guard, words } = await ground(['/nonexistent/docker']).place();
    expect([guard, words]).toEqual([undefined, expect.stringContaining('ENOENT')]);
  });

  test('of a way that says too much', async () => {
    const { words } = await ground(['sh', '-c', 'head -c 1000000 /dev/zero >&2']).place();
    expect(words.length).toBeGreaterThanOrEqual(4096);
    expect(words.length).toBeLessThan(4096 + 65_537);
  });

  test('of a way that takes too long', async () => {
    holdTime();
    const { file } = emptyPlace(root);
    const { place, processes } = ground(['sh', '-c', 'echo >"$0"; exec sleep 1000', file]);
    const placing = place();
    await eventually('it is under way', () => existsSync(file));
    jest.advanceTimersByTime(9_999);
    await eventually('it is still there', () => processes().length === 1);
    jest.advanceTimersByTime(1);
    expect(await placing).toEqual({ guard: undefined, words: '' });
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a guard that takes too long', () => {
  test('to do its work is waited for no more', async () => {
    holdTime();
    const guard = await ground(['sh', '-c', 'echo "lab: on guard" >&2; exec sleep 1000']).placed();
    let hasEnded = false;
    const ended = guard.end().then(() => (hasEnded = true));
    jest.advanceTimersByTime(9_999);
    expect(hasEnded).toBe(false);
    jest.advanceTimersByTime(1);
    await ended;
    expect(jest.getTimerCount()).toBe(0);
  });

  test('to be needed stays on guard', async () => {
    holdTime();
    const { placed, started, processes } = ground();
    const guard = await placed();
    jest.advanceTimersByTime(3_600_000);
    await started(stubborn);
    await guard.end();
    expect(processes()).toEqual([]);
  });
});
