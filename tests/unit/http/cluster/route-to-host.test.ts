/** Which host answers a request, as a service of this process decides it; the other host is a bare server. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Request } from 'express';
import http from 'node:http';
import * as z from 'zod';
import type { ClusterService } from '../../../../src/cluster/model/cluster-service.ts';
import type { Host } from '../../../../src/cluster/model/host.ts';
import type { JobRow } from '../../../../src/cluster/model/job-row.ts';
import type { Principal } from '../../../../src/access/model/principal.ts';
import { elsewhere } from '../../../../src/http/cluster/route-to-host.ts';
import type { HttpContext } from '../../../../src/http/context.ts';
import type { Route } from '../../../../src/http/route.ts';
import { eventually } from '../../../support/eventually.ts';
import { freePort } from '../../../support/free-port.ts';
import { request, type RequestOptions } from '../../../support/http-client.ts';
import { listeners } from '../../../support/listening.ts';
import { appOf, clusterOf, hostAt, hostNamed, olga } from '../../../support/plain-cluster.ts';

const listen = listeners();
const own = hostNamed('one', { isThis: true });
let two: Host;
/** What has been noted, and asked, of the cluster. */
let told: unknown[];

beforeEach(async () => {
  told = [];
  const server = http.createServer((req, res) => res.end(JSON.stringify({ by: 'two', url: req.url })));
  two = hostAt(await listen(server));
});

const row = { id: 'job-1-aaaaaa', state: 'running', action: 'up' } as unknown as JobRow;

const query = z.object({});
const withHost = z.object({ host: z.string().optional() });

function routeOf(about: Route['about'], more: Partial<Route> = {}): Route {
  return { about, method: 'get', operationId: 'getIt', query, ...more } as Route;
}

interface Asking extends RequestOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly parts?: Partial<ClusterService> | 'alone';
  readonly isPassedOn?: true;
  readonly principal?: Principal;
}

/** What is answered to a request for `/base/it` with this query. */
async function answer(
  route: Route,
  search = '',
  { params = {}, parts = {}, isPassedOn, principal = olga, ...options }: Asking = {},
) {
  const cluster =
    parts === 'alone'
      ? undefined
      : clusterOf([two], {
          noteWorkspace: async (name) => void told.push(['noted', name]),
          hostOfJob: async (id) => void told.push(['job', id]),
          hostOfWorkspace: async (name) => void told.push(['workspace', name]),
          row: async () => Promise.resolve(row),
          ...parts,
        });
  const context = { config: { basePath: '/base' }, mayReadJob: () => true } as unknown as HttpContext;
  const contextOf = (asking: Request): HttpContext => {
    told.push(['as', asking.principal?.name]);
    return context;
  };
  const app = appOf(
    principal,
    // One handler, for Express makes new parameters for each.
    async (req, res, next) => {
      Object.assign(req.params, params);
      if (isPassedOn) req.isPassedOn = true;
      const answerHere = (error?: unknown): void =>
        error === undefined ? void res.json({ by: 'one', params: req.params }) : next(error);
      await elsewhere(route, cluster, contextOf)(req, res, answerHere);
    },
  );
  return request(`http://127.0.0.1:${await listen(http.createServer(app))}`, `/base/it${search}`, options);
}

async function answers(...given: Parameters<typeof answer>): Promise<unknown> {
  return (await answer(...given)).json.by;
}

const found = (host: Host | undefined) => async () => Promise.resolve(host);

describe('a service that works alone', () => {
  test('answers by itself', async () => {
    expect(await answers(routeOf('everyHost', { query: withHost }), '', { parts: 'alone' })).toBe('one');
    expect(await answers(routeOf('everyHost', { query: withHost }), '?host=', { parts: 'alone' })).toBe(
      'one',
    );
    expect(await answers(routeOf('job'), '?host=two', { parts: 'alone' })).toBe('one');
  });
});

