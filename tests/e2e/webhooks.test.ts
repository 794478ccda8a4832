/** The service is killed between a state of a job and the delivery of the message about it. */
import { expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { startProgram, topologyThat, type Ground } from '../support/service.ts';
import { webhookSecret, WebhookReceiver } from '../support/webhook-receiver.ts';

const env = {
  LAB_API_WEBHOOK_HOSTS: '127.0.0.1',
  LAB_API_WEBHOOK_SECRET: webhookSecret,
};

const start = async (ground?: Ground, changes: Record<string, string> = {}) =>
  startProgram({ env: { ...env, ...changes }, ...(ground && { ground }) });

test('a message that was being sent, and one that was not made yet, come after the next start', async () => {
  const receiver = await WebhookReceiver.make();
  receiver.answer = ({ body }) => (body.type === 'job.running' ? undefined : 204);
  const first = await start();
  const { ground } = first;
  const { workdir } = ground;
  const topology = topologyThat('wait_for webhooks-1; exit 9');
  const id = await first.start({ action: 'create', workdir, topology, callbackUrl: receiver.url });
  await receiver.got(2);
  const { webhook } = await first.job(id);
  expect(webhook).toMatchObject({ state: 'pending', attempts: 0 });
  // One that is killed before its lab CLI began is queued again.
  await ground.waitsFor('webhooks-1');
  await first.end('SIGKILL');
  // It ends while nobody is there to tell.
  ground.let('webhooks-1');
  receiver.answer = () => 204;
  const second = await start(ground);
  await second.ended(id);
  const messages = await receiver.got(4);
  expect(receiver.types()).toEqual(['job.queued', 'job.running', 'job.failed']);
  const [running, again] = messages.filter(({ body }) => body.type === 'job.running');
  expect(again?.id).toBe(running?.id);
  expect(again?.text).toBe(running?.text);
  for (const message of messages) expect(WebhookReceiver.verify(message)).toEqual(message.body);
  await second.end();
});

test('a receiver that is named after a kill gets what happens from then on; a callback gets what it missed', async () => {
  const [receiver, callback] = [await WebhookReceiver.make(), await WebhookReceiver.make()];
  callback.answer = () => 503;
  const first = await start();
  const { ground } = first;
  const request = { action: 'create', topology: topologyThat('exit 9') };
  const reporting = await first.start({
    ...request,
    workdir: ground.makeWorkdir('reporting'),
    callbackUrl: callback.url,
  });
  await first.ended(reporting);
  for (const name of ['before-1', 'before-2'])
    await first.ended(await first.start({ ...request, workdir: ground.makeWorkdir(name) }));
  await first.end('SIGKILL');
  callback.answer = () => 204;

  const named = { LAB_API_WEBHOOK_URL: receiver.url, LAB_API_WEBHOOK_EVENTS: 'job,service' };
  const second = await start(ground, named);
  const id = await second.start({ ...request, workdir: ground.makeWorkdir('after') });
  await receiver.got(4);
  expect(receiver.types().toSorted()).toEqual(['job.failed', 'job.queued', 'job.running', 'service.started']);
  expect(receiver.messages.flatMap(({ body }) => body.data.job?.id ?? [])).toEqual([id, id, id]);
  await eventually('the callback', () => callback.types().length === 3);
  expect(callback.types()).toEqual(['job.queued', 'job.running', 'job.failed']);

  // What was wanted and could not be sent comes after a kill, what nobody wanted then does not.
  receiver.answer = () => 503;
  const waiting = await second.start({ ...request, workdir: ground.makeWorkdir('waiting') });
  await second.ended(waiting);
  await second.end('SIGKILL');
  receiver.answer = () => 204;
  const third = await start(ground, { ...named, LAB_API_WEBHOOK_EVENTS: 'job,lab' });
  const typesOf = (job: string): string[] =>
    receiver.messages
      .filter(({ status, body }) => status === 204 && body.data.job?.id === job)
      .map(({ body }) => String(body.type));
  await eventually('what waited', () => typesOf(waiting).length === 3);
  expect(typesOf(waiting)).toEqual(['job.queued', 'job.running', 'job.failed']);
  expect(receiver.types().filter((type) => type.startsWith('job'))).toHaveLength(6);
  await third.end();
});
