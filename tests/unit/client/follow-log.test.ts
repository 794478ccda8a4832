import { describe, expect, test } from '@jest/globals';
import { LabApiClient } from '../../../src/client/lab-api-client.ts';
import { UnexpectedReply } from '../../../src/client/service-error.ts';
import { collect, jobReply as job, events, json, scriptedServers } from '../../support/scripted-server.ts';

/** As long as a service may be away here: for one pause, before the second attempt. */
const patienceMs = 300;
const startServer = scriptedServers();

const piece = (log: string, nextOffset: number) =>
  `event: log\nid: ${nextOffset}\ndata: ${JSON.stringify({ log, nextOffset })}`;
const end = 'event: end\ndata: {"state":"success"}';

describe('a log', () => {
  test('comes in pieces, with the states, until its end, and then the connection is let go', async () => {
    const { url, asked } = await startServer((res) => {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const odd = 'event: of-the-future\ndata: {}';
      for (const event of [piece('a\n', 2), odd, `event: state\ndata: ${JSON.stringify(job)}`, end])
        res.write(`${event}\n\n`);
      // And nothing more: the reply stays open.
    });
    expect(await collect(new LabApiClient({ url }).followLog('a/b', { patienceMs }))).toEqual([
      { kind: 'log', text: 'a\n', nextOffset: 2 },
      { kind: 'state', job },
      { kind: 'end', state: 'success' },
    ]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ method: 'GET', target: '/jobs/a%2Fb/log' });
    expect(asked[0]?.headers.accept).toBe('text/event-stream');
    expect(asked[0]?.headers['last-event-id']).toBeUndefined();
  });

  test('goes on after the last piece when the connection breaks, and asks for the last lines only once', async () => {
    const lost: string[] = [];
    const { url, asked } = await startServer(
      events(piece('a\n', 2), 'event: of-the-future\ndata: {}'),
      events(piece('b\n', 4), end),
    );
    const news = new LabApiClient({ url }).followLog('j', {
      patienceMs,
      tail: 5,
      plain: true,
      onLost: ({ message }) => lost.push(message),
    });
    expect((await collect(news)).map(({ kind }) => kind)).toEqual(['log', 'log', 'end']);
    expect(asked.map(({ target }) => target)).toEqual([
      '/jobs/j/log?plain=true&tail=5',
      '/jobs/j/log?plain=true',
    ]);
    expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2']);
    expect(lost).toEqual(['the events broke off']);
  });

  test('is over when the service has no more to say', async () => {
    const { url, asked } = await startServer(events(piece('a', 1)), (res) => void res.writeHead(204).end());
    expect(await collect(new LabApiClient({ url }).followLog('j', { patienceMs }))).toHaveLength(1);
    expect(asked).toHaveLength(2);
  });

  test('of characters that are cut comes whole', async () => {
    const bytes = Buffer.from(`${piece('€', 3)}\n\n${end}\n\n`);
    const cut = bytes.indexOf('€') + 1;
    const { url } = await startServer((res) => {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      res.write(bytes.subarray(0, cut), () => setImmediate(() => res.end(bytes.subarray(cut))));
    });
    expect((await collect(new LabApiClient({ url }).followLog('j', { patienceMs })))[0]).toMatchObject({
      text: '€',
    });
  });

  test.each([
    ['event: log\ndata: {"log":5,"nextOffset":1}', /"log" does not tell/],
    ['event: log\ndata: {"log":"a"}', /"log" does not tell/],
    ['event: log\ndata: {"log":"a","state":"success"}', /"log" does not tell/],
    ['event: end\ndata: {"log":"a","nextOffset":1}', /"end" does not tell/],
    ['event: end\ndata: {"state":5}', /"end" does not tell/],
    ['event: state\ndata: {}', /the reply is no job/],
    ['event: log\ndata: 5', /no JSON object/],
    [`data: ${'x'.repeat(9 * 1024 * 1024)}`, /an event has no end/],
  ])('of another service is not followed: %#', async (event, sentence) => {
    const { url, asked } = await startServer(events(event));
    const following = collect(new LabApiClient({ url }).followLog('j', { patienceMs: 0 }));
    await expect(following).rejects.toThrow(UnexpectedReply);
    await expect(following).rejects.toThrow(sentence);
    expect(asked).toHaveLength(1);
  });

  test('that is refused is not asked for again', async () => {
    const { url, asked } = await startServer(json({ detail: 'no such job' }, 404));
    await expect(collect(new LabApiClient({ url }).followLog('j', { patienceMs }))).rejects.toThrow(
      'no such job',
    );
    expect(asked).toHaveLength(1);
  });

  test('ends with the reason for which somebody stopped it', async () => {
    const stop = new AbortController();
    const { url } = await startServer((res) => {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(`${piece('a', 1)}\n\n`);
    });
    const news = new LabApiClient({ url }).followLog('j', { patienceMs, signal: stop.signal });
    await news.next();
    const next = news.next();
    stop.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
  });
});
