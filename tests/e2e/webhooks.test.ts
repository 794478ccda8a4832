/** The service is killed between a state of a job and the delivery of the message about it. */
import { expect, test } from '@jest/globals';
import { startProgram, topologyThat, type Ground } from '../support/service.ts';
import { webhookSecret, WebhookReceiver } from '../support/webhook-receiver.ts';

const env = {
  LAB_API_WEBHOOK_HOSTS: '127.0.0.1',
  LAB_API_WEBHOOK_SECRET: webhookSecret,
};

const start = async (ground?: Ground) => startProgram({ env, ...(ground && { ground }) });

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

test('while its receiver is away, messages wait over kills, and come in order', async () => {
  const receiver = await WebhookReceiver.make();
  receiver.answer = () => 503;
  const first = await start();
  const { ground } = first;
  const ids = [];
  for (const name of ['one', 'two']) {
    const workdir = ground.makeWorkdir(name);
    const topology = topologyThat('exit 9');
    ids.push(
      await first.start({ action: 'create', workdir, topology, callbackUrl: `${receiver.url}/${name}` }),
    );
  }
  for (const id of ids) await first.ended(id);
  await receiver.got(2);
  await first.end('SIGKILL');
  receiver.answer = () => 204;
  // The next try is some seconds away: a service that starts does not begin at once with all that failed before.
  const second = await start(ground);
  await receiver.got(8);
  for (const path of ['/one', '/two'])
    expect(receiver.types(path)).toEqual(['job.queued', 'job.running', 'job.failed']);
  const states = await Promise.all(ids.map(async (id) => (await second.job(id)).webhook.lastStatus));
  expect(states).toEqual([204, 204]);
  await second.end();
});
