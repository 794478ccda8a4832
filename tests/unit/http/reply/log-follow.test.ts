import { describe, expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { followLogAsEvents, followLogAsText } from '../../../../src/http/reply/log-follow.ts';
import type { JobLog } from '../../../../src/jobs/model/job-log.ts';
import { AppError } from '../../../../src/lib/app-error.ts';
import { answerOf, type Answer } from '../../../support/answer-of.ts';
import { keptLog } from '../../../support/kept-log.ts';

interface Asked {
  readonly log: JobLog;
  readonly start?: number;
  readonly isPlain?: boolean;
  readonly method?: string;
  readonly shutdown?: AbortSignal;
}

async function follow(kind: typeof followLogAsText, asked: Asked): Promise<Answer & { error: unknown }> {
  const { log, start = 0, isPlain = false, method = 'GET' } = asked;
  const shutdown = asked.shutdown ?? new AbortController().signal;
  let error: unknown;
  const handle = async (req: Request, res: Response): Promise<void> => {
    try {
      await kind({ req, res, log, start, isPlain }, shutdown);
    } catch (thrown) {
      error = thrown;
    }
  };
  return { ...(await answerOf(handle, { method })), error };
}

/** One that throws this in the place of its end. */
function logThatThrows(error: unknown): JobLog {
  return keptLog({
    pieces: ['one\n'],
    atEnd: () => {
      throw error;
    },
  });
}

const coloured = ['\u001b[3', '1mred\n', '\u001b[0m'];

describe('as text', () => {
  test('is what comes, until the job has ended', async () => {
    const { status, headers, text, complete } = await follow(followLogAsText, {
      log: keptLog({ pieces: ['one\n', 'two\n'] }),
    });
    expect({ status, text, complete }).toEqual({ status: 200, text: 'one\ntwo\n', complete: true });
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
  });

  test('plain is without the sequences that chunks have cut', async () => {
    const log = keptLog({ pieces: coloured });
    expect(await follow(followLogAsText, { log, isPlain: true })).toMatchObject({ text: 'red\n' });
    expect(await follow(followLogAsText, { log })).toMatchObject({ text: coloured.join('') });
  });

  test('breaks off when the service shuts down: there is more', async () => {
    const shutdown = new AbortController();
    const log = keptLog({ pieces: ['one\n'], atEnd: () => shutdown.abort() });
    const { complete } = await follow(followLogAsText, { log, shutdown: shutdown.signal });
    expect(complete).toBe(false);
  });
});

describe('as events', () => {
  const running = 'event: state\ndata: {"id":"job-1","state":"running"}\n\n';
  const success = 'event: state\ndata: {"id":"job-1","state":"success"}\n\n';

  test('are the log with the offset after it, the states, and the end', async () => {
    const { headers, text } = await follow(followLogAsEvents, {
      log: keptLog({ pieces: ['one\n', '\u20ac'] }),
    });
    expect(headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(text).toBe(
      [
        running,
        'event: log\nid: 4\ndata: {"log":"one\\n","nextOffset":4}\n\n',
        'event: log\nid: 7\ndata: {"log":"\u20ac","nextOffset":7}\n\n',
        success,
        'event: end\nid: 7:end\ndata: {"state":"success","nextOffset":7}\n\n',
      ].join(''),
    );
  });

  test('plain: whoever resumes after an event gets the sequence whole that it has cut', async () => {
    const log = keptLog({ pieces: coloured });
    const { text } = await follow(followLogAsEvents, { log, isPlain: true });
    const logs = [...text.matchAll(/^event: log\nid: (\d+)\ndata: (.*)$/gm)];
    expect(logs.map(([, id, data]) => [id, JSON.parse(data!)])).toEqual([
      ['0', { log: '', nextOffset: 0 }],
      ['9', { log: 'red\n', nextOffset: 9 }],
      ['13', { log: '', nextOffset: 13 }],
    ]);
  });

  test('followers that are in step get the same bytes, and those who want text get text', async () => {
    const chunk = { bytes: Buffer.from('\u001b[31mred'), nextOffset: 8 };
    const log: JobLog = {
      ...keptLog({ pieces: [] }),
      async *follow() {
        yield { kind: 'log', chunk };
      },
    };
    const first = await follow(followLogAsEvents, { log });
    expect(await follow(followLogAsEvents, { log })).toMatchObject({ text: first.text });
    expect((await follow(followLogAsEvents, { log, isPlain: true })).text).toContain('"log":"red"');
  });

  test('a shutdown is told in the place of the end', async () => {
    const shutdown = new AbortController();
    const log = keptLog({ pieces: ['one\n'], atEnd: () => shutdown.abort() });
    const { text } = await follow(followLogAsEvents, { log, shutdown: shutdown.signal });
    expect(text).toContain('event: server-shutdown\n');
    expect(text).not.toContain('event: end');
  });

  test.each(['job-not-found', 'log-not-found'] as const)(
    '%s meanwhile: no end, so the client asks again',
    async (code) => {
      const { text, error } = await follow(followLogAsEvents, {
        log: logThatThrows(new AppError(code, 'gone')),
      });
      expect(text).toContain('event: log\n');
      expect(text).not.toContain('event: end');
      expect(error).toBeUndefined();
    },
  );

  test.each([new AppError('storage-fault', 'disk'), new Error('bug')])(
    '%s is for the caller',
    async (thrown) =>
      expect(await follow(followLogAsEvents, { log: logThatThrows(thrown) })).toMatchObject({
        error: thrown,
      }),
  );
});
