import { expect, test } from '@jest/globals';
import express from 'express';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { EventStream } from '../../src/http/reply/event-stream.ts';
import { open } from '../support/http-client.ts';

test('an event stream sends comments while nothing happens, so that no proxy closes it', async () => {
  const app = express();
  app.get('/', (_req, res) => void new EventStream(res, 5));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const message = await open(`http://127.0.0.1:${port}`, '/');
  let text = '';
  for await (const chunk of message as AsyncIterable<Buffer>) {
    text += chunk.toString('utf8');
    if (text.length > 30) break;
  }
  expect(text).toMatch(/^(: heartbeat\n\n)+$/);
  server.close();
});
