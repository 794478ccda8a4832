/** The client that programs import, against the built service. */
import { describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { FeedNews } from '../../src/client/follow.ts';
import { LabApiClient } from '../../src/client/lab-api-client.ts';
import { freePort } from '../support/free-port.ts';
import { repoRoot } from '../support/repo-files.ts';
import { makeGround, runCommand, startProgram, startService, topologyThat } from '../support/service.ts';

describe('LabApiClient', () => {
  test('follows jobs over a kill of the service: every state of a job once, in order', async () => {
    const ground = makeGround();
    const env = { LAB_API_PORT: String(await freePort()) };
    const first = await startProgram({ ground, env });
    const client = new LabApiClient({ url: first.url });
    const news = client.followEvents({ types: ['job'] });
    const kinds = [(await news.next()).value?.kind, (await news.next()).value?.kind];
    expect(kinds).toEqual(['snapshot', 'ready']);
    const { id } = await client.startJob({
      action: 'create',
      workdir: ground.workdir,
      topology: topologyThat('wait_for go'),
    });
    await ground.waitsFor('go');
    await first.end('SIGKILL');
    await startProgram({ ground, env });
    ground.let('go');
    const states: string[] = [];
    for await (const { kind, data } of news as AsyncGenerator<Extract<FeedNews, { kind: 'job' }>>) {
      expect(kind).toBe('job');
      if (data.job.id === id && data.change !== 'progress') states.push(data.job.state);
      if (states.at(-1) === 'success') break;
    }
    expect(states).toEqual(['queued', 'running', 'success']);
    expect(await client.waitForJob(id)).toMatchObject({ state: 'success', exitCode: 0 });
  });

  test('the example in docs/command-line.md type-checks and runs', async () => {
    const service = await startService();
    const { workdir } = service.ground;
    writeFileSync(path.join(workdir, 'topology.yml'), topologyThat('echo configured'));
    const page = readFileSync(path.join(repoRoot, 'docs', 'command-line.md'), 'utf8');
    const example = /```ts\n(.*?)```/s.exec(page)?.[1] ?? '';
    // The package finds itself by its name only from a directory below it.
    const directory = mkdtempSync(path.join(repoRoot, 'dist', 'example-'));
    try {
      const program = path.join(directory, 'example.mts');
      writeFileSync(program, example);
      const tsc = path.join(repoRoot, 'node_modules', '.bin', 'tsc');
      const flags = [
        '--ignoreConfig',
        '--rootDir',
        directory,
        '--outDir',
        directory,
        '--strict',
        '--module',
        'nodenext',
        '--target',
        'es2023',
      ];
      const types = ['--types', 'node', '--typeRoots', path.join(repoRoot, 'node_modules', '@types')];
      const checked = runCommand([tsc, ...flags, ...types, program], process.env, directory);
      expect([await checked.exit, checked.output()]).toEqual([0, '']);
      const js = path.join(directory, 'example.mjs');
      const text = readFileSync(js, 'utf8');
      writeFileSync(js, text.replace('http://127.0.0.1:8090', service.url).replace('/labs/demo', workdir));
      const run = runCommand([process.execPath, js], process.env, directory);
      expect([await run.exit, run.output()]).toEqual([
        0,
        expect.stringMatching(/configured\n[^]*^success null$/m),
      ]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test('says what is missing when an environment variable is not set', () => {
    for (const url of [undefined, ''])
      expect(() => new LabApiClient({ url: url as string })).toThrow(/^url is required: /);
    expect(() => new LabApiClient({ url: '127.0.0.1:8090' })).toThrow('not an http or https URL');
  });

  test('lists every job, page by page', async () => {
    const service = await startService({ env: { LAB_API_MAX_RUNNING_JOBS: '1' } });
    const client = new LabApiClient({ url: service.url });
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.unshift((await client.startJob({ action: 'status' })).id);
    const seen: string[] = [];
    for await (const job of client.allJobs({ action: 'status' })) seen.push(job.id);
    expect(seen).toEqual(ids);
    await client.waitForJob(ids[0]!);
  });

  test('asks again with the same key when a reply is lost: one job', async () => {
    const service = await startService();
    const target = new URL(service.url);
    const keys: unknown[] = [];
    // Hands the first request on, and loses the reply to it.
    const proxy = http.createServer((req, res) => {
      keys.push(req.headers['idempotency-key']);
      const isFirst = keys.length === 1;
      const { method, url: asked, headers } = req;
      const onward = http.request(
        { host: target.hostname, port: target.port, method, path: asked, headers },
        (reply) =>
          isFirst
            ? reply.resume().once('end', () => res.destroy())
            : reply.pipe(res.writeHead(reply.statusCode ?? 0)),
      );
      req.pipe(onward);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    try {
      const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      const lost: Error[] = [];
      const job = await new LabApiClient({ url }).startJob(
        { action: 'status' },
        { onLost: (error) => lost.push(error) },
      );
      expect(lost).toHaveLength(1);
      expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
      expect((await service.get('/jobs')).json.jobs).toMatchObject([{ id: job.id }]);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });

  test('does not follow a redirect: the password would go with it', async () => {
    let asked = 0;
    const thief = http.createServer((_req, res) => {
      asked += 1;
      res.end('{}');
    });
    const service = http.createServer((_req, res) =>
      res.writeHead(307, { Location: `http://127.0.0.1:${(thief.address() as AddressInfo).port}/` }).end(),
    );
    for (const server of [thief, service]) await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
      const client = new LabApiClient({ url, credentials: { user: 'ops', password: 'secret' } });
      await expect(client.listJobs()).rejects.toThrow(/redirect/);
      expect(asked).toBe(0);
    } finally {
      for (const server of [thief, service]) server.close();
    }
  });

  test('gives up when the service stays away for longer than its patience', async () => {
    const client = new LabApiClient({ url: `http://127.0.0.1:${await freePort()}` });
    await expect(client.startJob({ action: 'status' }, { patienceMs: 0 })).rejects.toMatchObject({
      name: 'ConnectionError',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });
});