describe('the host that a request is about', () => {
  const params = { id: 'job-1-aaaaaa', name: 'blue' };

  test('of a job is the one that has it', async () => {
    const hostOfJob = async (id: string) => Promise.resolve(id === params.id ? two : own);
    const reply = await answer(routeOf('job'), '?wait=1', { params, parts: { hostOfJob } });
    expect(reply.json).toEqual({ by: 'two', url: '/it?wait=1' });
    expect(await answers(routeOf('job'), '', { params: { id: 'other' }, parts: { hostOfJob } })).toBe('one');
  });

  test('of a job that no host has is this one, which says so', async () => {
    expect(await answers(routeOf('job'), '', { params })).toBe('one');
    expect(told).toEqual([['job', params.id]]);
  });

  test('of a workspace is the one that has it', async () => {
    const parts = { hostOfWorkspace: async (name: string) => Promise.resolve(name === 'blue' ? two : own) };
    expect(await answers(routeOf('workspace'), '', { params, parts })).toBe('two');
    expect(
      await answers(routeOf('workspace', { method: 'put' }), '', { params: { name: 'red' }, parts }),
    ).toBe('one');
  });

  test('of a new workspace is the one that is wanted, or the one that is asked for a template, or has most room', async () => {
    const hostForWorkspace = async (name: string, wanted: string | undefined) => {
      told.push([name, wanted]);
      return Promise.resolve(two);
    };
    const route = routeOf('workspace', { operationId: 'putWorkspace', method: 'put' });
    const searches = ['', '?host=three', '?host=', '?host=a&host=b', '?template=/t', '?template=/t&host=two'];
    for (const search of searches)
      expect(await answers(route, search, { params, parts: { hostForWorkspace }, method: 'PUT' })).toBe(
        'two',
      );
    const named = told.filter((one) => (one as unknown[])[0] === 'blue');
    expect(named).toEqual([
      ['blue', undefined],
      ['blue', 'three'],
      ['blue', undefined],
      ['blue', undefined],
      ['blue', 'id-one'],
      ['blue', 'two'],
    ]);
  });

  test('of what is no name of a workspace is this one, and nobody is asked', async () => {
    for (const name of ['../etc', ''])
      expect(await answers(routeOf('workspace', { method: 'put' }), '', { params: { name } })).toBe('one');
    expect(told).toEqual([]);
  });

  test('of a lab is the one in its name', async () => {
    expect(await answers(routeOf('lab'), '', { params: { id: 'default@two' } })).toBe('two');
    const named = routeOf('lab', { labParam: 'instance' });
    expect(await answers(named, '', { params: { instance: 'default@two', id: 'x@one' } })).toBe('two');
  });

  test('is the one that is named', async () => {
    expect(await answers(routeOf('host'), '', { params: { id: 'two' } })).toBe('two');
    expect(await answers(routeOf('host'), '', { params: { id: 'one' } })).toBe('one');
    expect(await answer(routeOf('host'), '', { params: { id: 'gone' } })).toMatchObject({ status: 404 });
  });

  test.each(['everyHost', 'thisHost'] as const)('of what lives with %s may be named', async (about) => {
    const route = routeOf(about, { query: withHost });
    expect(await answers(route, '?host=two')).toBe('two');
    expect(await answers(route, '?host=one')).toBe('one');
    expect(await answers(route)).toBe('one');
    // Nothing that this route knows: it refuses it.
    expect(await answers(routeOf(about), '?host=two')).toBe('one');
  });
});

test('a request that another host has passed on is answered here, wherever it belongs', async () => {
  const asking = {
    params: { id: 'job-1-aaaaaa' },
    parts: { hostOfJob: found(two) },
    isPassedOn: true,
  } as const;
  expect(await answers(routeOf('job'), '', asking)).toBe('one');
});

describe('this host', () => {
  test('knows a lab by the name that the lab CLI has for it', async () => {
    const { json } = await answer(routeOf('lab'), '', { params: { id: 'default@one', node: 'r1@x' } });
    expect(json.params).toMatchObject({ id: 'default', node: 'r1@x' });
    const named = routeOf('lab', { labParam: 'instance' });
    const parts = { hostsOfLab: () => [own] };
    const asked = await answer(named, '', { params: { instance: 'default', id: 'a@b' }, parts });
    expect(asked.json.params).toMatchObject({ instance: 'default', id: 'a@b' });
  });

  test('looks at a workspace that was changed once it has answered, and not when it was only read', async () => {
    const parts = { hostOfWorkspace: found(own) };
    const params = { name: 'blue' };
    await answer(routeOf('workspace'), '', { params, parts });
    await answer(routeOf('job', { method: 'put' }), '', { params, parts: { hostOfJob: found(own) } });
    await answer(routeOf('workspace', { method: 'put' }), '', { params: { name: '../x' }, parts });
    await answer(routeOf('workspace', { method: 'put' }), '', { params: { name: 'red' }, parts });
    await eventually('it is noted', () => told.length > 0);
    expect(told).toEqual([['noted', 'red']]);
  });
});

describe('for a host that does not answer', () => {
  const getJob = routeOf('job', { operationId: 'getJob' });
  const params = { id: row.id };

  test.each([
    ['that is known to be away', async () => hostNamed('gone', { state: 'away' })],
    ['of which nobody has noticed yet that it is away', async () => hostAt(await freePort(), 'gone')],
  ])('%s, this one tells what is known, to whoever may know it', async (_what, gone) => {
    const parts = { hostOfJob: found(await gone()) };
    const reply = await answer(getJob, '', { params, parts });
    expect(reply).toMatchObject({ status: 200, json: { id: row.id, host: 'gone', stale: true } });
    expect(told).toEqual([['as', 'olga']]);
    const other = await answer(routeOf('job', { operationId: 'getJobLog' }), '', { params, parts });
    expect(other).toMatchObject({ status: 503, json: { code: 'host-unavailable' } });
  });

  test('but is there, this one tells nothing in its place', async () => {
    const server = http.createServer((_req, res) => res.writeHead(404).end('{"by":"two"}'));
    const parts = { hostOfJob: found(hostAt(await listen(server))) };
    expect(await answer(getJob, '', { params, parts })).toMatchObject({ status: 404, json: { by: 'two' } });
  });

  test('because the login has ended, this one tells that, and not what is known', async () => {
    const principal = { ...olga, revoked: AbortSignal.abort() };
    const parts = { hostOfJob: found(two) };
    expect(await answer(getJob, '', { params, parts, principal })).toMatchObject({ status: 401 });
  });
});
