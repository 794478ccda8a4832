/** What labs are called in a cluster, and who has them; other hosts are bare servers of this process. */
import { describe, expect, test } from '@jest/globals';
import http from 'node:http';
import type { Host } from '../../../../src/cluster/model/host.ts';
import { findLab, labIdOf, splitLabId } from '../../../../src/http/cluster/lab-ids.ts';
import { request } from '../../../support/http-client.ts';
import { listeners } from '../../../support/listening.ts';
import { appOf, clusterOf, hostAt, hostNamed } from '../../../support/plain-cluster.ts';

const listen = listeners();

describe('the name of a lab', () => {
  test.each([
    ['default', 'default', undefined],
    ['default@two', 'default', 'two'],
    ['a@b@two', 'a@b', 'two'],
    ['a@', 'a', ''],
    // The lab CLI may call one so; it is no host.
    ['@two', '@two', undefined],
    ['', '', undefined],
  ])('"%s" has these parts', (id, instance, host) => {
    expect(splitLabId(id)).toEqual({ instance, host });
  });

  test('has its host in a cluster alone', () => {
    expect(labIdOf('default', { name: 'two' })).toBe('default@two');
    expect(labIdOf('default', undefined)).toBe('default');
  });
});

/** What a service finds. `known` are the hosts that have told of it. */
async function found(id: string, others: readonly Host[], known: readonly string[] = []) {
  const cluster = clusterOf(others, {
    hostsOfLab: (instance) =>
      instance === 'default' ? [hostNamed('one'), ...others].filter(({ name }) => known.includes(name)) : [],
  });
  const asker = { name: 'olga', role: 'viewer' as const, workdirs: null };
  const app = appOf(undefined, async (_req, res) => {
    res.json((await findLab(cluster, { id, asker, res }))?.name ?? null);
  });
  const { json } = await request(`http://127.0.0.1:${await listen(http.createServer(app))}`, '/');
  return { json: json as unknown, asked: cluster.asked };
}

async function answering(name: string, status: number): Promise<Host> {
  const server = http.createServer((_req, res) => void res.writeHead(status).end('{}'));
  return hostAt(await listen(server), name);
}

describe('a lab', () => {
  test('is on the host that its name has, without anybody being asked', async () => {
    const others = [await answering('two', 200), await answering('three', 200)];
    expect(await found('default@three', others, ['two'])).toEqual({ json: 'three', asked: [] });
    expect((await found('default@nowhere', others)).json).toMatchObject({ code: 'host-not-found' });
  });

  test('is on the host that has told of it, without anybody being asked', async () => {
    const others = [await answering('two', 200), await answering('three', 200)];
    expect(await found('default', others, ['three'])).toEqual({ json: 'three', asked: [] });
  });

  test('that nobody has told of yet is on the host that knows it when it is asked', async () => {
    const others = [await answering('two', 404), await answering('three', 200)];
    const { json, asked } = await found('my lab/1', others);
    expect(json).toBe('three');
    const asker = { name: 'olga', role: 'viewer', workdirs: null };
    expect(asked).toEqual(
      ['two', 'three'].map((host) => ({ host, method: 'GET', path: '/labs/my%20lab%2F1', asker })),
    );
  });

  test('that nobody knows is on none', async () => {
    expect((await found('default', [await answering('two', 404)])).json).toBeNull();
  });

  test.each([
    ['have told of', ['one', 'two'], 404, 'default@one, default@two'],
    ['know when they are asked', [], 200, 'default@two, default@three'],
  ])('that several hosts %s is to be named with one of them', async (_what, known, status, names) => {
    const { json } = await found(
      'default',
      [await answering('two', status), await answering('three', status)],
      known,
    );
    expect(json).toMatchObject({
      code: 'conflict',
      detail: `several hosts have a lab "default": ask for one of ${names}`,
    });
  });
});
