import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { startService } from '../support/service.ts';

describe('without a password', () => {
  test('a name that any site may point at this address is refused, also from a page that looks like ours', async () => {
    const { url } = await startService();
    await request(url).get('/healthz').set('Host', 'localhost:1').expect(200);
    const reply = await request(url)
      .post('/jobs')
      .set({ Host: 'evil.example', Origin: 'http://evil.example', 'Sec-Fetch-Site': 'same-origin' })
      .send({ action: 'status' });
    expect(reply.status).toBe(403);
    expect(reply.body).toMatchObject({
      code: 'forbidden-host',
      error: expect.stringContaining('LAB_API_ALLOWED_HOSTS'),
    });
    expect((await request(url).get('/jobs')).body).toMatchObject({ jobs: [] });
  });

  test('a name that the administrator allows is answered', async () => {
    const { url } = await startService({ env: { LAB_API_ALLOWED_HOSTS: 'Labs.example, other.example' } });
    await request(url).get('/healthz').set('Host', 'labs.example:443').expect(200);
  });
});

test('with a password, any name is answered: a page of another site does not know it', async () => {
  const { url } = await startService({ env: { LAB_API_USER: 'u', LAB_API_PASSWORD: 'p' } });
  await request(url).get('/healthz').auth('u', 'p').set('Host', 'labs.example').expect(200);
});
