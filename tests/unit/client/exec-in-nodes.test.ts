import { expect, test } from '@jest/globals';
import { LabApiClient } from '../../../src/client/lab-api-client.ts';
import { events, scriptedServers } from '../../support/scripted-server.ts';

const startServer = scriptedServers();

const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}`;
const ended = { node: 'r1', exitCode: 0, reason: 'exited', durationMs: 5 };
const progress = { ...ended, done: 1, total: 1 };
const answer = { nodes: ['r1'], exitCode: 0, signal: null, reason: 'exited', output: 'a', error: null };
const request = { nodes: ['r*'] as [string], command: ['ls'] as [string] };

test('a command in many nodes tells how it goes on, and gives its answers', async () => {
  const list = [event('progress', progress), event('of-the-future', {}), event('answer', answer)];
  const { url, asked } = await startServer(events(...list, event('end', { nodes: [ended] })));
  const told: unknown[] = [];
  const onProgress = (one: unknown): void => void told.push(one);
  const result = await new LabApiClient({ url }).execInNodes('a/b', request, { onProgress });
  expect(result).toEqual({ nodes: [ended], answers: [answer] });
  expect(told).toEqual([progress]);
  expect(asked).toMatchObject([
    { method: 'POST', target: '/labs/a%2Fb/exec', body: JSON.stringify(request) },
  ]);
});

test.each([
  ['without an end', [event('answer', answer)], 'the service ends the commands'],
  ['with an answer without nodes', [event('answer', { ...answer, nodes: [5] })], 'the event "answer"'],
  ['with an answer without output', [event('answer', { ...answer, output: null })], 'the event "answer"'],
  ['with an error without a reason', [event('answer', { ...answer, error: {} })], 'the event "answer"'],
  ['with an exit code of text', [event('end', { nodes: [{ ...ended, exitCode: '0' }] })], 'does not say how'],
  ['with an end without nodes', [event('end', {})], 'does not say how'],
  ['that is no JSON', ['event: end\ndata: {'], 'not JSON'],
])('a reply %s is refused', async (_what, list, message) => {
  const { url } = await startServer(events(...list));
  await expect(new LabApiClient({ url }).execInNodes('x', request)).rejects.toThrow(message);
});
