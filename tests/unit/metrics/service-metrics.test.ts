import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { JobChange } from '../../../src/jobs/job-service.ts';
import { noSources } from '../../../src/metrics/describe-metrics.ts';
import { ServiceMetrics, type MetricsSources } from '../../../src/metrics/service-metrics.ts';
import { eventually } from '../../support/eventually.ts';
import { repoRoot } from '../../support/repo-files.ts';
import { sampleJob } from '../../support/sample-job.ts';
import { samplesOf } from '../../support/scraped.ts';

function metricsOf(changes: Partial<MetricsSources> = {}): ServiceMetrics {
  return new ServiceMetrics({
    ...noSources,
    webhooks: { counts: () => ({ delivered: 2, 'gave-up': 0 }), backlog: () => 3 },
    ...changes,
  });
}

async function namesIn(metrics: ServiceMetrics): Promise<readonly string[]> {
  return samplesOf((await metrics.text()).text).map(({ name }) => name);
}

const ended: JobChange = {
  ...sampleJob({
    state: 'failed',
    reason: 'interrupted',
    createdAt: '2026-01-01T00:00:00.000Z',
    startedAt: '2026-01-01T00:00:01.000Z',
    finishedAt: '2026-01-01T00:01:01.000Z',
    logSize: 12,
  }),
  previousState: 'running',
};

test('webhooks are counted by their outcomes, afresh at each scrape', async () => {
  const metrics = metricsOf();
  await metrics.text();
  const samples = samplesOf((await metrics.text()).text).filter(({ name }) => name.includes('webhook'));
  expect(samples.map(({ name, labels, value }) => [name, labels, value])).toEqual([
    ['lab_api_webhook_deliveries_total', { outcome: 'delivered' }, 2],
    ['lab_api_webhook_deliveries_total', { outcome: 'gave-up' }, 0],
    ['lab_api_webhooks_pending', {}, 3],
  ]);
});

describe('a job', () => {
  test('is counted once, though its record is written again because the disk had refused it', async () => {
    const metrics = metricsOf();
    metrics.jobs.changed(ended);
    metrics.jobs.changed({ ...ended, previousState: 'failed' });
    const samples = samplesOf((await metrics.text()).text);
    const value = (name: string): number | undefined => samples.find((sample) => sample.name === name)?.value;
    expect(value('lab_api_jobs_lost_total')).toBe(1);
    expect(value('lab_api_job_log_bytes_total')).toBe(12);
    expect(value('lab_api_job_duration_seconds_sum')).toBe(60);
  });

  test('that ended before it started has no run time', async () => {
    const metrics = metricsOf();
    metrics.jobs.changed({
      ...ended,
      state: 'canceled',
      previousState: 'queued',
      startedAt: null,
      logSize: null,
    });
    expect(await namesIn(metrics)).not.toContain('lab_api_job_duration_seconds_count');
  });

  test('may have a start before its request, when the clock was set back', async () => {
    const metrics = metricsOf();
    const startedAt = '2025-12-31T00:00:00.000Z';
    metrics.jobs.changed({
      ...ended,
      state: 'running',
      previousState: 'queued',
      startedAt,
      finishedAt: null,
    });
    const samples = samplesOf((await metrics.text()).text);
    expect(samples).toContainEqual({ name: 'lab_api_job_queue_wait_seconds_sum', labels: {}, value: 0 });
  });
});

describe('a disk', () => {
  const gone = ['lab_api_data_dir_free_bytes', 'lab_api_job_records_damaged'];
  const never = new Promise<never>(() => undefined);

  test.each([
    { what: 'that hangs', storage: { freeBytes: async () => never, damagedRecords: async () => never } },
    {
      what: 'that fails',
      storage: {
        freeBytes: async () => Promise.reject(new Error('EIO')),
        damagedRecords: async () => Promise.reject(new Error('EIO')),
      },
    },
  ])('$what keeps nothing but itself out of a scrape', async ({ storage }) => {
    const names = await namesIn(metricsOf({ storage: { ...storage, minFreeBytes: () => 1 } }));
    expect(names).toContain('lab_api_jobs_queued');
    expect(names.filter((name) => gone.includes(name))).toEqual([]);
  });
});

test('who asks while a text is being made gets that one', async () => {
  let looks = 0;
  const metrics = metricsOf({ jobNumbers: () => ({ queued: 0, running: (looks += 1) }) });
  const texts = await Promise.all(Array.from({ length: 100 }, async () => metrics.text()));
  expect(new Set(texts.map(({ text }) => text)).size).toBe(1);
  // Once for each of the two gauges that look.
  expect(looks).toBe(2);
  await metrics.text();
  expect(looks).toBe(4);
});

test('the event loop is watched once a second, from the start on', async () => {
  const metrics = metricsOf();
  const stop = metrics.start();
  const count = 'lab_api_event_loop_lag_seconds_count';
  await eventually('the first second', async () =>
    samplesOf((await metrics.text()).text).some(({ name, value }) => name === count && value > 0),
  );
  stop();
});

test('nothing of prom-client is loaded that costs the start of the service', () => {
  const built = path.join(repoRoot, 'dist', 'modules', 'metrics', 'service-metrics.js');
  const program = `await import(process.argv[1]);
    const { createRequire } = await import('node:module');
    process.stdout.write(Object.keys(createRequire(process.argv[1]).cache).join('\\n'));`;
  const files = execFileSync(process.execPath, ['--input-type=module', '-e', program, built], {
    encoding: 'utf8',
  });
  expect(files).toContain('prom-client');
  expect(
    files.split('\n').filter((file) => /opentelemetry|tdigest|cluster|prom-client\/index/.test(file)),
  ).toEqual([]);
});
