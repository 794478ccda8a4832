/** The metrics of labs: what the last status said, at no cost of its own. */
import http from 'node:http';
import { expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { scraped } from '../support/scraped.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

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

test('labs are looked at again as soon as one has changed', async () => {
  const service = await withLab();
  const started = async (): Promise<number | undefined> =>
    scraped(service, 'lab_api_labs', { state: 'started' });
  await eventually('the lab', async () => (await started()) === 1);
  await service.ended(await service.start({ action: 'down', workdir: service.ground.workdir }));
  await eventually('no lab', async () => (await started()) === 0);
});

test('nodes are those of the labs that somebody has asked for', async () => {
  const service = await withLab();
  const up = async (): Promise<number | undefined> => scraped(service, 'lab_api_lab_nodes', { state: 'up' });
  await eventually('the lab', async () => (await up()) === 0);
  await service.get('/status/default');
  expect(await up()).toBe(4);
  await service.ended(await service.start({ action: 'down', workdir: service.ground.workdir }));
  await eventually('no nodes', async () => (await up()) === 0);
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
