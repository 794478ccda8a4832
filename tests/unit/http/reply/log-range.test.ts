import { describe, expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { sendLogAsJson, sendLogAsText } from '../../../../src/http/reply/log-range.ts';
import { sendProblem, toAppError } from '../../../../src/http/reply/problem.ts';
import { answerOf, type Answer } from '../../../support/answer-of.ts';
import { keptLog } from '../../../support/kept-log.ts';

interface Asked {
  readonly pieces?: readonly string[];
  readonly complete?: boolean;
  readonly start?: number;
  readonly isPlain?: boolean;
  readonly method?: string;
  readonly range?: string;
  /** Whether it is a fault to read the log. */
  readonly isUnread?: boolean;
  /** Whether the query says where to start. */
  readonly hasExplicitStart?: boolean;
}

function ask(kind: 'json' | 'text', asked: Asked): Promise<Answer> {
  const { pieces = ['one\n', 'two\n'], complete = true, start = 0, isPlain = false } = asked;
  const handle = async (req: Request, res: Response): Promise<void> => {
    const kept = keptLog({ pieces, complete });
    const log = asked.isUnread ? { ...kept, read: () => Promise.reject(new Error('was read')) } : kept;
    const reply = { req, res, log, start, isPlain };
    try {
      if (kind === 'json') await sendLogAsJson(reply);
      else await sendLogAsText(reply, asked.hasExplicitStart ?? false);
    } catch (error) {
      sendProblem(toAppError(error), req, res);
    }
  };
  const { method = 'GET', range } = asked;
  return answerOf(handle, { method, headers: range === undefined ? {} : { Range: range } });
}

/** `plain` is text, `coloured` the same with escape sequences, `cut` ends within one. */
const coloured = '\u001b[31mred\u001b[0m\n';
const cut = `${coloured}and \u001b[3`;

describe('as JSON', () => {
  const json = async (asked: Asked): Promise<unknown> => JSON.parse((await ask('json', asked)).text);

  test('is the log, where it began, where it goes on and whether that is all', async () => {
    const { status, headers, text } = await ask('json', {});
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-cache',
    });
    expect(text).toBe('{"log":"one\\ntwo\\n","offset":0,"nextOffset":8,"complete":true}');
  });

  test('escapes what must be, and cuts no character', async () => {
    const log = '\ufeff"quoted" \\ \u20ac \u001b\u0000';
    expect(await json({ pieces: [log] })).toMatchObject({ log });
  });

  test('a character that never ends is replaced at the end', async () => {
    // The first three of the six bytes of two characters: one, and nothing of the other.
    expect(await json({ pieces: ['\u20ac\u20ac'], start: 4 })).toMatchObject({ log: '\ufffd\ufffd' });
  });

  test('from an offset, also one behind the end', async () => {
    expect(await json({ start: 4 })).toEqual({ log: 'two\n', offset: 4, nextOffset: 8, complete: true });
    expect(await json({ start: 99 })).toEqual({ log: '', offset: 99, nextOffset: 99, complete: true });
  });

  test('HEAD has no body, and nothing is read for it', async () =>
    expect(await ask('json', { method: 'HEAD', isUnread: true })).toMatchObject({ status: 200, text: '' }));

  test('plain is without sequences; offsets are those of the file', async () => {
    const nextOffset = coloured.length;
    expect(await json({ pieces: [coloured], isPlain: true })).toMatchObject({ log: 'red\n', nextOffset });
  });

  test('while it grows, plain ends before a sequence that is not whole yet', async () => {
    const asked = { pieces: [cut], complete: false };
    expect(await json({ ...asked, isPlain: true })).toMatchObject({
      log: 'red\nand ',
      nextOffset: cut.length - 3,
      complete: false,
    });
    expect(await json(asked)).toMatchObject({ log: cut, nextOffset: cut.length });
    expect(await json({ pieces: [cut], isPlain: true })).toMatchObject({ nextOffset: cut.length });
    expect(await json({ ...asked, isPlain: true, start: 99 })).toMatchObject({ nextOffset: 99 });
  });

  test('to find that, only the last of a long log is read', async () => {
    // The beginning of a sequence that never ends stands before what is looked at, so it is not held back.
    const long = `\u001b]0;${'x'.repeat(5000)}`;
    expect(await json({ pieces: [long], complete: false, isPlain: true })).toMatchObject({
      nextOffset: long.length,
    });
  });
});

describe('as text', () => {
  test('is the bytes', async () => {
    const { status, headers, text } = await ask('text', {});
    expect({ status, text }).toEqual({ status: 200, text: 'one\ntwo\n' });
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '8',
      'cache-control': 'no-cache',
      'accept-ranges': 'bytes',
      'x-log-next-offset': '8',
      'x-more-data': 'false',
    });
  });

  test.each([
    { range: 'bytes=0-2', complete: true, part: 'one', of: 'bytes 0-2/8', next: '3', more: 'true' },
    { range: 'bytes=4-7', complete: true, part: 'two\n', of: 'bytes 4-7/8', next: '8', more: 'false' },
    { range: 'bytes=4-', complete: false, part: 'two\n', of: 'bytes 4-7/8', next: '8', more: 'true' },
  ])('$range, complete: $complete', async ({ range, complete, part, of, next, more }) => {
    const { status, headers, text } = await ask('text', { range, complete });
    expect({ status, text }).toEqual({ status: 206, text: part });
    expect(headers).toMatchObject({
      'content-range': of,
      'content-length': String(part.length),
      'x-log-next-offset': next,
      'x-more-data': more,
    });
  });

  test('a range behind the end is told how long the log is', async () => {
    const { status, headers, text } = await ask('text', { range: 'bytes=8-' });
    expect(status).toBe(416);
    expect(headers['content-range']).toBe('bytes */8');
    expect(JSON.parse(text)).toMatchObject({ code: 'range-not-satisfiable' });
  });

  test('a start in the query goes before a range', async () => {
    const asked = { range: 'bytes=0-1', start: 4, hasExplicitStart: true };
    expect(await ask('text', asked)).toMatchObject({ status: 200, text: 'two\n' });
  });

  test('plain has no ranges, and no length before it is sent', async () => {
    const asked = { pieces: [coloured], isPlain: true, range: 'bytes=0-1' };
    const { status, headers, text } = await ask('text', asked);
    expect({ status, text }).toEqual({ status: 200, text: 'red\n' });
    expect(headers['accept-ranges']).toBe('none');
    expect(headers['content-length']).toBeUndefined();
    expect(headers['x-log-next-offset']).toBe(String(coloured.length));
  });
});
