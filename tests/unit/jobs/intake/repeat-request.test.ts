import { describe, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repeatRequest } from '../../../../src/jobs/intake/repeat-request.ts';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { sampleJob } from '../../../support/sample-job.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const kept = path.join(directory, 'topology.yml');
writeFileSync(kept, 'nodes: [a]\n');
const absent = path.join(directory, 'absent.yml');

function repeated(request: Record<string, unknown>, file = absent) {
  const action = request['action'] as Job['action'];
  return repeatRequest(sampleJob({ state: 'failed', action, workdir: '/labs/real', request }), file);
}

test.each([
  { code: 'topology-not-found', what: 'its topology is gone', isThere: true },
  { code: 'job-not-found', what: 'it was removed in this moment', isThere: false },
])('a job is refused as $code when $what', async ({ code, isThere }) => {
  const home = path.join(directory, code);
  if (isThere) mkdirSync(home);
  const request = { action: 'up', topology: 'kept' };
  expect(await failureOf(repeated(request, path.join(home, 'topology.yml')))).toMatchObject({ code });
});

test('a topology that cannot be read is a fault of the disk, and may be there the next time', async () => {
  const request = { action: 'up', topology: 'kept' };
  const error = await failureOf(repeated(request, directory));
  expect(error).toMatchObject({ code: 'storage-fault' });
  expect(error.message).toContain('at the moment');
});

test('the topology that came with it is taken from where it is kept', async () => {
  expect(await repeated({ action: 'up', topology: 'kept' }, kept)).toMatchObject({
    topology: 'nodes: [a]\n',
  });
});

describe('no kept topology is looked for', () => {
  test.each([
    { action: 'up', topology: 'kept', topologyUrl: 'http://labs.example/t.yml' },
    { action: 'up', topologyPath: 'lab.yml' },
    { action: 'up', topology: 'kept', snapshot: true },
    { action: 'down' },
  ])('%j', async (request) => expect((await repeated(request)).topology).toBeUndefined());
});

describe('it runs in the directory that it ran in', () => {
  test.each([
    { action: 'up', workdir: 'relative' },
    { action: 'up', workspaceRoot: '/labs' },
    { action: 'down' },
    { action: 'down', instance: '7', workdir: 'relative' },
    { action: 'down', instance: '7', workspaceRoot: '/labs' },
    { action: 'status', instance: '7' },
  ])('%j', async (request) => {
    const again = await repeated(request);
    expect(again).toMatchObject({ workdir: '/labs/real' });
    expect(again.workspaceRoot).toBeUndefined();
  });

  test.each([
    { action: 'down', instance: '7' },
    { action: 'collect', instance: '7' },
  ])('unless it was found by its instance: %j', async (request) => {
    const again = await repeated(request);
    expect(again.workdir).toBeUndefined();
    expect(again.options['instance']).toBe('7');
  });
});
