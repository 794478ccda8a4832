/** `lab audit`, as an administrator types it. */
import { expect, test } from '@jest/globals';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { bareShell } from '../support/remote-lab.ts';
import { makeGround, runProgram, startService, type RunningService } from '../support/service.ts';

async function ran(service: RunningService, ...args: readonly string[]) {
  const run = runProgram(['audit', ...args], { ...bareShell, LAB_API_URL: service.url });
  return { exitCode: await run.exit, output: run.output() };
}

test('lab audit lists the newest requests first, those that match, and says when there are more', async () => {
  const ground = makeGround();
  const file = path.join(ground.root, 'audit');
  const service = await startService({ ground, env: { LAB_API_AUDIT_FILE: file } });
  expect(await ran(service)).toEqual({ exitCode: 0, output: 'lab: no requests\n' });
  const id = await service.start({ action: 'status' });
  await service.ended(id);
  await service.request('/workspaces/one', { method: 'PUT' });
  await service.request(`/jobs/${id}/cancel`, { method: 'POST' });
  const all = await ran(service);
  expect(all.output).toMatch(/^TIME +USER +ADDRESS +REQUEST +ABOUT +OUTCOME\n/);
  expect(all.output).toMatch(
    new RegExp(
      `cancelJob +job ${id} +conflict\\n.* - +127.0.0.1 +\\w+ +workspace one +201\\n.* submitJob status +job ${id} +202\\n$`,
    ),
  );
  expect((await ran(service, '--refused')).output.split('\n')).toHaveLength(3);
  const one = await ran(service, '--limit', '1', '-o', 'json');
  expect(JSON.parse(one.output)).toMatchObject([{ operation: 'cancelJob', error: 'conflict' }]);
  expect((await ran(service, '--limit', '2')).output).toMatch(
    /lab: there are more: --limit shows more than the newest 2\n$/,
  );
  await service.request('/labs/9/nodes/r1/exec', { method: 'POST' });
  expect((await ran(service, '--limit', '1')).output).toMatch(/ +node r1 of lab 9 +/);
  const down = { time: new Date().toISOString(), event: 'request', action: 'down', job: 'job-1', lab: '7' };
  appendFileSync(file, `${JSON.stringify(down)}\n`);
  expect((await ran(service, '--limit', '1')).output).toMatch(/ request down +job job-1 of lab 7 +/);
  await service.request('/snapshots/s1/shares', { method: 'PUT', body: { shares: [] } });
  expect((await ran(service, '--limit', '1')).output).toMatch(/ +snapshot s1, shared with none +/);
  const wrong = await ran(service, '--action', 'submitJobs');
  expect([wrong.exitCode, wrong.output]).toEqual([2, expect.stringContaining('did you mean "submitJob"')]);
});
