/** Clients that do not read what they asked for. */
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import type { Response } from 'express';
import { cutOffWhenStalled, writePaced } from '../../src/http/reply/stream.ts';
import { EventReader, logOf } from '../support/event-reader.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

/** More than the buffers between two sockets hold. */
const plentyBytes = 2 ** 26;

describe('a follower that does not read', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });
  // It runs in this process, and the tests below count timers.
  afterAll(async () => service.stop());

  test('holds up nobody, and goes on where it stopped', async () => {
    const workdir = service.ground.makeWorkdir('slow');
    const topology = topologyThat('wait_for slow-1; seq 1 2500000; exit 9');
    const id = await service.start({ action: 'create', workdir, topology });
    const log = `/jobs/${id}/log?follow=true`;
    const [asText, asEvents] = await Promise.all([
      service.open(log),
      service.open(log, { headers: { Accept: 'text/event-stream' } }),
    ]);
    service.ground.let('slow-1');
    const quick = (await service.get(log)).text;
    expect(quick.endsWith('\n2499999\n2500000\n')).toBe(true);
    expect((await text(asText)) === quick).toBe(true);
    expect(logOf(await new EventReader(asEvents).until('end')) === quick).toBe(true);
  });
});

describe('a reply', () => {
  afterEach(() => void jest.useRealTimers());

  async function withReply(use: (res: Response, client: net.Socket) => Promise<void>): Promise<void> {
    const server = http.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [, res] = (await once(server, 'request')) as [http.IncomingMessage, Response];
    try {
      await use(res, client);
    } finally {
      client.destroy();
      server.close();
      server.closeAllConnections();
    }
  }

  test('cuts off a client that has not read for ten minutes', async () => {
    await withReply(async (res) => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
      const writing = writePaced(res, Buffer.alloc(plentyBytes));
      jest.advanceTimersByTime(599_999);
      expect(res.destroyed).toBe(false);
      jest.advanceTimersByTime(1);
      expect(res.destroyed).toBe(true);
      await writing;
    });
  });

  test('leaves no timer behind when the client reads', async () => {
    await withReply(async (res, client) => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
      const writing = writePaced(res, Buffer.alloc(plentyBytes));
      expect(jest.getTimerCount()).toBe(1);
      client.resume();
      await writing;
      expect(jest.getTimerCount()).toBe(0);
    });
  });

  test.each(['before its last byte', 'after it'])(
    'cuts off a client that does not take a reply of known length, %s',
    async (when) => {
      await withReply(async (res, client) => {
        client.pause();
        cutOffWhenStalled(res, 50);
        if (when === 'after it') res.end(Buffer.alloc(plentyBytes));
        else res.write(Buffer.alloc(plentyBytes));
        await once(res, 'close');
        expect(res.destroyed).toBe(true);
      });
    },
  );
});
