import http from 'node:http';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { killAll } from '../support/job-processes.ts';
import { expectProblem } from '../support/problem.ts';
import { samplesOf, scraped } from '../support/scraped.ts';
import {
  processesOf,
  startProgram,
  startService,
  topologyThat,
  type RunningService,
} from '../support/service.ts';

describe('GET /metrics', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });

  test('is the text format of Prometheus, and is not kept by anybody', async () => {
    const reply = await service.get('/metrics');
    expect(reply.headers).toMatchObject({
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(samplesOf(reply.text)).toContainEqual({
      name: 'lab_api_build_info',
      labels: { version: expect.any(String), node_version: process.version },
      value: 1,
    });
  });

  test('has no body for HEAD, and no other methods', async () => {
    expect(await service.request('/metrics', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expectProblem(await service.post('/metrics'), 405, 'method-not-allowed');
    // RFC 9110, section 13.1.2: there is a representation.
    expect(await service.get('/metrics', { 'If-None-Match': '*' })).toMatchObject({ status: 304, text: '' });
    expect(await service.get('/metrics', { 'If-None-Match': '"x"' })).toMatchObject({ status: 200 });
  });

  test('asks for the password that everything asks for', async () => {
    const env = { LAB_API_USER: 'ops', LAB_API_PASSWORD: 'secret' };
    const guarded = await startService({ env });
    expectProblem(await guarded.get('/metrics'), 401, 'unauthorized');
    const Authorization = `Basic ${Buffer.from('ops:secret').toString('base64')}`;
    const reply = await guarded.get('/metrics', { Authorization });
    expect(reply.status).toBe(200);
    const refused = { route: 'unmatched', method: 'GET', status: '401' };
    expect(samplesOf(reply.text)).toContainEqual({
      name: 'lab_api_http_requests_total',
      labels: refused,
      value: 1,
    });
  });

  test('tells how much disk is free', async () => {
    expect(await scraped(service, 'lab_api_data_dir_free_bytes')).toBeGreaterThan(0);
    expect(await scraped(service, 'lab_api_data_dir_free_limit_bytes')).toBe(2 ** 20);
    expect(await scraped(service, 'lab_api_job_records_damaged')).toBe(0);
  });
});

describe('jobs', () => {
  test('are counted as they wait, run and end', async () => {
    const service = await startService({ env: { LAB_API_MAX_RUNNING_JOBS: '1' } });
    const [one, two] = ['one', 'two'].map((name) => service.ground.makeWorkdir(name));
    const first = { action: 'up', workdir: one, topology: topologyThat('wait_for go') };
    const ids = [
      await service.start(first),
      await service.start({ ...first, workdir: two, topology: topologyThat() }),
    ];
    await service.ground.waitsFor('go');
    expect(await scraped(service, 'lab_api_jobs_running')).toBe(1);
    expect(await scraped(service, 'lab_api_jobs_queued')).toBe(1);
    expect(await scraped(service, 'lab_api_jobs_running_limit')).toBe(1);
    service.ground.let('go');
    const jobs = await Promise.all(ids.map(async (id) => service.ended(id)));
    expect(await scraped(service, 'lab_api_jobs_running')).toBe(0);
    expect(await scraped(service, 'lab_api_jobs_queued')).toBe(0);
    const succeeded = { action: 'up', state: 'success', reason: 'exited' };
    expect(await scraped(service, 'lab_api_jobs_finished_total', succeeded)).toBe(2);
    expect(await scraped(service, 'lab_api_job_queue_wait_seconds_count')).toBe(2);
    expect(await scraped(service, 'lab_api_job_duration_seconds_count', { action: 'up' })).toBe(2);
    const logBytes = jobs.reduce((sum, job) => sum + Number(job.logSize), 0);
    expect(await scraped(service, 'lab_api_job_log_bytes_total')).toBe(logBytes);
  });

  test('that would not end are counted, and those that were killed because a client wanted it are not', async () => {
    const service = await startService();
    const topology = topologyThat("trap '' INT TERM", 'wait_for never');
    const up = { action: 'up', workdir: service.ground.workdir, topology };
    const stubborn = await service.start(up);
    await service.ground.waitsFor('never');
    await service.post(`/jobs/${stubborn}/cancel`, {});
    await service.ended(stubborn);
    expect(await scraped(service, 'lab_api_jobs_killed_total')).toBe(1);

    const workdir = service.ground.makeWorkdir('other');
    const forced = await service.start({ ...up, workdir });
    await eventually('its process', async () => (await processesOf(forced)).length > 1);
    await service.post(`/jobs/${forced}/cancel`, { force: true });
    await service.ended(forced);
    expect(await scraped(service, 'lab_api_jobs_killed_total')).toBe(1);
    const canceled = { action: 'up', state: 'canceled', reason: 'canceled' };
    expect(await scraped(service, 'lab_api_jobs_finished_total', canceled)).toBe(2);
  });

  test('of the service before are counted by what became of them, and those of which nobody knows are lost', async () => {
    // A process of its own: one in ours would be told how its jobs end.
    const before = await startProgram();
    const { ground } = before;
    const topology = topologyThat('wait_for go');
    const adopted = await before.start({ action: 'up', workdir: ground.workdir, topology });
    await ground.waitsFor('go');
    const workdir = ground.makeWorkdir('lost');
    const lost = await before.start({ action: 'up', workdir, topology: topologyThat('wait_for never') });
    await ground.waitsFor('never');
    await before.end('SIGKILL');
    // As a power cut does: nothing is left that could tell how it ended.
    await killAll(lost);

    const after = await startService({ ground });
    const recovered = await Promise.all(
      ['queued', 'adopted', 'finished', 'interrupted'].map(async (fate) => [
        fate,
        await scraped(after, 'lab_api_jobs_recovered_total', { fate }),
      ]),
    );
    expect(Object.fromEntries(recovered)).toEqual({ queued: 0, adopted: 1, finished: 0, interrupted: 1 });
    expect(await scraped(after, 'lab_api_jobs_lost_total')).toBe(1);
    ground.let('go');
    await after.ended(adopted);
    const succeeded = { action: 'up', state: 'success', reason: 'exited' };
    expect(await scraped(after, 'lab_api_jobs_finished_total', succeeded)).toBe(1);
    expect(await scraped(after, 'lab_api_jobs_lost_total')).toBe(1);
  });
});

test.each(['text/plain', 'text/event-stream'])(
  'a client that follows a log as %s is counted until it goes, and its time is not',
  async (Accept) => {
    const service = await startService();
    const topology = topologyThat('wait_for go');
    const id = await service.start({ action: 'up', workdir: service.ground.workdir, topology });
    const target = `/jobs/${id}/log?follow=true`;
    const followers = async (): Promise<number | undefined> =>
      scraped(service, 'lab_api_stream_clients', { kind: 'log' });
    const leave = new AbortController();
    const gone = await service.open(target, { headers: { Accept }, signal: leave.signal });
    gone.on('error', () => undefined);
    const stays = await service.open(target, { headers: { Accept } });
    expect(await followers()).toBe(2);
    leave.abort();
    await eventually('one to be gone', async () => (await followers()) === 1);
    service.ground.let('go');
    stays.resume();
    await eventually('the other to be at the end', async () => (await followers()) === 0);
    const route = { route: '/jobs/:id/log', method: 'GET' };
    expect(await scraped(service, 'lab_api_http_requests_total', route)).toBe(2);
    expect(await scraped(service, 'lab_api_http_request_duration_seconds_count', route)).toBeUndefined();
  },
);

describe('labs', () => {
  async function withLab(): Promise<RunningService> {
    const service = await startService();
    const up = { action: 'up', workdir: service.ground.workdir, topology: topologyThat() };
    await service.ended(await service.start(up));
    return service;
  }

  test('five hundred scrapers start one run of the lab CLI, and none waits for it', async () => {
    const service = await withLab();
    service.ground.onStatus('wait_for go');
    const before = service.ground.runs('status').length;
    const agent = new http.Agent({ keepAlive: true, maxSockets: 50 });
    const scrapes = Array.from({ length: 500 }, async () => service.request('/metrics', { agent }));
    const replies = await Promise.all(scrapes);
    agent.destroy();
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(replies.some(({ text }) => text.includes('lab_api_labs{'))).toBe(false);
    expect(await scraped(service, 'lab_api_status_last_success_timestamp_seconds')).toBeUndefined();
    await service.ground.waitsFor('go');
    expect(service.ground.runs('status').length - before).toBe(1);
    service.ground.let('go');
    await eventually(
      'its result',
      async () => (await scraped(service, 'lab_api_labs', { state: 'started' })) === 1,
    );
    expect(service.ground.runs('status').length - before).toBe(1);
    expect(await scraped(service, 'lab_api_status_run_duration_seconds_count')).toBe(1);
    expect(await scraped(service, 'lab_api_status_last_success_timestamp_seconds')).toBeLessThanOrEqual(
      Date.now() / 1000,
    );
  });

  test('a lab CLI that fails is counted, and what it said before stands', async () => {
    const service = await withLab();
    await service.get('/status');
    service.ground.onStatus('echo broken >&2; exit 3');
    const failed = await service.get('/status', { 'Cache-Control': 'no-cache' });
    expect(failed.status).toBe(502);
    const code = { code: 'lab-cli-failed' };
    expect(await scraped(service, 'lab_api_status_failures_total', code)).toBe(1);
    expect(await scraped(service, 'lab_api_labs', { state: 'started' })).toBe(1);
  });
});
