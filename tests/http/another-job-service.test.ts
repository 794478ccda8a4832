/** HTTP in front of jobs that are not on this machine: it knows the interface `JobService`, and needs nothing behind it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { noLogins } from '../../src/access/local-logins.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { createApp } from '../../src/http/app.ts';
import type { WholeContext } from '../../src/http/context.ts';
import type { JobService } from '../../src/jobs/job-service.ts';
import type { JobLog } from '../../src/jobs/model/job-log.ts';
import { publicFields, type JobView } from '../../src/jobs/model/job-view.ts';
import { AppError } from '../../src/lib/app-error.ts';
import { MemoryLogger } from '../support/memory-logger.ts';
import { sampleJob } from '../support/sample-job.ts';
import { Client } from '../support/service.ts';

const text = 'one\ntwo\n';

function remoteJob(changes: Partial<JobView> = {}): JobView {
  return {
    ...publicFields(sampleJob()),
    host: 'host2',
    logPath: '/far/log',
    queuePosition: null,
    waitsFor: null,
    logSize: 8,
    webhook: null,
    ...changes,
  };
}

/** A job on another host, as a client of that host would tell of it. */
class RemoteJobService implements JobService {
  readonly calls: unknown[] = [];
  #job: JobView | undefined = remoteJob();

  async submit(body: unknown, origin: Parameters<JobService['submit']>[1]) {
    this.calls.push(['submit', body, origin.requestedBy, origin.claim?.key]);
    return { job: remoteJob({ state: 'queued', queuePosition: 1 }), isReplayed: false };
  }

  async retry(id: string) {
    return { job: await this.get(id), isReplayed: true };
  }

  async get(id: string) {
    if (this.#job?.id === id) return this.#job;
    throw new AppError('job-not-found', `there is no job ${id} on host2`);
  }

  async wait(id: string) {
    return { ...(await this.get(id)), state: 'success' as const };
  }

  async list() {
    return { jobs: this.#job ? [this.#job] : [], nextCursor: null };
  }

  summaries() {
    return this.#job ? [this.#job] : [];
  }

  async cancel(id: string, options: Parameters<JobService['cancel']>[1]) {
    this.calls.push(['cancel', id, options.force]);
    return { ...(await this.get(id)), state: 'canceled' as const, reason: 'canceled' as const };
  }

  async remove(id: string) {
    await this.get(id);
    this.#job = undefined;
  }

  async openLog(id: string): Promise<JobLog> {
    const job = await this.get(id);
    return {
      state: job.state,
      extent: { size: 8, end: 8, complete: true },
      tailOffset: async () => 4,
      read: async (start, end) => Readable.from([Buffer.from(text.slice(start, end))]),
      follow: async function* () {
        yield { kind: 'log', chunk: { bytes: Buffer.from(text), nextOffset: 8 } };
        yield { kind: 'state', job: { ...job, state: 'success' } };
      },
    };
  }

  async artifacts(): Promise<never> {
    throw new Error('not asked for here');
  }

  onChange() {
    return () => undefined;
  }
}

const jobs = new RemoteJobService();
let server: http.Server;
let client: Client;
const { id } = remoteJob();

beforeAll(async () => {
  const config = loadConfig({}, {});
  const shutdown = new AbortController().signal;
  const context = {
    config,
    version: '0',
    logins: noLogins,
    jobs,
    readiness: async () => [],
    observer: { requestEnded: () => undefined, streamOpened: () => () => undefined },
    audit: { note: () => undefined },
    log: new MemoryLogger(),
    shutdown,
  };
  // Neither status nor templates are asked for here.
  server = http.createServer(createApp(context as unknown as WholeContext)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('jobs of another host', () => {
  test('are submitted with the body as it came', async () => {
    const body = { action: 'up', workdir: '/far/away' };
    const reply = await client.post('/jobs', body, { 'Idempotency-Key': 'k1' });
    expect(reply).toMatchObject({ status: 202, json: { host: 'host2', queuePosition: 1 } });
    expect(reply.headers['location']).toBe(`/jobs/${id}`);
    expect(jobs.calls).toContainEqual(['submit', body, null, 'k1']);
  });

  test('are listed, looked at and waited for', async () => {
    expect((await client.get('/jobs')).json).toEqual({ jobs: [remoteJob()], nextCursor: null });
    expect(await client.job(id)).toEqual(remoteJob());
    expect((await client.get(`/jobs/${id}?wait=5`)).json).toMatchObject({ state: 'success' });
    expect(await client.get('/jobs/job-1-aaaaaa')).toMatchObject({ status: 404 });
  });

  test('are canceled and run again', async () => {
    const canceled = await client.post(`/jobs/${id}/cancel`, { force: true });
    expect(canceled).toMatchObject({ status: 200, json: { state: 'canceled' } });
    expect(jobs.calls).toContainEqual(['cancel', id, true]);
    const again = await client.post(`/jobs/${id}/retry`);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  test('have a log: whole, from its end, a range of it, and followed', async () => {
    expect((await client.get(`/jobs/${id}/log`)).json).toMatchObject({ log: text, complete: true });
    expect((await client.get(`/jobs/${id}/log?output=text&tail=1`)).text).toBe('two\n');
    const range = await client.get(`/jobs/${id}/log?output=text`, { Range: 'bytes=0-2' });
    expect(range).toMatchObject({ status: 206, text: 'one' });
    expect((await client.get(`/jobs/${id}/log?follow=true`)).text).toBe(text);
    const events = await client.get(`/jobs/${id}/log`, { Accept: 'text/event-stream' });
    expect([...events.text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name)).toEqual([
      'log',
      'state',
      'end',
    ]);
  });

  test('are removed', async () => {
    expect(await client.request(`/jobs/${id}`, { method: 'DELETE' })).toMatchObject({ status: 204 });
    expect(await client.get(`/jobs/${id}/log`)).toMatchObject({ status: 404 });
  });
});
