/** GET /: what the service says it is, and which lab CLIs it has. */
import { beforeAll, expect, test } from '@jest/globals';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { startService, type RunningService } from '../support/service.ts';

const links = {
  healthz: '/healthz',
  readyz: '/readyz',
  jobs: '/jobs',
  events: '/events',
  labs: '/labs',
  status: '/status',
  templates: '/templates',
  metrics: '/metrics',
  openapi: '/openapi.json',
};

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});

test('says where to go on, and what runs the labs', async () => {
  const { json } = await service.get('/');
  const netlab = {
    name: 'netlab',
    runtime: expect.stringMatching(/^(containers|namespaces)$/),
    otherOptions: expect.objectContaining({ status: [] }),
  };
  expect(json).toEqual({
    name: 'lab-api',
    version: expect.any(String),
    docs: '/docs',
    host: null,
    labCli: netlab,
    labClis: [{ ...netlab, version: '26.10', isInstalled: true }],
    leases: { defaultTtlSeconds: null, maxTtlSeconds: null },
    tlsPin: null,
    ssh: null,
    links,
  });
  // HEAD: the events never end.
  for (const link of Object.values(links))
    expect([link, (await service.request(link, { method: 'HEAD' })).status]).toEqual([link, 200]);
});

test('names the options that are refused here, and those alone', async () => {
  const { otherOptions } = (await service.get('/')).json.labCli;
  expect(otherOptions.collect).toEqual(['nodeFilter']);
  const collect = { action: 'collect', workdir: service.ground.workdir };
  const refused = await service.post('/jobs', { ...collect, nodeFilter: ['r1'] });
  expectProblem(refused, 400, 'invalid-request');
  expect(wrongFields(refused)).toEqual(['nodeFilter']);
  expect((await service.post('/jobs', { ...collect, tar: 'x.tar' })).status).toBe(202);
});

test('below a base path, leads to nothing else, and tells the limit of leases', async () => {
  const based = await startService({ env: { LAB_API_BASE_PATH: '/netlab', LAB_API_MAX_TTL: '1h' } });
  const { json } = await based.get('/');
  expect(json.leases).toEqual({ defaultTtlSeconds: 3600, maxTtlSeconds: 3600 });
  expect(json.docs).toBe('/netlab/docs');
  expect(json.links).toEqual(
    Object.fromEntries(Object.entries(links).map(([name, target]) => [name, `/netlab${target}`])),
  );
});

test('without its lab CLI, says that it is not there', async () => {
  const bare = await startService({
    env: { LAB_API_CLI: 'netlab', LAB_API_DEFAULT_TTL: '30m', PATH: '/nowhere' },
  });
  const { labCli, labClis, leases } = (await bare.get('/')).json;
  expect(labCli).toBeNull();
  expect(labClis).toMatchObject([{ name: 'netlab', version: null, isInstalled: false }]);
  expect(leases).toEqual({ defaultTtlSeconds: 1800, maxTtlSeconds: null });
});
