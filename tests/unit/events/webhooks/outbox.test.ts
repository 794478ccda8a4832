import { afterEach, describe, expect, test } from '@jest/globals';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Delivery } from '../../../../src/events/webhooks/delivery.ts';
import { DeliveryFile } from '../../../../src/events/webhooks/delivery-file.ts';
import { Outbox, type OutboxLimits } from '../../../../src/events/webhooks/outbox.ts';
import { sendWebhook } from '../../../../src/events/webhooks/send-webhook.ts';
import { eventually } from '../../../support/eventually.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { WebhookReceiver } from '../../../support/webhook-receiver.ts';

const root = temporaryDirectory();
const newFile = (): string => path.join(mkdtempSync(path.join(root, 'data-')), 'webhooks.jsonl');

const limits: OutboxLimits = {
  firstDelayMs: 5,
  maxDelayMs: 40,
  giveUpMs: 60_000,
  timeoutMs: 10_000,
  maxPendingPerReceiver: 100,
  maxPending: 200,
};

/** The next try is not within the test. */
const slow = { firstDelayMs: 600_000, maxDelayMs: 7_200_000, giveUpMs: 86_400_000 };

interface Opened {
  readonly outbox: Outbox;
  readonly file: DeliveryFile;
  readonly log: MemoryLogger;
}

const opened: Opened[] = [];
afterEach(() => {
  for (const { outbox } of opened.splice(0)) outbox.close();
});

async function open(name: string, changes: Partial<OutboxLimits> = {}): Promise<Opened> {
  const log = new MemoryLogger();
  const file = new DeliveryFile(name, log);
  await file.load();
  const settings = { url: undefined, secret: undefined, hosts: ['127.0.0.1'], version: '1' };
  const outbox = new Outbox({
    file,
    log,
    serverHost: undefined,
    limits: { ...limits, ...changes },
    send: async (delivery, signal) => sendWebhook(delivery, settings, signal),
    onServerGone: () => undefined,
  });
  outbox.open();
  const all = { outbox, file, log };
  opened.push(all);
  return all;
}

function message(url: string, job: string, id: string): Delivery {
  const now = new Date().toISOString();
  const body = JSON.stringify({ type: id });
  const progress = { attempts: 0, lastStatus: null, createdAt: now, nextAttemptAt: now };
  return { id, to: 'callback', url, job, lane: `callback ${job}`, body, ...progress };
}

const isEmpty = ({ file }: Opened) => eventually('all is delivered', () => file.state.pending.size === 0);

