/** The examples of docs/operations.md, run by the real nginx and Caddy in front of the built service. */
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makePair, opensslMissing } from '../support/certificates.ts';
import { EventReader } from '../support/event-reader.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { repoRoot } from '../support/repo-files.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { Client } from '../support/client.ts';
import { startProgram, topologyThat, type RunningProgram } from '../support/service.ts';
import { TerminalClient } from '../support/terminal-client.ts';

interface Site {
  readonly directory: string;
  readonly port: number;
  /** Port of the service behind. */
  readonly upstream: string;
}

/** The block of documentation in this language. */
function example(language: string): string {
  const text = readFileSync(path.join(repoRoot, 'docs', 'operations.md'), 'utf8');
  return new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'm').exec(text)?.[1] ?? '';
}

/** The example with addresses and files of the test; every one of these has to be in it. */
function adapted(text: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`the example does not have "${from}"`);
    return changed.replace(from, to);
  }, text);
}

function nginxArguments({ directory, port, upstream }: Site): string[] {
  const server = adapted(example('nginx'), [
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['/etc/ssl/labs.pem', path.join(directory, 'labs.cert.pem')],
    ['/etc/ssl/labs.key', path.join(directory, 'labs.key.pem')],
    ['127.0.0.1:8090', `127.0.0.1:${upstream}`],
  ]);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = places.map((name) => `${name}_temp_path ${path.join(directory, name)};`).join('\n');
  // The worker has to reach the directory of the test, which only its owner may.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const configuration = `${user} daemon off; pid ${directory}/pid; error_log stderr;\nevents {}\nhttp { access_log off;\n${temporary}\n${server}}\n`;
  const file = path.join(directory, 'nginx.conf');
  writeFileSync(file, configuration);
  return ['-p', directory, '-c', file];
}

function caddyArguments({ directory, port, upstream }: Site): string[] {
  const certificate = `tls ${path.join(directory, 'labs.cert.pem')} ${path.join(directory, 'labs.key.pem')}`;
  const site = adapted(example('caddyfile'), [
    ['labs.example.com {', `https://127.0.0.1:${port} {\n${certificate}`],
    ['127.0.0.1:8090', `127.0.0.1:${upstream}`],
  ]);
  const file = path.join(directory, 'Caddyfile');
  writeFileSync(file, `{\nadmin off\nauto_https disable_redirects\n}\n${site}`);
  return ['run', '--adapter', 'caddyfile', '--config', file];
}

const proxies = [
  { name: 'nginx', program: requirement('nginx'), argumentsFor: nginxArguments },
  { name: 'caddy', program: requirement('caddy'), argumentsFor: caddyArguments },
];

/** The proxy has replies of its own, which no route declares. */
function throughProxy(url: string): Client {
  const common = {
    headers: { Authorization: `Basic ${Buffer.from('ops:secret').toString('base64')}` },
    tls: { rejectUnauthorized: false },
  };
  return new Client(
    url,
    common,
    () => false,
    () => undefined,
  );
}

