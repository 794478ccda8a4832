import { expect, test } from '@jest/globals';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { repeatRequest } from '../../../../src/jobs/intake/repeat-request.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { sampleJob } from '../../../support/sample-job.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();

test.each([
  { code: 'topology-not-found', what: 'its topology is gone', isThere: true },
  { code: 'job-not-found', what: 'it was removed in this moment', isThere: false },
])('a job is refused as $code when $what', async ({ code, isThere }) => {
  const home = path.join(directory, code);
  if (isThere) mkdirSync(home);
  const job = sampleJob({ state: 'failed', request: { action: 'up', topology: 'kept' } });
  expect(await failureOf(repeatRequest(job, path.join(home, 'topology.yml')))).toMatchObject({ code });
});
