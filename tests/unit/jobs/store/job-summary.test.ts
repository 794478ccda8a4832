import { describe, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { jobPaths } from '../../../../src/jobs/store/job-files.ts';
import { summarize } from '../../../../src/jobs/store/job-summary.ts';
import { sampleJob } from '../../../support/sample-job.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const base = temporaryDirectory();
const files = jobPaths(base, 'job');
mkdirSync(files.artifacts, { recursive: true });
writeFileSync(files.topology, 'nodes: {}');
writeFileSync(path.join(files.artifacts, 'junit.xml'), '<testsuites/>');
writeFileSync(path.join(files.artifacts, 'more.txt'), '123');
const result: Job['result'] = { kind: 'outputs', complete: true, nodes: [] };

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
});
