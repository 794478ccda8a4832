import { expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import helmet from 'helmet';
import request from 'supertest';
import { securityHeaders } from '../../../../src/http/middleware/security-headers.ts';

async function headersFrom(handler: RequestHandler): Promise<Record<string, unknown>> {
  const app = express();
  app.use(handler, (_req, res) => void res.sendStatus(204));
  const { headers } = await request(app).get('/');
  const { date: _now, 'x-powered-by': _express, ...others } = headers as Record<string, unknown>;
  return others;
}

test('over TLS they are those of helmet', async () => {
  expect(await headersFrom(securityHeaders('trusted'))).toEqual(await headersFrom(helmet()));
});

test('with a self-signed certificate, browsers keep the choice to go past a warning', async () => {
  const { 'strict-transport-security': _hsts, ...others } = await headersFrom(helmet());
  expect(await headersFrom(securityHeaders('untrusted'))).toEqual(others);
});

test('over plain HTTP nothing tells a browser to use TLS', async () => {
  const headers = await headersFrom(securityHeaders('none'));
  expect(headers).not.toHaveProperty('strict-transport-security');
  expect(headers['content-security-policy']).toContain("default-src 'self'");
  expect(headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
});
