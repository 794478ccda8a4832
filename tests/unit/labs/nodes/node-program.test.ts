/**
 * Programs right here in place of a node. The way there goes on only in a process group of its own: a program ends its group, which must
 * not be that of the tests.
 */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { text as textOf } from 'node:stream/consumers';
import { RunningNodeProgram, type NodeProgram } from '../../../../src/labs/nodes/node-program.ts';
import { eventually } from '../../../support/eventually.ts';
import { holdTime, sessionHere } from '../../../support/session-here.ts';
import { emptyPlace, temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
afterEach(() => void jest.useRealTimers());

/** Runs this, and then what the words behind it say. */
const isInItsGroup = '[ "$(cut -d" " -f5 "/proc/$$/stat")" = $$ ]';
const way = (script: string): readonly string[] => [
  'sh',
  '-c',
  `${isInItsGroup} || exit 99; ${script}; exec "$@"`,
  'way',
];
/** In place of the way and all: says that it is in the node, and does this with what comes on standard input. */
const instead = (script: string): readonly string[] => ['sh', '-c', `echo 'lab: in the node' >&2; ${script}`];

function start(program: readonly string[], changes: Partial<NodeProgram> = {}) {
  const { session, processes } = sessionHere();
  const options = { way: way(':'), program, env: session.env, isMerged: false, ...changes };
  const running = new RunningNodeProgram(options);
  return { running, processes };
}
const sh = (script: string, changes: Partial<NodeProgram> = {}) => start(['sh', '-c', script], changes);

/** Has time pass until this has come. */
async function sooner<T>(promise: Promise<T>): Promise<T> {
  let has = false;
  const done = promise.finally(() => (has = true));
  await eventually('the end', () => {
    jest.advanceTimersByTime(500);
    return has;
  });
  return done;
}

describe('a program in a node', () => {
  test('gets its input and its end, and what it prints and says is told apart', async () => {
    const { running } = sh('cat; echo words >&2; exit 3', { input: 'ü\n\nend' });
    const text = textOf(running.output());
    expect(await running.begun).toBe(true);
    expect(await text).toBe('ü\n\nend');
    expect(await running.ended).toEqual({ exitCode: 3, words: 'words' });
  });

  test('that is not there is named', async () => {
    const { running } = start(['no-such-program', '-v']);
    const text = textOf(running.output());
    expect(await running.ended).toEqual({ exitCode: 127, words: 'lab: no-such-program: not found' });
    expect(await text).toBe('');
  });

  test('leaves no timer behind', async () => {
    holdTime();
    const { running } = sh('echo here');
    await textOf(running.output());
    await running.ended;
    const quiet = sh('setsid sleep 1000 &', { isMerged: true }).running;
    void textOf(quiet.output());
    await sooner(quiet.ended);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a node', () => {
  test('that is reached is not told by complaints on the way', async () => {
    const { running } = sh('echo words >&2; exit 1', { way: way('echo complaint >&2') });
    expect(await running.begun).toBe(true);
    expect(await running.ended).toEqual({ exitCode: 1, words: 'words' });
  });

  test('has much to say, of which the beginning is kept', async () => {
    const { running } = sh('head -c 1000000 /dev/zero | tr "\\0" x >&2; exit 1');
    const { words } = await running.ended;
    expect(words.length).toBeGreaterThanOrEqual(16 * 1024 - 'lab: in the node\n'.length);
    expect(words.length).toBeLessThan(16 * 1024 + 65_536);
  });
});

describe('what a program says', () => {
  test('is known when it comes, in pieces or not, and when it came before', async () => {
    const { running } = sh('printf liste >&2; sleep 0.1; echo ning >&2; exec sleep 1000');
    expect(await running.says('listening')).toBe(true);
    expect(await running.says('listening')).toBe(true);
    running.stop();
    await running.ended;
    expect(await running.says('listening')).toBe(true);
  });
});

describe('a program that is asked to end', () => {
  test('may do something before it does', async () => {
    holdTime();
    const { running } = sh('trap "echo whole; exit 5" TERM; echo ready >&2; while :; do sleep 0.05; done');
    await running.says('ready');
    running.interrupt();
    expect(await textOf(running.output())).toBe('whole\n');
    expect(await running.ended).toMatchObject({ exitCode: 5 });
    expect(jest.getTimerCount()).toBe(0);
  });

  test('is asked with a line, and with another one every half second, however often that is wanted', async () => {
    holdTime();
    const { running } = start([], { way: instead('cat') });
    await running.begun;
    const text = textOf(running.output());
    running.interrupt();
    running.interrupt();
    jest.advanceTimersByTime(1_499);
    running.stop();
    expect(await text).toBe('\n\n\n');
  });
});

describe('a program that is stopped', () => {
  let kill: jest.SpiedFunction<typeof process.kill>;
  beforeEach(() => void (kill = jest.spyOn(process, 'kill')));
  afterEach(() => void jest.restoreAllMocks());

  test('is gone with what it started, even when nobody reads what they print', async () => {
    holdTime();
    const { running, processes } = sh('trap "" TERM HUP INT; yes & yes');
    await running.begun;
    running.stop();
    expect(await running.ended).toMatchObject({ exitCode: null });
    await eventually('they are gone', () => processes().length === 0);
    // Its number may be another's by now.
    jest.advanceTimersByTime(2_000);
    expect(kill).not.toHaveBeenCalled();
  });

  test('is said to have been, whatever exit code the way there makes of that', async () => {
    const { running } = start(['sleep', '1000'], { way: way('setsid --wait "$@"; exit 137') });
    await running.begun;
    running.stop();
    expect(await running.ended).toMatchObject({ exitCode: null });
  });

  test('is gone although the way there does not end with it', async () => {
    holdTime();
    const { file } = emptyPlace(root);
    const script = 'trap "" TERM; sleep 1000 & echo >"$0"; exec sleep 1000';
    const { running, processes } = start([], { way: ['sh', '-c', script, file] });
    await eventually('it is under way', () => existsSync(file));
    running.stop();
    jest.advanceTimersByTime(1_999);
    await eventually('both are there', () => processes().length === 2);
    jest.advanceTimersByTime(1);
    expect(await running.ended).toEqual({ exitCode: null, words: '' });
    expect(await running.begun).toBe(false);
    await eventually('they are gone', () => processes().length === 0);
  });

  test('is waited for no longer than that, whatever has left its group and holds its pipes', async () => {
    holdTime();
    const { running, processes } = sh('setsid sh -c "echo here; exec sleep 1000" & exec sleep 1000');
    expect((await running.output().next()).value?.toString()).toBe('here\n');
    running.stop();
    await eventually('one is left', () => processes().length === 1);
    jest.advanceTimersByTime(2_000);
    expect(await running.ended).toMatchObject({ exitCode: null });
    await eventually('it is there', () => processes().length === 1);
  });

  test('after its end has ended by itself, and what it left stays', async () => {
    holdTime();
    const { running, processes } = sh('sleep 1000 & exit 3');
    await eventually('its end is noticed', () => jest.getTimerCount() > 0);
    running.stop();
    jest.advanceTimersByTime(2_000);
    expect(await running.ended).toMatchObject({ exitCode: 3 });
    expect(kill).not.toHaveBeenCalled();
    await eventually('it is there', () => processes().length === 1);
  });
});
