import { beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';
import { basic, bearer, makeTeam, passwords, tokens } from '../support/team.ts';

const accept = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };
const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'same' } };
const ci = bearer(tokens.ci);

let service: RunningService;
beforeAll(async () => {
  const team = await makeTeam(makeGround().root);
  service = await startService({ env: { ...team.env, LAB_API_MCP: 'true' } });
});

const inSession = (session: string, user: { Authorization: string }) => ({
  ...accept,
  ...user,
  'Mcp-Session-Id': session,
});

test('a call is canceled by another message of its user and session, and by no other one', async () => {
  const workdir = service.ground.makeWorkdir('slow');
  const up = { action: 'up', workdir, topology: topologyThat('wait_for never') };
  const { json: job } = await service.post('/jobs', up, ci);
  const params = { name: 'wait_for_job', arguments: { job: job.id, seconds: 50 } };
  const call = { jsonrpc: '2.0', id: 'same', method: 'tools/call', params };
  const answered: string[] = [];
  const waiting = ['one', 'two'].map(async (session) => {
    const answer = await service.post('/mcp', call, inSession(session, ci));
    answered.push(session);
    return answer;
  });
  await eventually('the call is canceled', async () => {
    await service.post('/mcp', cancel, inSession('two', ci));
    return answered.length > 0;
  });
  for (const other of [basic('vera', passwords.vera), basic('ops', passwords.ops)])
    await service.post('/mcp', cancel, inSession('one', other));
  expect(answered).toEqual(['two']);
  await service.post(`/jobs/${job.id}/cancel`, {}, ci);
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 202]);
});