describe.each(proxies)('$name', ({ program, argumentsFor }) => {
  const missing = program.missing ?? opensslMissing;
  const { because, it } = testUnless(missing);
  let proxy: ChildProcess | undefined;
  let service: RunningProgram;
  let client: Client;

  beforeAll(async () => {
    if (missing !== undefined) return;
    service = await startProgram({
      env: { LAB_API_BASE_PATH: '/netlab', LAB_API_USER: 'ops', LAB_API_PASSWORD: 'secret' },
    });
    const directory = path.join(service.ground.root, 'proxy');
    mkdirSync(directory);
    makePair(directory, 'labs');
    const site = { directory, port: await freePort(), upstream: new URL(service.url).port };
    const env = { PATH: '/usr/bin:/bin', HOME: directory };
    proxy = spawn(program.file, argumentsFor(site), { env, stdio: 'ignore' });
    client = throughProxy(`https://127.0.0.1:${site.port}/netlab`);
    await eventually('the proxy answers', async () => (await client.get('/healthz')).status === 200);
  });

  afterAll(async () => {
    if (proxy === undefined || proxy.exitCode !== null) return;
    const ended = once(proxy, 'exit');
    proxy.kill('SIGTERM');
    await ended;
  });

  /** A job that has printed `one`, and waits. */
  async function waitingJob(name: string): Promise<string> {
    const workdir = service.ground.makeWorkdir(name);
    const topology = topologyThat(`echo one; wait_for ${name}; echo two`);
    const id = await client.start({ action: 'up', workdir, topology });
    await service.ground.waitsFor(name);
    return id;
  }

  it(`passes the base path on; Location leads back through the proxy${because}`, async () => {
    const workdir = service.ground.makeWorkdir('located');
    const reply = await client.post('/jobs', { action: 'create', workdir, topology: topologyThat('true') });
    expect(reply.status).toBe(202);
    expect(reply.headers.location).toBe(`/netlab/jobs/${reply.json.id}`);
    const origin = throughProxy(new URL(client.url).origin);
    expect((await origin.get(String(reply.headers.location))).json).toMatchObject({ id: reply.json.id });
  });

  it(`asks for the password${because}`, async () => {
    const reply = await client.get('/jobs', { Authorization: '' });
    expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Basic/)]);
  });

  it(`passes a wish for a WebSocket on${because}`, async () => {
    const Authorization = `Basic ${Buffer.from('ops:secret').toString('base64')}`;
    const terminal = new TerminalClient(client.url, '/labs/nobody/nodes/r1/terminal', { Authorization });
    // Who does not ask for one is told so before anybody looks for the lab.
    expect(await terminal.refused()).toMatchObject({ status: 404, json: { code: 'instance-not-found' } });
  });

  it(`lets a page of the same site submit, and no other${because}`, async () => {
    const { origin } = new URL(client.url);
    const body = { action: 'status', workdir: service.ground.workdir };
    expect((await client.post('/jobs', body, { Origin: origin })).status).toBe(202);
    expect((await client.post('/jobs', body, { Origin: 'https://elsewhere.example' })).status).toBe(403);
  });

  it(`a followed log arrives while the job runs${because}`, async () => {
    const id = await waitingJob('followed');
    const stream = await client.open(`/jobs/${id}/log?follow=true`);
    const chunks = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    let text = '';
    while (!text.includes('one\n')) text += String((await chunks.next()).value);
    expect((await client.job(id)).state).toBe('running');
    service.ground.let('followed');
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) text += String(next.value);
    expect(text).toMatch(/^one\ntwo\n/);
  });

  it(`server-sent events arrive while the job runs, and resume${because}`, async () => {
    const id = await waitingJob('events');
    const reader = new EventReader(
      await client.open(`/jobs/${id}/log`, { headers: { Accept: 'text/event-stream' } }),
    );
    const before = await reader.until('log');
    expect((await client.job(id)).state).toBe('running');
    reader.close();
    const lastId = String(before.at(-1)?.id);
    const headers = { Accept: 'text/event-stream', 'Last-Event-ID': lastId };
    const resumed = new EventReader(await client.open(`/jobs/${id}/log`, { headers }));
    service.ground.let('events');
    const log = (await resumed.until('end')).filter(({ event }) => event === 'log');
    expect(JSON.stringify(log.map(({ data }) => data))).toMatch(/two/);
    expect(JSON.stringify(log.map(({ data }) => data))).not.toMatch(/one/);
  });

  it(`a byte range of a log${because}`, async () => {
    const id = await waitingJob('ranged');
    service.ground.let('ranged');
    await client.ended(id);
    const reply = await client.get(`/jobs/${id}/log?output=text`, { Range: 'bytes=4-6' });
    expect([reply.status, reply.text]).toEqual([206, 'two']);
  });

  it(`a topology as large as the service takes, and one that is larger${because}`, async () => {
    const submit = async (bytes: number) => {
      const topology = `name: big\nnodes: [r1]\n# ${'x'.repeat(bytes)}\n`;
      const workdir = service.ground.makeWorkdir(`big-${bytes}`);
      return (await client.post('/jobs', { action: 'create', workdir, topology })).status;
    };
    expect(await submit(900_000)).toBe(202);
    expect(await submit(1_200_000)).toBe(413);
  });
});
