/** Messages about jobs and labs, to the administrator's receiver and to the callbacks of jobs. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';
import { webhookSecret, WebhookReceiver } from '../support/webhook-receiver.ts';

async function serviceWith(env: Record<string, string>): Promise<RunningService> {
  return startService({ env: { LAB_API_WEBHOOK_HOSTS: '127.0.0.1', ...env } });
}

let count = 0;
async function start(on: RunningService, commands: string, fields: object = {}): Promise<string> {
  const workdir = on.ground.makeWorkdir(`webhooks-${(count += 1)}`);
  return on.start({ action: 'create', workdir, topology: topologyThat(commands), ...fields });
}

let plain: RunningService;
let withoutHosts: RunningService;
beforeAll(async () => {
  withoutHosts = await startService();
  plain = await serviceWith({});
});

describe('callbackUrl', () => {
  test('gets every state of its job in order, signed, and the job tells how far that is', async () => {
    const receiver = await WebhookReceiver.make();
    const service = await serviceWith({ LAB_API_WEBHOOK_SECRET: webhookSecret });
    const id = await start(service, 'exit 9', { callbackUrl: `${receiver.url}/mine` });
    const messages = await receiver.got(3);
    expect(receiver.types('/mine')).toEqual(['job.queued', 'job.running', 'job.failed']);
    for (const message of messages) {
      expect(message.headers['content-type']).toBe('application/json');
      expect(WebhookReceiver.verify(message)).toEqual(message.body);
    }
    expect(messages[2]?.body).toMatchObject({
      type: 'job.failed',
      timestamp: messages[2]?.body.data.job.finishedAt,
      data: { change: 'state', job: { id, exitCode: 9 } },
    });
    expect(new Set(messages.map((message) => message.id)).size).toBe(3);
    await eventually('the end of the delivery', async () => {
      const { webhook } = await service.job(id);
      return webhook?.state === 'delivered' && webhook.attempts === 1 && webhook.lastStatus === 204;
    });
    expect((await service.job(id)).warnings).toEqual([]);
  });

  test('of a job that reports nowhere, and of one whose receiver wants no more', async () => {
    const receiver = await WebhookReceiver.make();
    receiver.answer = () => 410;
    const silent = await start(plain, 'exit 9');
    const id = await start(plain, 'exit 9', { callbackUrl: receiver.url });
    await plain.ended(id);
    await eventually('the end of the delivery', async () => (await plain.job(id)).webhook?.state === 'gone');
    expect(receiver.messages).toHaveLength(1);
    expect((await plain.job(silent)).webhook).toBeNull();
    // Nobody can check where they come from.
    expect((await plain.job(id)).warnings).toEqual([
      'messages to callbackUrl are not signed: this server has no LAB_API_WEBHOOK_SECRET',
    ]);
    expect(receiver.messages[0]?.headers['webhook-signature']).toBeUndefined();
  });

  test.each([
    ['ftp://example.com/', 400, 'callbackUrl: must be an http or https URL'],
    ['nonsense', 400, 'callbackUrl: must be an absolute http or https URL'],
    ['http://user:secret@example.com/', 400, 'callbackUrl: must not hold a user name or password'],
    ['http://localhost:1/', 403, 'LAB_API_WEBHOOK_HOSTS can allow it by name'],
    ['http://169.254.169.254/', 403, 'LAB_API_WEBHOOK_HOSTS can allow it by name'],
    ['http://[::ffff:127.0.0.1]/', 403, 'LAB_API_WEBHOOK_HOSTS can allow it by name'],
  ])('%s is refused, and nothing is queued', async (callbackUrl, status, words) => {
    const reply = await withoutHosts.post('/jobs', { action: 'status', callbackUrl });
    expect(reply.status).toBe(status);
    expect(reply.json.errors[0].field).toBe('callbackUrl');
    expect(reply.json.error).toContain(words);
    expect((await withoutHosts.get('/jobs')).json.jobs).toEqual([]);
  });

  test('at another host than those that are allowed is refused', async () => {
    const body = { action: 'status', callbackUrl: 'https://example.com/' };
    expect((await plain.post('/jobs', body)).json.error).toBe(
      'callbackUrl: the host example.com is not among those that this server allows (LAB_API_WEBHOOK_HOSTS)',
    );
  });

  test('is not led elsewhere', async () => {
    const receiver = await WebhookReceiver.make();
    receiver.answer = () => 307;
    const id = await start(plain, 'exit 9', { callbackUrl: `${receiver.url}/first` });
    await eventually('a failed try', async () => {
      const { webhook } = await plain.job(id);
      return webhook?.attempts === 1 && webhook.lastStatus === 307 && webhook.nextAttemptAt !== null;
    });
    expect(receiver.messages.map(({ path }) => path)).toEqual(['/first']);
  });
});

describe('LAB_API_WEBHOOK_URL', () => {
  test('gets what LAB_API_WEBHOOK_EVENTS names, wherever it is', async () => {
    const receiver = await WebhookReceiver.make();
    const service = await startService({
      env: {
        LAB_API_WEBHOOK_URL: `${receiver.url}/all?key=1`,
        LAB_API_WEBHOOK_EVENTS: 'job.failed,lab,service.stopping,job.removed',
        LAB_API_WEBHOOK_SECRET: webhookSecret,
      },
    });
    const { workdir } = service.ground;
    const up = await service.start({ action: 'up', workdir, topology: topologyThat('true') });
    expect((await service.ended(up)).state).toBe('success');
    const [appeared] = await receiver.got(1);
    expect(appeared?.body).toMatchObject({
      type: 'lab.appeared',
      data: { lab: { instance: 'default', directory: workdir } },
    });
    const id = await start(service, 'exit 9');
    await receiver.got(2);
    await service.request(`/jobs/${id}`, { method: 'DELETE' });
    const messages = await receiver.got(3);
    expect(receiver.types('/all?key=1')).toEqual(['lab.appeared', 'job.failed', 'job.removed']);
    for (const message of messages) WebhookReceiver.verify(message);
    await service.stop();
    const next = await startService({
      ground: service.ground,
      env: { LAB_API_WEBHOOK_URL: receiver.url, LAB_API_WEBHOOK_EVENTS: 'service.stopping' },
    });
    await receiver.got(4);
    // By the one that stops, when it comes to that, else by the next one, to where it sends messages: by both, when the first
    // stops before it has read the answer. The message is one all the same, which its id says.
    const stopping = receiver.messages.filter(({ body }) => body.type === 'service.stopping');
    expect(new Set(stopping.map((message) => message.id)).size).toBe(1);
    expect(receiver.messages.at(-1)).toMatchObject({ body: { type: 'service.stopping' } });
    await next.stop();
  });
});
