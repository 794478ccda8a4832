/** Programs right here that print the log of a node, or why there is none. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { writeFileSync } from 'node:fs';
import timers from 'node:timers/promises';
import { text as textOf } from 'node:stream/consumers';
import { startLog } from '../../../../src/labs/nodes/node-log.ts';
import { eventually } from '../../../support/eventually.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { sessionHere } from '../../../support/session-here.ts';
import { emptyPlace, temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();

/** Ends the waits so far. A log is waited for until the test says so; `eventually` is not. */
let giveUp: () => void;
let waits: number;
beforeEach(() => {
  waits = 0;
  const real = timers.setTimeout;
  const giveUps: (() => void)[] = [];
  giveUp = () => giveUps.splice(0).forEach((end) => end());
  jest.spyOn(timers, 'setTimeout').mockImplementation(async (ms, value, options) => {
    if (ms !== 500) return real(ms, value, options);
    waits += 1;
    return new Promise((resolve) => void giveUps.push(() => resolve(value)));
  });
});
afterEach(() => void jest.restoreAllMocks());

const gone = 'Error response from daemon: No such container: r1';
/** Prints `before`, waits until the test has opened the gate, and prints what comes then. */
function gated(before: string, then: string) {
  const gate = emptyPlace(root).file;
  const script = 'printf %s "$1"; until [ -e "$0" ]; do sleep 0.05; done; printf %s "$2"';
  return { program: ['sh', '-c', script, gate, before, then], open: () => writeFileSync(gate, '') };
}

describe('a log', () => {
  test('has both streams of what prints it, and gives its place back at the end', async () => {
    const { session, placesGivenBack } = sessionHere();
    const log = await startLog(session, [
      'sh',
      '-c',
      'echo one; echo two >&2; sleep 0.1; echo three; exit 1',
    ]);
    expect(await textOf(log)).toBe('one\ntwo\nthree\n');
    await eventually('its place is free', () => placesGivenBack() === 1);
  });

  test('of a node that prints nothing yet is there, and has what comes later', async () => {
    const { program, open } = gated('', 'later');
    const starting = startLog(sessionHere().session, program);
    await eventually('it is waited for', () => waits === 1);
    giveUp();
    const log = await starting;
    open();
    expect(await textOf(log)).toBe('later');
  });

  test('may begin with the words of an engine, when it ends well', async () => {
    const log = await startLog(sessionHere().session, ['echo', gone]);
    expect(await textOf(log)).toBe(`${gone}\n`);
  });

  test('may begin with the words of an engine, when it goes on', async () => {
    const { program, open } = gated(gone, ' and more');
    const starting = startLog(sessionHere().session, program);
    await eventually('its end is waited for', () => waits === 2);
    giveUp();
    const log = await starting;
    open();
    expect(await textOf(log)).toBe(`${gone} and more`);
  });

  test('is ended when nobody reads it any more, and leaves no listener', async () => {
    const { session, abort, processes, placesGivenBack } = sessionHere();
    await startLog(session, ['sh', '-c', 'echo here; exec sleep 1000']);
    abort.abort();
    await eventually('it is gone', () => processes().length === 0);
    await eventually('its place is free', () => placesGivenBack() === 1);
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  });

  test('does not stay when its reader left before it began', async () => {
    const { session, abort, processes } = sessionHere();
    abort.abort();
    expect(await textOf(await startLog(session, ['sleep', '1000']))).toBe('');
    await eventually('it is gone', () => processes().length === 0);
  });
});

describe('in place of a log', () => {
  test.each([
    [gone, 'lab-not-up', 'the node r1 is not up'],
    ['permission denied while trying to connect', 'lab-cli-failed', 'the node r1 was not reached'],
  ])('"%s" is why there is none', async (words, code, message) => {
    const { session, placesGivenBack } = sessionHere();
    const failure = await failureOf(startLog(session, ['sh', '-c', `echo '${words}' >&2; exit 1`]));
    expect(failure).toMatchObject({ code, message: `${message}: ${words}` });
    expect(placesGivenBack()).toBe(1);
  });
});
