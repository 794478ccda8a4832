/** The log of a job while it grows: raw bytes and server-sent events. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { EventReader, logOf } from '../support/event-reader.ts';
import { eventually } from '../support/eventually.ts';
import { jobThatPrints } from '../support/job-that-prints.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

const wantEvents = { Accept: 'text/event-stream' };

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});

async function openEvents(on: RunningService, id: string, lastId?: string): Promise<EventReader> {
  const headers = { ...wantEvents, ...(lastId !== undefined && { 'Last-Event-ID': lastId }) };
  const message = await on.open(`/jobs/${id}/log`, { headers });
  expect(message.statusCode).toBe(200);
  return new EventReader(message);
}

describe('?follow=true', () => {
  test('gives bytes as they come, until the job ends', async () => {
    const id = await jobThatPrints(service, 'echo first', 'wait_for follow-1', 'echo second');
    const message = await service.open(`/jobs/${id}/log?output=text&follow=true`);
    expect(message.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'transfer-encoding': 'chunked',
    });
    const chunks = (message as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    expect(String((await chunks.next()).value)).toBe('first\n');
    service.ground.let('follow-1');
    expect(String((await chunks.next()).value)).toBe('second\n');
    expect((await chunks.next()).done).toBe(true);
    expect(message.complete).toBe(true);
    expect((await service.job(id)).state).toBe('failed');
  });
});

describe('server-sent events', () => {
  test('tell state, log and end; the id is the offset after the chunk; after the end a reconnect is 204', async () => {
    const id = await jobThatPrints(service, 'echo first', 'wait_for sse-1', "printf '\u20ac\\n'");
    const reader = await openEvents(service, id);
    const [state, ...rest] = await reader.until('log');
    expect(state).toMatchObject({ event: 'state', data: { id } });
    expect(rest.at(-1)).toEqual({ event: 'log', id: '6', data: { log: 'first\n', nextOffset: 6 } });
    service.ground.let('sse-1');
    const events = await reader.until('end');
    expect(logOf(events)).toBe('\u20ac\n');
    expect(events.at(-2)).toMatchObject({ event: 'state', data: { state: 'failed', exitCode: 9 } });
    expect(events.at(-1)).toEqual({ event: 'end', id: '10:end', data: { state: 'failed', nextOffset: 10 } });
    expect(await reader.next()).toBeUndefined();
    const again = await service.get(`/jobs/${id}/log`, { ...wantEvents, 'Last-Event-ID': '10:end' });
    expect(again).toMatchObject({ status: 204, text: '' });
  });

  test('show every state on the way, from the queue to the end', async () => {
    const workdir = service.ground.makeWorkdir('states');
    await service.start({ action: 'create', workdir, topology: topologyThat('wait_for states-1') });
    const id = await service.start({
      action: 'create',
      workdir,
      topology: topologyThat('wait_for states-2'),
    });
    const reader = await openEvents(service, id);
    expect(await reader.next()).toMatchObject({
      event: 'state',
      data: { state: 'queued', queuePosition: 1 },
    });
    service.ground.let('states-1');
    expect(await reader.next()).toMatchObject({ event: 'state', data: { state: 'running' } });
    await service.ground.waitsFor('states-2');
    const canceled = service.post(`/jobs/${id}/cancel`);
    const events = await reader.until('end');
    expect(events.map(({ event, data }) => (event === 'state' ? data.state : event))).toEqual([
      'canceling',
      'canceled',
      'end',
    ]);
    expect((await canceled).status).toBe(200);
  });

  test('resume exactly after the last id', async () => {
    const id = await jobThatPrints(service, 'seq 1 5', 'wait_for resume-1', 'seq 6 9');
    await service.ground.waitsFor('resume-1');
    const first = await openEvents(service, id);
    const seen = (await first.until('log')).at(-1);
    first.close();
    service.ground.let('resume-1');
    const second = await openEvents(service, id, seen?.id);
    expect(String(seen?.data.log) + logOf(await second.until('end'))).toBe('1\n2\n3\n4\n5\n6\n7\n8\n9\n');
  });

  test.each(['abc', '-1', '1.5', '4:', '99999999999999999999'])(
    'Last-Event-ID: %s begins at the beginning',
    async (lastId) => {
      const id = await jobThatPrints(service, 'echo all');
      await service.ended(id);
      expect(logOf(await (await openEvents(service, id, lastId)).until('end'))).toBe('all\n');
    },
  );
});

describe('when the service stops', () => {
  test('events end with server-shutdown, text breaks off, and both go on with the next service', async () => {
    const first = await startService();
    const { ground } = first;
    const id = await jobThatPrints(first, 'echo first', 'wait_for shut-1', 'echo second');
    await ground.waitsFor('shut-1');
    const reader = await openEvents(first, id);
    const seen = (await reader.until('log')).at(-1);
    const text = await first.open(`/jobs/${id}/log?follow=true`);
    const chunks = (text as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    expect(String((await chunks.next()).value)).toBe('first\n');
    await first.stop();
    const last = (await reader.until('server-shutdown')).at(-1);
    expect(last?.data).toEqual({ reason: 'the service is shutting down' });
    expect(await reader.next()).toBeUndefined();
    // Had it ended properly, the client would take the log for complete.
    await expect(chunks.next()).rejects.toThrow('aborted');

    const second = await startService({ ground });
    const resumed = await openEvents(second, id, seen?.id);
    ground.let('shut-1');
    expect(logOf(await resumed.until('end'))).toBe('second\n');
    expect(await second.logText(id)).toBe('first\nsecond\n');
  });
});

describe('a client that goes away', () => {
  test('costs nothing: the job and other followers go on', async () => {
    const id = await jobThatPrints(service, 'echo first', 'wait_for away-1', 'echo second');
    const stays = service.get(`/jobs/${id}/log?follow=true`);
    await service.ground.waitsFor('away-1');
    for (const headers of [{}, wantEvents] as Record<string, string>[]) {
      const message = await service.open(`/jobs/${id}/log?follow=true`, { headers });
      await new Promise((resolve) => message.once('data', resolve));
      message.destroy();
    }
    service.ground.let('away-1');
    expect((await stays).text).toBe('first\nsecond\n');
    await eventually('the job has ended', async () => (await service.job(id)).state === 'failed');
  });
});
