import { describe, expect, test } from '@jest/globals';
import { LabApiClient } from '../../../src/client/lab-api-client.ts';
import { UnexpectedReply } from '../../../src/client/service-error.ts';
import { collect, jobReply as job, events, scriptedServers } from '../../support/scripted-server.ts';

/** As long as a service may be away here: for one pause, before the second attempt. */
const patienceMs = 300;
const startServer = scriptedServers();

describe('what happens', () => {
  test('is told as it comes; what a newer service says besides is left out', async () => {
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

  test.each(['job', 'lab'])('of a %s without one is unexpected', async (kind) => {
    const { url } = await startServer(events(`event: ${kind}\ndata: {"job":5,"lab":5}`));
    await expect(collect(new LabApiClient({ url }).followEvents({}, { patienceMs }))).rejects.toThrow(
      new UnexpectedReply(`the event "${kind}" does not tell what it should`),
    );
  });
});
