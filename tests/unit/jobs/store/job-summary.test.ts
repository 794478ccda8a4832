import { describe, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { jobPaths } from '../../../../src/jobs/store/job-files.ts';
import { isFinished, summarize, summarySchema } from '../../../../src/jobs/store/job-summary.ts';
import { sampleJob } from '../../../support/sample-job.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const base = temporaryDirectory();
const files = jobPaths(base, 'job');
mkdirSync(files.artifacts, { recursive: true });
writeFileSync(files.topology, 'nodes: {}');
writeFileSync(path.join(files.artifacts, 'junit.xml'), '<testsuites/>');
writeFileSync(path.join(files.artifacts, 'more.txt'), '123');
const result: Job['result'] = { kind: 'outputs', complete: true, nodes: [] };

test('a summary is a line of the index, to the byte', () => {
  const job = sampleJob({
    id: 'job-1-abcdef',
    state: 'failed',
    labels: { a: 'b' },
    instance: '7',
    cleanupOf: 'job-1-aaaaaa',
    logSize: 5,
  });
  const summary = summarize(job, files);
  expect(JSON.stringify(summary)).toBe(
    '{"id":"job-1-abcdef","state":"failed","action":"up","instance":"7","workdir":"/labs/demo","workspace":null,' +
      '"labels":{"a":"b"},"createdAt":"2026-01-02T03:04:05.678Z","finishedAt":null,"requestedBy":null,' +
      '"idempotency":null,"cleanupOf":"job-1-aaaaaa","size":5}',
  );
  expect(summarySchema.parse(summary)).toEqual(summary);
});

describe('the size', () => {
  test.each([
    [
      'of a job that has not ended is not known',
      { state: 'running', logSize: 5, request: { topology: 'x' } },
      0,
    ],
    ['is that of the log', { state: 'failed', logSize: 5 }, 5],
    ['is nothing without a log', { state: 'failed', logSize: null }, 0],
    [
      'has the topology of the request in it',
      { state: 'failed', logSize: 5, request: { topology: 'x' } },
      14,
    ],
    ['has the topology of a URL in it', { state: 'success', logSize: 5, request: { topologyUrl: 'x' } }, 14],
    ['has the artifacts in it', { state: 'failed', logSize: 5, result }, 21],
  ] as const)('%s', (_name, changes, size) => {
    expect(summarize(sampleJob(changes), files).size).toBe(size);
  });

  test('counts a topology and artifacts that are gone as nothing', () => {
    const job = sampleJob({ state: 'failed', logSize: 5, request: { topology: 'x' }, result });
    expect(summarize(job, jobPaths(base, 'other')).size).toBe(5);
  });
});

test.each([
  ['queued', false],
  ['running', false],
  ['failed', true],
  ['success', true],
  ['canceled', true],
] as const)('%s is finished: %s', (state, expected) => {
  expect(isFinished(summarize(sampleJob({ state }), files))).toBe(expected);
});
