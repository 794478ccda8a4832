/** Requests that Node's own parser refuses, or that it would answer by itself. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import net from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { sendRaw } from '../support/http-client.ts';
import { startService, type RunningService } from '../support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});

interface RawReply {
  readonly status: number;
  readonly head: string;
  readonly problem: Record<string, unknown>;
}

async function send(...lines: readonly string[]): Promise<RawReply> {
  const text = await sendRaw(service.url, lines.map((line) => `${line}\r\n`).join(''));
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, problem: JSON.parse(body) as Record<string, unknown> };
}

describe('a problem document tells what is wrong with', () => {
  interface Case {
    readonly what: string;
    readonly lines: readonly string[];
    readonly status: number;
    readonly code: string;
    /** Of a request that was understood so far. */
    readonly target?: string;
  }
  const cases: readonly Case[] = [
    { what: 'words that are no request', lines: ['hello', ''], status: 400, code: 'invalid-request' },
    {
      what: 'headers over 16 KiB',
      lines: ['GET /jobs HTTP/1.1', 'Host: localhost', `X-Long: ${'x'.repeat(20_000)}`, ''],
      status: 431,
      code: 'headers-too-large',
    },
    {
      what: 'chunk extensions over 16 KiB',
      lines: [
        'POST /jobs HTTP/1.1',
        'Host: localhost',
        'Transfer-Encoding: chunked',
        '',
        `2;${'x'.repeat(20_000)}`,
        '{}',
      ],
      status: 413,
      code: 'payload-too-large',
    },
    {
      what: 'two lengths',
      lines: ['POST /jobs HTTP/1.1', 'Host: localhost', 'Content-Length: 2', 'Content-Length: 3', '', '{}'],
      status: 400,
      code: 'invalid-request',
    },
    {
      what: 'a length beside chunks',
      lines: [
        'POST /jobs HTTP/1.1',
        'Host: localhost',
        'Content-Length: 2',
        'Transfer-Encoding: chunked',
        '',
        '0',
        '',
      ],
      status: 400,
      code: 'invalid-request',
    },
    {
      what: 'an expectation that nobody can meet',
      lines: ['GET /jobs HTTP/1.1', 'Host: localhost', 'Expect: 200-maybe', 'Connection: close', ''],
      status: 417,
      code: 'expectation-failed',
      target: '/jobs',
    },
    {
      what: 'HTTP/1.1 without a Host',
      lines: ['GET /jobs HTTP/1.1', 'Connection: close', ''],
      status: 400,
      code: 'invalid-request',
      target: '/jobs',
    },
    {
      what: 'a target that is no URL',
      lines: ['GET http://[::1 HTTP/1.1', 'Host: localhost', 'Connection: close', ''],
      status: 400,
      code: 'invalid-request',
      target: 'http://[::1',
    },
    {
      what: 'two Hosts',
      lines: ['GET /jobs HTTP/1.1', 'Host: localhost', 'Host: evil.example', 'Connection: close', ''],
      status: 400,
      code: 'invalid-request',
      target: '/jobs',
    },
  ];

  test.each<Case>(cases)('$what', async ({ lines, status, code, target }) => {
    const reply = await send(...lines);
    expect(reply).toMatchObject({ status, problem: { status, code, type: `urn:lab-api:error:${code}` } });
    expect(reply.head).toContain('Content-Type: application/problem+json');
    expect(reply.problem['requestId']).toMatch(/^[\w-]{36}$/);
    expect(reply.head).toContain(`X-Request-Id: ${String(reply.problem['requestId'])}\r\n`);
    expect(reply.head).toContain('X-Content-Type-Options: nosniff');
    expect(reply.head).toContain("Content-Security-Policy: default-src 'self'");
    expect(reply.head).toMatch(/^Connection: close$/m);
    // Of what was not understood, nobody knows what it was about.
    expect(reply.problem['instance']).toBe(target ?? '');
  });
});

test('HTTP/1.0 needs no Host', async () => {
  const text = await sendRaw(service.url, 'GET /healthz HTTP/1.0\r\n\r\n');
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
});

