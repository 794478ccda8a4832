import { expect, test } from '@jest/globals';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { repeatRequest } from '../../../../src/jobs/intake/repeat-request.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { sampleJob } from '../../../support/sample-job.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();

test.each([
  ['topology-not-found', 'its topology is gone', true],
  ['job-not-found', 'it was removed in this moment', false],
])('a job is refused as %s when %s', async (code, _why, isThere) => {
  const home = path.join(directory, code);
  if (isThere) mkdirSync(home);
  const job = sampleJob({ state: 'failed', request: { action: 'up', topology: 'kept' } });
  expect(await failureOf(repeatRequest(job, path.join(home, 'topology.yml')))).toMatchObject({ code });
});
