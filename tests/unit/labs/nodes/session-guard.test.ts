/** Guards right here in place of a node: what they end, what they leave alone, and what becomes of them. */
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { nameSession, placeGuard, type SessionGuard } from '../../../../src/labs/nodes/session-guard.ts';
import { eventually } from '../../../support/eventually.ts';
import { requirement, testUnless } from '../../../support/requirements.ts';
import { holdTime, sessionHere } from '../../../support/session-here.ts';
import { emptyPlace, temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
afterEach(() => void jest.useRealTimers());

/** Guards of new sessions, and what they are to guard. */
function ground(way: readonly string[] = [], more: Readonly<Record<string, string>> = {}) {
  const { session, processes } = sessionHere({ env: more });
  const name = nameSession();
  const place = async () => placeGuard(way, session.env);
  return {
    name,
    processes,
    /** Resolves when these are there alone. A program that is being started shows itself late. */
    left: async (...pids: readonly number[]) =>
      eventually('the others are left', () => {
        const found = processes();
        return found.length === pids.length && pids.every((pid) => found.includes(pid));
      }),
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

const plain = ['sh', '-c', 'echo here; exec sleep 1000'];
/** Ignores signals, makes a session of its own, and forks twice. */
const stubbornly =
  'trap "" HUP TERM INT; setsid sh -c "(sleep 999& sleep 999)& echo here; exec sleep 999"& sleep 999';
const stubborn = ['sh', '-c', stubbornly];

/** A way whose input comes from a program that can be killed in place of the service; its pid is in the file before the guard is there. */
const killable = (file: string): readonly string[] => [
  'sh',
  '-c',
  `sh -c 'echo $$ >"$1"; exec cat' sh "$0" | { until [ -s "$0" ]; do sleep 0.01; done; "$@"; }`,
  file,
];
const killService = (file: string): void => void process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');

describe('a guard', () => {
  test('that is told to end a session ends all of it, whatever that ignores, and nothing else', async () => {
    const { name, placed, started, left } = ground();
    const guard = await placed();
    const another = await started(plain, nameSession());
    const nobodys = await started(plain, '');
    await started(stubborn);
    await started(stubborn);
    await guard.end(name);
    await guard.release();
    await left(another, nobodys);
  });

  test('is one for all at the same place, and leaves with the last of them without ending anything', async () => {
    const { placed, started, processes, left } = ground();
    const [one, other] = await Promise.all([placed(), placed()]);
    expect(other).toBe(one);
    // It tries out a program at first.
    await eventually('there is one', () => processes().length === 1);
    const [guard = Number.NaN] = processes();
    const program = await started(plain);
    await one.release();
    await left(guard, program);
    await one.release();
    await left(program);
    const next = await placed();
    expect(next).not.toBe(one);
    await next.release();
  });

  test('can be told to end a session when it has gone already; then another one is placed', async () => {
    const { name, placed } = ground(['sh', '-c', 'echo "lab: on guard" >&2; read -r _']);
    const guard = await placed();
    await guard.end(name);
    await guard.end(name);
    const next = await placed();
    expect(next).not.toBe(guard);
    await Promise.all([next.release(), guard.release()]);
  });

  test('is placed by the words that lead into the node, in a group of its own', async () => {
    const { file } = emptyPlace(root);
    const note = 'cut -d" " -f5 "/proc/$$/stat" >"$0"; echo $$ >>"$0"; exec "$@"';
    const { placed, processes } = ground(['sh', '-c', note, file]);
    const guard = await placed();
    const [group, pid] = readFileSync(file, 'utf8').trim().split('\n');
    expect(group).toBe(pid);
    await guard.release();
    expect(processes()).toEqual([]);
  });

  test('is asked once for all sessions that end while it is at work', async () => {
    const { file } = emptyPlace(root);
    const [asked, go] = [`${file}.asked`, `${file}.go`];
    const { placed } = ground([
      'sh',
      '-c',
      `echo 'lab: on guard' >&2
while read -r line; do
  echo "$line" >>'${asked}'
  while [ ! -e '${go}' ]; do sleep 0.01; done
  [ "$line" != leave ] || exit
  echo "$line"
done`,
    ]);
    const guard = await placed();
    const first = guard.end('a');
    await eventually('it is at work', () => existsSync(asked));
    const others = ['b', 'c'].map(async (name) => guard.end(name));
    writeFileSync(go, '');
    await Promise.all([first, ...others]);
    await guard.release();
    expect(readFileSync(asked, 'utf8')).toBe('a\nb c\nleave\n');
  });
});

describe('when the service is killed', () => {
  const canUnshare = spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0;
  const { it, because } = testUnless(canUnshare ? undefined : 'no namespaces can be made here');

  test('its guard ends all its sessions, whatever they ignore, and nothing else', async () => {
    const { file } = emptyPlace(root);
    const { placed, started, left } = ground(killable(file));
    await placed();
    const ofAnother = await started(plain, `${randomUUID()}.${randomUUID()}`);
    const nobodys = await started(plain, '');
    await started(stubborn);
    await started(stubborn, nameSession());
    await started(plain, nameSession());
    killService(file);
    await left(ofAnother, nobodys);
  });

  test('the same is so where grep reads no further than to a NUL byte, and sleep knows no fractions', async () => {
    const { directory: bin, file } = emptyPlace(root);
    const programs = {
      grep: 'case $1 in *z*) exit 2 ;; esac',
      sleep: 'case $1 in *.*) echo "invalid number" >&2; exit 1 ;; esac',
    };
    for (const [name, script] of Object.entries(programs)) {
      const text = `#!/bin/sh\n${script}\nexec ${requirement(name).file} "$@"\n`;
      writeFileSync(path.join(bin, name), text, { mode: 0o755 });
    }
    const PATH = `${bin}:${process.env['PATH']}`;
    const { name, placed, started, left } = ground(killable(file), { PATH });
    const guard = await placed();
    const nobodys = await started(plain, '');
    await started(stubborn);
    const another = await started(plain, nameSession());
    await guard.end(name);
    process.kill(another, 0);
    killService(file);
    await left(nobodys);
  });

  it(`a process that has got the pid of one of its sessions is left alone${because}`, async () => {
    const { file } = emptyPlace(root);
    const [ready, result] = [`${file}.ready`, `${file}.result`];
    const name = nameSession();
    // The first process of a PID namespace, where the next pid can be chosen.
    const script = `exec 3<&0; "$@" <&3 & guard=$!
LAB_NODE_SESSION=${name} sleep 1000 & stays=$!
while :; do
  LAB_NODE_SESSION=${name} sleep 1000 & pid=$!
  kill $pid; wait $pid
  echo $((pid - 1)) >/proc/sys/kernel/ns_last_pid
  sleep 1000 & [ $! != $pid ] || break
  kill $!
done
touch '${ready}'
{ wait $guard $stays; echo "$?"; kill -0 $pid && echo alive; } >'${result}.new'
mv '${result}.new' '${result}'`;
    const namespace = [
      'unshare',
      '--pid',
      '--fork',
      '--mount-proc',
      '--kill-child',
      'sh',
      '-c',
      script,
      'sh',
    ];
    const { placed, left } = ground([...killable(file), ...namespace]);
    await placed();
    await eventually('the pid is reused', () => existsSync(ready));
    killService(file);
    await eventually('the guard has left', () => existsSync(result));
    expect(readFileSync(result, 'utf8')).toBe('137\nalive\n');
    await left();
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
  test('to do its work is waited for no more, and is killed when it does not leave', async () => {
    holdTime();
    const script = 'echo "lab: on guard" >&2; read -r _; exec sleep 1000';
    const { name, placed, processes } = ground(['sh', '-c', script]);
    const guard = await placed();
    for (const action of [async () => guard.end(name), async () => guard.release()]) {
      let isDone = false;
      const done = action().then(() => (isDone = true));
      // It begins in a turn of its own.
      await eventually('it is under way', () => jest.getTimerCount() === 1);
      jest.advanceTimersByTime(9_999);
      await eventually('it is still there', () => processes().length === 1);
      expect(isDone).toBe(false);
      jest.advanceTimersByTime(1);
      await done;
      expect(jest.getTimerCount()).toBe(0);
    }
    expect(processes()).toEqual([]);
  });

  test('and answers late has not answered those who ask then', async () => {
    holdTime();
    const { file } = emptyPlace(root);
    const { placed } = ground([
      'sh',
      '-c',
      `echo 'lab: on guard' >&2
read -r first; read -r second; echo "$first"; echo "$first" >"$0"
while [ -e "$0" ]; do sleep 0.01; done; echo "$second"`,
      file,
    ]);
    const guard = await placed();
    const first = guard.end('a');
    await eventually('it is asked', () => jest.getTimerCount() === 1);
    jest.advanceTimersByTime(10_000);
    await first;
    let isDone = false;
    const second = guard.end('b').then(() => (isDone = true));
    await eventually('it has answered the first', () => existsSync(file));
    expect(isDone).toBe(false);
    rmSync(file);
    await second;
    await guard.release();
  });

  test('to be needed stays on guard', async () => {
    holdTime();
    const { name, placed, started, processes } = ground();
    const guard = await placed();
    jest.advanceTimersByTime(3_600_000);
    await started(stubborn);
    await guard.end(name);
    await guard.release();
    expect(processes()).toEqual([]);
  });
});
