/** What keeps pages of other sites and clever addresses away: cross-site guard, headers, base path. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { expectProblem } from '../support/problem.ts';
import { startService, type RunningService } from '../support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});

describe('a change that another site asks for', () => {
  test.each<[string, Record<string, string>]>([
    ['Sec-Fetch-Site: cross-site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another Origin', { Origin: 'https://evil.example' }],
  ])('with %s is 403 and does nothing', async (_what, headers) => {
    expectProblem(await service.post('/jobs', { action: 'status' }, headers), 403, 'cross-site');
    expectProblem(await service.post('/jobs/job-1-000000/cancel', {}, headers), 403, 'cross-site');
    expectProblem(await service.request('/jobs', { method: 'DELETE', headers }), 403, 'cross-site');
    expect((await service.get('/jobs')).json.jobs).toEqual([]);
    // Reading is what the same-origin policy of browsers is for.
    expect((await service.get('/jobs', headers)).status).toBe(200);
  });

  test.each(['cross-site', 'same-site'])('cannot be a GET that starts something either: %s', async (site) => {
    const headers = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' };
    for (const target of [
      '/labs/default/nodes/r1/interfaces/eth1/capture',
      '/labs/default/nodes/r1/log',
      '/labs/default/nodes/r1/log?follow=true',
      '/jobs/job-1-000000/log?follow=true',
      '/events',
    ]) {
      for (const method of ['GET', 'HEAD']) {
        const reply = await service.request(target, { method, headers });
        expect([target, method, reply.status]).toEqual([target, method, 403]);
      }
      expectProblem(await service.get(target, headers), 403, 'cross-site');
    }
    const events = { ...headers, Accept: 'text/event-stream' };
    expectProblem(await service.get('/jobs/job-1-000000/log', events), 403, 'cross-site');
    // A link to a log that is not followed works.
    expectProblem(await service.get('/jobs/job-1-000000/log', headers), 404, 'job-not-found');
  });

  test.each(['same-origin', 'none'])(
    'starts something for our own page and for a person: %s',
    async (site) => {
      const headers = { 'Sec-Fetch-Site': site };
      expectProblem(await service.get('/labs/default/nodes/r1/log', headers), 404, 'instance-not-found');
      expectProblem(await service.get('/jobs/job-1-000000/log?follow=true', headers), 404, 'job-not-found');
    },
  );

  test.each<[string, (origin: string) => Record<string, string>]>([
    ['no browser header', () => ({})],
    ['its own Origin', (origin) => ({ Origin: origin })],
  ])('is told from one of our own by %s', async (_what, headers) => {
    const reply = await service.post(
      '/jobs',
      { action: 'status', workdir: '/nowhere' },
      headers(service.url),
    );
    expectProblem(reply, 404, 'workdir-not-found');
  });
});

test.each(['/healthz', '/nothing', '/jobs', '/status?output=text'])(
  '%s carries the headers of helmet',
  async (path) => {
    const { headers } = await service.get(path);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    });
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("object-src 'none'");
    expect(policy).not.toContain('unsafe-eval');
    // Over plain HTTP, these two would only break pages.
    expect(policy).not.toContain('upgrade-insecure-requests');
    expect(headers['strict-transport-security']).toBeUndefined();
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['access-control-allow-origin']).toBeUndefined();
  },
);

describe('under a base path', () => {
  let based: RunningService;
  beforeAll(async () => {
    based = await startService({ env: { LAB_API_BASE_PATH: '/lab/api/' } });
  });
  const root = (): string => new URL(based.url).origin;

  test('everything is there, and links stay there', async () => {
    for (const path of ['healthz', 'readyz', 'templates', 'jobs', 'status']) {
      expect((await fetch(`${root()}/lab/api/${path}`)).status).toBe(200);
    }
    const post = await fetch(`${root()}/lab/api/jobs`, { method: 'POST', body: '{"action":"status"}' });
    const { id } = (await post.json()) as { id: string };
    expect(post.headers.get('Location')).toBe(`/lab/api/jobs/${id}`);
    await fetch(`${root()}/lab/api/jobs`, { method: 'POST', body: '{"action":"status"}' });
    const page = await fetch(`${root()}/lab/api/jobs?limit=1`);
    expect(page.headers.get('Link')).toMatch(
      /^<\/lab\/api\/jobs\?limit=1&cursor=job-\d+-[0-9a-f]{6}>; rel="next"$/,
    );
  });

  test.each(['/healthz', '/jobs', '/', '/lab', '/lab/apis/healthz', '/lab/apihealthz'])(
    '%s is 404',
    async (path) => {
      expect((await fetch(`${root()}${path}`)).status).toBe(404);
    },
  );

  test('a password is wanted outside of it, too', async () => {
    const secured = await startService({
      env: {
        LAB_API_BASE_PATH: '/lab',
        LAB_API_USER: 'a',
        LAB_API_PASSWORD: 'b',
        LAB_API_PUBLIC_HEALTHZ: 'true',
      },
    });
    const { origin } = new URL(secured.url);
    const statuses = ['/', '/jobs', '/healthz', '/lab', '/lab/jobs', '/lab/healthz'].map(
      async (path) => (await fetch(`${origin}${path}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 401, 401, 401, 401, 200]);
  });
});