/** All that comes back on one connection until the service closes it. (Node gives a client that closes first no reply.) */
async function sendAndStay(bytes: string): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = net.connect(Number(port), hostname);
  socket.write(bytes);
  return textOf(socket);
}

/** The status of each reply on one connection. */
async function statusesOf(bytes: string): Promise<string[]> {
  const replies = await sendAndStay(bytes);
  return [...replies.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => String(status));
}

const get = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';

describe('bad bytes behind a good request leave it its reply', () => {
  test('that is still awaited', async () => {
    const { workdir } = service.ground;
    const id = await service.start({ action: 'up', workdir, topology: 'nodes: [r1]\n# run: wait_for go\n' });
    await service.ground.waitsFor('go');
    const waiting = `GET /jobs/${id}?wait=60 HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const replies = sendAndStay(`${waiting}this is no request\r\n\r\n`);
    service.ground.let('go');
    const [first = '', second = ''] = (await replies).split('HTTP/1.1 ').slice(1);
    expect(first).toMatch(/^200 /);
    expect(first).toContain('"state":"success"');
    expect(second).toMatch(/^400 /);
  });

  test('that comes in the same packet, also when there are several', async () => {
    expect(await statusesOf(`${get}this is no request\r\n\r\n`)).toEqual(['200', '400']);
    expect(await statusesOf(`${get}${get}${get}this is no request\r\n\r\n`)).toEqual([
      '200',
      '200',
      '200',
      '400',
    ]);
  });

  test('that is a refused expectation behind one that is still awaited', async () => {
    const { workdir } = service.ground;
    const topology = 'nodes: [r1]\n# run: wait_for expected\n';
    const id = await service.start({ action: 'create', workdir, topology });
    await service.ground.waitsFor('expected');
    const waiting = `GET /jobs/${id}?wait=60 HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const expecting = 'GET /jobs HTTP/1.1\r\nHost: localhost\r\nExpect: 200-maybe\r\n\r\n';
    const statuses = statusesOf(`${waiting}${expecting}this is no request\r\n\r\n`);
    service.ground.let('expected');
    expect(await statuses).toEqual(['200', '417', '400']);
  });

  test('to a job whose client counted characters for bytes', async () => {
    const body = '{"action":"status"}';
    const head = `POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`;
    expect(await statusesOf(`${head}${body}\r\nx\r\n`)).toEqual(['202', '400']);
  });
});

describe('a client that goes on sending gets the reply, and not a reset that takes it away', () => {
  test.each([20_000, 70_000, 300_000, 3_000_000])('a path of %i characters', async (length) => {
    const reply = await send(`GET /${'a'.repeat(length)} HTTP/1.1`, 'Host: localhost', '');
    expect(reply).toMatchObject({ status: 431, problem: { code: 'headers-too-large' } });
  });

  test('what it sends after the refusal is not carried out', async () => {
    const { workdir } = service.ground;
    const body = JSON.stringify({ action: 'create', workdir, labels: { from: 'refused' } });
    const job = ['POST /jobs HTTP/1.1', 'Host: localhost', `Content-Length: ${body.length}`, '', body];
    expect((await send('this is no request', '', ...job)).status).toBe(400);
    expect((await service.get('/jobs?label=from')).json).toMatchObject({ jobs: [] });
  });

  test.each([
    ['no Host', ''],
    ['two Hosts', 'Host: localhost\r\nHost: evil.example\r\n'],
  ])('nor what it sends after a request with %s', async (_what, hosts) => {
    const body = JSON.stringify({ action: 'status', labels: { smuggled: 'yes' } });
    const job = `POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    expect(await statusesOf(`GET /healthz HTTP/1.1\r\n${hosts}\r\n${job}`)).toEqual(['400']);
    // By the end of a later job, that one would be on record.
    await service.ended(await service.start({ action: 'status' }));
    expect((await service.get('/jobs?label=smuggled')).json).toMatchObject({ jobs: [] });
  });

  test('one that never ends is cut off', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.on('error', () => undefined);
    socket.write('hello\r\n\r\n');
    const pieces = setInterval(() => socket.write('more\r\n'), 20);
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(pieces);
  });
});
