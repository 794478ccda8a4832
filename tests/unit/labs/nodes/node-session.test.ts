/** Programs that run right here in place of a node, for as long as somebody wants them. */
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { look, startProgram } from '../../../../src/labs/nodes/node-session.ts';
import { eventually } from '../../../support/eventually.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { holdTime, sessionHere } from '../../../support/session-here.ts';

afterEach(() => void jest.useRealTimers());

describe('a program that is started', () => {
  test('gives its place back once, when it has ended', async () => {
    const { session, abort, placesGivenBack } = sessionHere();
    const running = startProgram(session, ['cat', '/dev/null'], false);
    expect([placesGivenBack(), getEventListeners(abort.signal, 'abort').length]).toEqual([0, 1]);
    expect(await running.ended).toMatchObject({ exitCode: 0 });
    expect([placesGivenBack(), getEventListeners(abort.signal, 'abort').length]).toEqual([1, 0]);
  });

  test('is ended when nobody wants it any more', async () => {
    const { session, abort, processes, placesGivenBack } = sessionHere();
    const running = startProgram(session, ['sleep', '1000'], false);
    expect(await running.begun).toBe(true);
    abort.abort();
    expect(await running.ended).toMatchObject({ exitCode: null });
    expect(placesGivenBack()).toBe(1);
    await eventually('it is gone', () => processes().length === 0);
  });

  test('does not stay when nobody wanted it any more before', async () => {
    const { session, abort, processes } = sessionHere();
    abort.abort();
    expect(await startProgram(session, ['sleep', '1000'], false).ended).toMatchObject({ exitCode: null });
    await eventually('it is gone', () => processes().length === 0);
  });

  test.each([
    [true, 'out\nerr\n', ''],
    [false, 'out\n', 'err'],
  ])('has its two streams merged, or apart (%j)', async (isMerged, output, words) => {
    const script = 'echo out; echo err >&2';
    const running = startProgram(sessionHere().session, ['sh', '-c', script], isMerged);
    const pieces: Buffer[] = [];
    for await (const piece of running.output()) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe(output);
    expect(await running.ended).toMatchObject({ words });
  });
});

describe('a look', () => {
  test('tells all that was printed, what was said of it, and how it ended', async () => {
    const { session, placesGivenBack } = sessionHere();
    const script = 'printf ü; sleep 0.1; echo two; echo words >&2; exit 3';
    expect(await look(session, ['sh', '-c', script])).toEqual({
      exitCode: 3,
      output: 'ütwo\n',
      words: 'words',
    });
    // Another look may follow, in the same place.
    expect(placesGivenBack()).toBe(0);
  });

  test('into a node that is not reached fails with what was said of it', async () => {
    const way = ['sh', '-c', 'echo "No such container: r1" >&2; exit 1'];
    expect(await failureOf(look(sessionHere({ way }).session, ['true']))).toMatchObject({
      code: 'lab-not-up',
      message: 'the node r1 is not up: No such container: r1',
    });
  });

  test('that takes too long is ended', async () => {
    holdTime();
    const { session, processes } = sessionHere();
    const looked = failureOf(look(session, ['sleep', '1001']));
    await eventually('it runs', () => processes().length > 0);
    jest.advanceTimersByTime(14_999);
    expect(processes()).not.toEqual([]);
    jest.advanceTimersByTime(1);
    expect(await looked).toMatchObject({
      code: 'lab-cli-timeout',
      message: 'the node r1 did not answer in time',
    });
    await eventually('it is gone', () => processes().length === 0);
  });

  test('that has ended waits for nothing more', async () => {
    holdTime();
    await look(sessionHere().session, ['true']);
    expect(jest.getTimerCount()).toBe(0);
  });
});
