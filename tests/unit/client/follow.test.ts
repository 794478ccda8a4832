import { describe, expect, test } from '@jest/globals';
import { LabApiClient } from '../../../src/client/lab-api-client.ts';
import { UnexpectedReply } from '../../../src/client/service-error.ts';
import { collect, jobReply as job, events, scriptedServers } from '../../support/scripted-server.ts';

/** Enough for one pause and a second attempt. */
const patienceMs = 300;
const startServer = scriptedServers();

const piece = (log: string, nextOffset: number) =>
  `event: log\nid: ${nextOffset}\ndata: ${JSON.stringify({ log, nextOffset })}`;
const end = 'event: end\ndata: {"state":"success"}';

describe('the events of a service', () => {
  test('come in order, without those of unknown types', async () => {
    const list = ['snapshot', 'ready', 'service', 'reset', 'future'].map(
      (kind) => `event: ${kind}\ndata: {"a":1}`,
    );
    const told = [
      ...list,
      `event: job\ndata: ${JSON.stringify({ job })}`,
      'event: lab\ndata: {"lab":{}}',
      'data: {}',
    ];
    const { url, asked } = await startServer(events(...told), (res) => void res.writeHead(204).end());
    const news = new LabApiClient({ url }).followEvents(
      { types: ['job', 'lab'], action: 'up' },
      { patienceMs },
    );
    expect(await collect(news)).toEqual([
      { kind: 'snapshot', data: { a: 1 } },
      { kind: 'ready', data: { a: 1 } },
      { kind: 'service', data: { a: 1 } },
      { kind: 'reset', data: { a: 1 } },
      { kind: 'job', data: { job } },
      { kind: 'lab', data: { lab: {} } },
    ]);
    expect(asked[0]?.target).toBe('/events?types=job&types=lab&action=up');
  });

  test.each(['job', 'lab'])('of type %s must contain one', async (kind) => {
    const { url } = await startServer(events(`event: ${kind}\ndata: {"job":5,"lab":5}`));
    await expect(collect(new LabApiClient({ url }).followEvents({}, { patienceMs }))).rejects.toThrow(
      new UnexpectedReply(`the event "${kind}" does not have the expected data`),
    );
  });
});

describe('the log of a job', () => {
  test('comes in pieces with the states of the job, and closes the connection at the end', async () => {
    const { url, asked } = await startServer((res) => {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const odd = 'event: of-the-future\ndata: {}';
      for (const event of [piece('a\n', 2), odd, `event: state\ndata: ${JSON.stringify(job)}`, end])
        res.write(`${event}\n\n`);
      // The reply stays open.
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

  test('continues after the last piece when the connection is lost, without `tail`', async () => {
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
    expect(lost).toEqual(['the connection was lost while events were sent']);
  });

  test('ends when the service replies 204', async () => {
    const { url, asked } = await startServer(events(piece('a', 1)), (res) => void res.writeHead(204).end());
    expect(await collect(new LabApiClient({ url }).followLog('j', { patienceMs }))).toHaveLength(1);
    expect(asked).toHaveLength(2);
  });

  test.each([
    ['event: log\ndata: {"log":5,"nextOffset":1}', /"log" does not have/],
    ['event: log\ndata: {"log":"a"}', /"log" does not have/],
    ['event: log\ndata: {"log":"a","state":"success"}', /"log" does not have/],
    ['event: end\ndata: {"log":"a","nextOffset":1}', /"end" does not have/],
    ['event: end\ndata: {"state":5}', /"end" does not have/],
    ['event: state\ndata: {}', /the reply is not a job/],
    ['event: log\ndata: 5', /not a JSON object/],
  ])('rejects the unexpected event %j', async (event, sentence) => {
    const { url, asked } = await startServer(events(event));
    const following = collect(new LabApiClient({ url }).followLog('j', { patienceMs: 0 }));
    await expect(following).rejects.toThrow(UnexpectedReply);
    await expect(following).rejects.toThrow(sentence);
    expect(asked).toHaveLength(1);
  });
});
