import { describe, expect, test } from '@jest/globals';
import os from 'node:os';
import request from 'supertest';
import { startService } from '../support/service.ts';

describe('without a password', () => {
  test.each([
    '127.0.0.1:8090',
    '[::1]:8090',
    '10.1.2.3',
    'localhost',
    'localhost:1',
    'x.localhost',
    'LOCALHOST.',
    os.hostname(),
  ])('the name %s is answered', async (host) => {
    const { url } = await startService();
    await request(url).get('/healthz').set('Host', host).expect(200);
  });

  test.each([
    'evil.example',
    'evil.example:8090',
    'localhost.evil.example',
    '127.0.0.1.nip.example',
    '1.2.3.4.5',
    '[::1].evil.example',
    '[::1]evil.example:80',
    '[::1',
  ])(
    'the name %s, which anybody may point at this address, is refused, also when the request looks like one of our own pages',
    async (host) => {
      const { url } = await startService();
      const reply = await request(url)
        .post('/jobs')
        .set({ Host: host, Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin' })
        .send({ action: 'status' });
      expect(reply.status).toBe(403);
      expect(reply.body).toMatchObject({
        code: 'forbidden-host',
        error: expect.stringContaining('LAB_API_ALLOWED_HOSTS'),
      });
      expect((await request(url).get('/jobs')).body).toMatchObject({ jobs: [] });
    },
  );

  test('a name that the administrator allows is answered', async () => {
    const { url } = await startService({ env: { LAB_API_ALLOWED_HOSTS: 'Labs.example, other.example' } });
    await request(url).get('/healthz').set('Host', 'labs.example:443').expect(200);
  });
});

test('with a password, any name is answered: a page of another site does not know it', async () => {
  const { url } = await startService({ env: { LAB_API_USER: 'u', LAB_API_PASSWORD: 'p' } });
  await request(url).get('/healthz').auth('u', 'p').set('Host', 'labs.example').expect(200);
});
