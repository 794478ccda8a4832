/** What the service tells of itself: the description of its API, and the page that shows it. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { expectProblem } from '../support/problem.ts';
import { startService, type RunningService } from '../support/service.ts';

const auth = { LAB_API_USER: 'ops', LAB_API_PASSWORD: 'secret' };
const authorization = { Authorization: `Basic ${Buffer.from('ops:secret').toString('base64')}` };

describe('a service without a password', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });

  test('says that it wants none, and that names of others are refused', async () => {
    const { json, headers } = await service.get('/openapi.json');
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' });
    expect(json).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./), servers: [{ url: '/' }] });
    expect(json).not.toHaveProperty('security');
    expect(json.components).not.toHaveProperty('securitySchemes');
    expect(json.paths['/jobs'].get.responses).toHaveProperty(['403']);
  });

  test('declares the 401 of a service with a password, so that clients made from it understand that one', async () => {
    const { json } = await service.get('/openapi.json');
    for (const operations of Object.values<Record<string, { responses: object }>>(json.paths))
      for (const { responses } of Object.values(operations))
        expect(responses).toHaveProperty(['401'], { $ref: '#/components/responses/Unauthorized' });
    expect(json.components.responses).toHaveProperty('Unauthorized');
  });

  test('says the same as YAML', async () => {
    const [json, yaml] = await Promise.all([service.get('/openapi.json'), service.get('/openapi.yaml')]);
    expect(parse(yaml.text)).toEqual(json.json);
  });

  test.each([
    ['/openapi.json', 'application/json'],
    ['/openapi.yaml', 'text/yaml'],
    ['/docs', 'text/html'],
    ['/docs/start.js', 'text/javascript'],
    ['/docs/style.css', 'text/css'],
    ['/docs/swagger-ui-bundle.js', 'text/javascript'],
    ['/docs/swagger-ui.css', 'text/css'],
  ])('%s has its type and an entity tag, and a client that has it gets 304', async (target, type) => {
    const first = await service.get(target);
    expect(first).toMatchObject({
      status: 200,
      headers: { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' },
    });
    const again = await service.get(target, { 'If-None-Match': String(first.headers['etag']) });
    expect(again).toMatchObject({ status: 304, text: '' });
  });

  test('GET / leads there', async () => {
    const { json } = await service.get('/');
    expect(json).toMatchObject({ docs: '/docs', links: { openapi: '/openapi.json' } });
  });

  test('over plain HTTP, the page is not told to load its scripts by HTTPS', async () => {
    const { headers } = await service.get('/docs');
    expect(headers['content-security-policy']).toContain("script-src 'self'");
    expect(headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
  });

  test.each(['/docs/nothing.js', '/docs/index.html', '/docs/..%2f..%2fmain.js', '/docs/LICENSE'])(
    '%s is nothing of the page',
    async (target) => {
      const reply = await service.get(target);
      expectProblem(reply, 404, 'not-found');
      expect(reply.json.detail).toBe(`there is nothing at ${target}`);
    },
  );
});

describe('a service with a password and a base path', () => {
  let service: RunningService;
  beforeAll(async () => {
    const env = {
      ...auth,
      LAB_API_BASE_PATH: '/netlab',
      LAB_API_PUBLIC_HEALTHZ: 'true',
      LAB_API_PUBLIC_READYZ: 'true',
    };
    service = await startService({ env });
  });

  test.each(['/openapi.json', '/openapi.yaml', '/docs', '/docs/swagger-ui.css'])(
    '%s is for those who log in',
    async (target) => {
      expect((await service.get(target)).status).toBe(401);
      expect((await service.get(target, authorization)).status).toBe(200);
    },
  );

  test('says so', async () => {
    const { json } = await service.get('/openapi.json', authorization);
    expect(json).toMatchObject({
      servers: [{ url: '/netlab' }],
      security: [{ basic: [] }, { bearer: [] }, { session: [] }],
      components: { securitySchemes: { basic: { type: 'http', scheme: 'basic' } } },
    });
    expect(json.paths['/healthz'].get).toMatchObject({ security: [] });
    expect(json.paths['/readyz'].get).toMatchObject({ security: [] });
    expect(json.paths['/labs'].get).not.toHaveProperty('security');
  });

  test('everything that the page loads is on this server, in a file of its own', async () => {
    const page = (await service.get('/docs', authorization)).text;
    expect(page).not.toMatch(/\{\{|<script>|<style>|\son\w+=|\sstyle=/);
    const named = [...page.matchAll(/(?:src|href|data-document)="([^"]*)"/g)].map(
      ([, target = '']) => target,
    );
    const targets = named.filter((target) => target !== 'data:,');
    expect(targets.length).toBeGreaterThan(5);
    for (const target of targets) {
      expect(target).toMatch(/^\/netlab\//);
      const { status } = await service.get(target.replace('/netlab', ''), authorization);
      expect([target, status]).toEqual([target, 200]);
    }
  });
});
