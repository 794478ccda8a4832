import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { withExpressPrototypes } from '../../../src/http/express-prototypes.ts';

test('what Node makes has the prototypes of the application before Express sets them', async () => {
  const app = express();
  app.get('/', (req, res) => void res.json([req.query['a'], req.app === app, res.app === app]));
  const server = http.createServer(withExpressPrototypes(app));
  const prototypes: unknown[] = [];
  server.on('request', (req: http.IncomingMessage, res: http.ServerResponse) => {
    prototypes.push(Object.getPrototypeOf(req), Object.getPrototypeOf(res));
    app(req, res);
    prototypes.push(Object.getPrototypeOf(req), Object.getPrototypeOf(res));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/?a=b`);
    expect(await reply.json()).toEqual(['b', true, true]);
    const [req, res, laterReq, laterRes] = prototypes;
    expect(req).not.toBe(http.IncomingMessage.prototype);
    expect(laterReq).toBe(req);
    expect(res).not.toBe(http.ServerResponse.prototype);
    expect(laterRes).toBe(res);
  } finally {
    server.close();
  }
});