describe('an outbox', () => {
  test('tries again with the same id, and keeps the order of a lane', async () => {
    const receiver = await WebhookReceiver.make();
    let refusals = 3;
    receiver.answer = ({ body }) => (body.type === 'a1' && (refusals -= 1) >= 0 ? 503 : 204);
    const all = await open(newFile());
    await all.outbox.add('e1', [message(receiver.url, 'a', 'a1'), message(receiver.url, 'b', 'b1')]);
    await all.outbox.add('e2', [message(receiver.url, 'a', 'a2'), message(receiver.url, 'a', 'a3')]);
    await isEmpty(all);
    expect(receiver.types().filter((type) => type.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
    expect(receiver.messages.filter(({ id }) => id === 'a1').map(({ status }) => status)).toEqual([
      503, 503, 503, 204,
    ]);
    expect(all.outbox.counts).toEqual({ delivered: 4, failed: 3, 'gave-up': 0, gone: 0, dropped: 0 });
    expect(all.outbox.stateOf('a')).toEqual({
      state: 'delivered',
      attempts: 1,
      lastStatus: 204,
      nextAttemptAt: null,
    });
  });

  test('gives a message up after its time, and goes on with the next', async () => {
    const receiver = await WebhookReceiver.make();
    receiver.answer = ({ body }) => (body.type === 'a1' ? 500 : 204);
    const all = await open(newFile(), { giveUpMs: 30 });
    await all.outbox.add('e1', [message(receiver.url, 'a', 'a1')]);
    await eventually('it is given up', () => all.outbox.stateOf('a')?.state === 'gave-up');
    await all.outbox.add('e2', [message(receiver.url, 'a', 'a2')]);
    await isEmpty(all);
    expect(receiver.types()).toEqual(['a2']);
    expect(all.log.errors()).toEqual(['a webhook is given up']);
  });

  test('does not wait for a receiver that does not answer', async () => {
    const receiver = await WebhookReceiver.make();
    let isSilent = true;
    receiver.answer = () => (isSilent ? undefined : 204);
    const all = await open(newFile(), { timeoutMs: 20 });
    await all.outbox.add('e1', [message(receiver.url, 'a', 'a1')]);
    await receiver.got(2);
    expect(all.outbox.stateOf('a')).toMatchObject({ state: 'pending', lastStatus: null });
    isSilent = false;
    await isEmpty(all);
  });

  test('sends what waits for its next try as soon as the receiver takes another message, in order', async () => {
    const receiver = await WebhookReceiver.make();
    receiver.answer = () => 503;
    const all = await open(newFile(), slow);
    const old = ['a', 'b', 'c', 'd', 'e', 'f'].map((job) => message(receiver.url, job, `${job}1`));
    await all.outbox.add('e1', [...old, message(receiver.url, 'a', 'a2')]);
    await eventually('all were tried', () => all.outbox.counts.failed === 6);
    receiver.answer = () => 204;
    await all.outbox.add('e2', [message(receiver.url, 'new', 'new1')]);
    await isEmpty(all);
    expect(receiver.types()[0]).toBe('new1');
    expect(receiver.types().filter((type) => type.startsWith('a'))).toEqual(['a1', 'a2']);
    expect(receiver.messages).toHaveLength(14);
  });

  test('does not send with every other message one that its receiver never takes', async () => {
    const receiver = await WebhookReceiver.make();
    receiver.answer = ({ body }) => (body.type === 'bad' ? 500 : 204);
    const all = await open(newFile(), slow);
    await all.outbox.add('e', [message(receiver.url, 'bad', 'bad')]);
    await eventually('it was tried', () => all.outbox.counts.failed === 1);
    for (let number = 1; number <= 20; number += 1) {
      await all.outbox.add(`e${number}`, [message(receiver.url, `j${number}`, `m${number}`)]);
      await eventually('it is taken', () => all.outbox.counts.delivered === number);
      await eventually('the bad one was tried again, once', () => all.outbox.counts.failed === 2);
    }
    expect(receiver.messages.filter(({ id }) => id === 'bad')).toHaveLength(2);
  });

  test('says once that a receiver fails, and once that it is back', async () => {
    const receiver = await WebhookReceiver.make();
    receiver.answer = () => 503;
    const all = await open(newFile());
    await all.outbox.add('e1', [message(receiver.url, 'a', 'a1'), message(receiver.url, 'b', 'b1')]);
    await receiver.got(5);
    receiver.answer = () => 204;
    await isEmpty(all);
    const { host } = new URL(receiver.url);
    const [failed, ...others] = all.log.entries.filter(({ level }) => level !== 'debug');
    expect(failed).toMatchObject({
      level: 'warn',
      message: 'a receiver does not take webhooks',
      fields: {
        receiver: host,
        job: expect.stringMatching(/^[ab]$/),
        attempts: 1,
        cause: 'the receiver answered with status 503',
        nextAttemptAt: expect.stringMatching(/Z$/),
      },
    });
    expect(others).toEqual([
      { level: 'info', message: 'a receiver takes webhooks again', fields: { receiver: host } },
    ]);
    expect(all.log.entries.filter(({ level }) => level === 'debug').length).toBeGreaterThanOrEqual(3);
  });

  test('goes on after a restart, also with what the file cut off', async () => {
    const [receiver, name] = [await WebhookReceiver.make(), newFile()];
    receiver.answer = () => 503;
    const first = await open(name, { firstDelayMs: 30_000, maxDelayMs: 30_000 });
    await first.outbox.add('e1', [message(receiver.url, 'a', 'a1'), message(receiver.url, 'b', 'b1')]);
    await eventually('both were tried', () => first.outbox.counts.failed === 2);
    await first.outbox.add('e2', [message(receiver.url, 'a', 'a2')]);
    // As a kill leaves it.
    appendFileSync(name, '\n{"after":"e3","add":[{"id"');
    const second = await open(name);
    expect(second.file.state.position).toBe('e2');
    expect([...second.file.state.pending.keys()]).toEqual(['a1', 'b1', 'a2']);
    expect(second.outbox.stateOf('a')).toMatchObject({ state: 'pending', attempts: 1, lastStatus: 503 });
    // Taken up again after a crash: it is known.
    await second.outbox.add('e2', [message(receiver.url, 'a', 'a2')]);
    expect(second.file.state.pending.size).toBe(3);
  });

  test('writes its file anew before it is mostly waste', async () => {
    const [receiver, name] = [await WebhookReceiver.make(), newFile()];
    const all = await open(name);
    for (let number = 0; number < 6_000; number += 1) await all.outbox.add(`e${number}`, []);
    expect(readFileSync(name, 'utf8').split('\n').length).toBeLessThan(3_000);
    expect((await open(name)).file.state.position).toBe('e5999');
    receiver.close();
  });

  test('drops the oldest for a receiver when too many wait for it, and none for others', async () => {
    const [dead, receiver] = [await WebhookReceiver.make(), await WebhookReceiver.make()];
    dead.answer = () => undefined;
    const all = await open(newFile(), { maxPendingPerReceiver: 10 });
    const flood = Array.from({ length: 30 }, (_, index) => message(dead.url, `d${index}`, `d${index}`));
    await all.outbox.add('e1', [message(receiver.url, 'a', 'a1')]);
    await all.outbox.add('e2', flood);
    await receiver.got(1);
    await eventually('only ten wait', () => all.file.state.pending.size <= 10);
    expect(all.file.state.pending.has('d29')).toBe(true);
    expect(all.outbox.counts.dropped).toBe(20);
    const oldest = Array.from({ length: 20 }, (_, index) => all.outbox.stateOf(`d${index}`)?.state);
    // Up to four are under way to the receiver: they are not dropped, and the next ones are.
    expect(oldest.filter((state) => state === 'dropped').length).toBeGreaterThanOrEqual(16);
  });

  test('begins anew with a file that is none of its own, and says so', async () => {
    const name = newFile();
    writeFileSync(name, 'nonsense');
    const { file, log, outbox } = await open(name);
    expect(log.errors()).toEqual(['webhooks that were to be delivered are lost']);
    await outbox.add('e1', []);
    expect(file.state.position).toBe('e1');
    expect((await open(name)).file.state.position).toBe('e1');
  });

  test('sends all the same when the disk refuses, and writes what it knows when it can', async () => {
    const [receiver, name] = [await WebhookReceiver.make(), newFile()];
    mkdirSync(name);
    const all = await open(name);
    await all.outbox.add('e1', [message(receiver.url, 'a', 'a1')]);
    await receiver.got(1);
    expect(all.log.errors()).toContain(
      'webhooks cannot be recorded; after a restart, some may be sent twice',
    );
    await isEmpty(all);
    rmSync(name, { recursive: true });
    await all.file.close();
    expect((await open(name)).outbox.stateOf('a')?.state).toBe('delivered');
  });
});
