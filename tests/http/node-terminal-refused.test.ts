/** Who gets no terminal, and what else asks for another protocol. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { sendRaw } from '../support/http-client.ts';
import { groundVariable, makeNodeGround } from '../support/node-ground.ts';
import { startService, type RunningService } from '../support/service.ts';
import { TerminalClient } from '../support/terminal-client.ts';

const { ground, env } = makeNodeGround();
const at = (node: string): string => `/labs/default/nodes/${node}/terminal`;

let service: RunningService;
const start = async (more: Record<string, string> = {}) => startService({ ground, env: { ...env, ...more } });

beforeAll(async () => {
  service = await start();
});

const processes = (): number[] => processesWith(`${groundVariable}=${ground.env[groundVariable]}`);
const nothingIsLeft = async () => eventually('nothing is left', () => processes().length === 0);

describe('refused before there is a WebSocket, with a problem document', () => {
  const refusal = async (target: string, headers: Record<string, string> = {}, url = service.url) =>
    new TerminalClient(url, target, headers).refused();

  test.each([
    ['/labs/default/nodes/nobody/terminal', 404, 'node-not-found'],
    ['/labs/default/nodes/..%2Fx/terminal', 404, 'node-not-found'],
    ['/labs/default/nodes/-it/terminal', 404, 'node-not-found'],
    ['/labs/nobody/nodes/r1/terminal', 404, 'instance-not-found'],
    ['/labs/half/nodes/r1/terminal', 409, 'lab-not-up'],
    ['/labs/default/nodes/vm/terminal?columns=0', 400, 'invalid-request'],
    ['/labs/default/nodes/vm/terminal?columns=1001', 400, 'invalid-request'],
    ['/labs/default/nodes/vm/terminal?rows=1001', 400, 'invalid-request'],
    ['/labs/default/nodes/vm/terminal?shell=sh', 400, 'invalid-request'],
    ['/no/such/path', 404, 'not-found'],
  ])('%s: %i %s', async (target, status, code) => {
    expect(await refusal(target)).toMatchObject({ status, json: { code, requestId: expect.any(String) } });
  });

  test.each([
    [{ Origin: 'https://evil.example' }],
    [{ Origin: 'null' }],
    [{ 'Sec-Fetch-Site': 'cross-site' }],
    [{ 'Sec-Fetch-Site': 'same-site', Origin: 'http://other.localhost' }],
  ])('a page of another site: %j', async (headers) => {
    expect(await refusal(at('vm'), headers as Record<string, string>)).toMatchObject({
      status: 403,
      json: { code: 'cross-site' },
    });
    expect(processes()).toEqual([]);
  });

  test('but not the page of the service itself, nor one of a listed origin', async () => {
    const own = await new TerminalClient(service.url, at('vm'), { Origin: service.url }).opened();
    own.drop();
    const friendly = await start({
      LAB_API_CORS_ORIGINS: 'https://labs.example',
      LAB_API_DATA_DIR: `${ground.root}/data2`,
    });
    const listed = await new TerminalClient(friendly.url, at('vm'), {
      Origin: 'https://labs.example',
    }).opened();
    listed.drop();
    await friendly.stop();
    await nothingIsLeft();
  });

  test('a name that is not of this server', async () => {
    expect(await refusal(at('vm'), { Host: 'rebound.example' })).toMatchObject({
      status: 403,
      json: { code: 'forbidden-host' },
    });
  });

  test('whoever has no password, or guesses it', async () => {
    const more = {
      LAB_API_USER: 'ops',
      LAB_API_PASSWORD: 'secret',
      LAB_API_DATA_DIR: `${ground.root}/data3`,
    };
    const locked = await start(more);
    const basic = (password: string) => `Basic ${Buffer.from(`ops:${password}`).toString('base64')}`;
    expect(await refusal(at('vm'), {}, locked.url)).toMatchObject({
      status: 401,
      json: { code: 'unauthorized' },
    });
    const known = await new TerminalClient(locked.url, at('vm'), { Authorization: basic('secret') }).opened();
    known.drop();
    for (let guess = 0; guess < 30; guess += 1)
      await refusal(at('vm'), { Authorization: basic(`guess${guess}`) }, locked.url);
    expect(await refusal(at('vm'), { Authorization: basic('secret') }, locked.url)).toMatchObject({
      status: 429,
      json: { code: 'too-many-attempts' },
    });
    await locked.stop();
    await nothingIsLeft();
  });

  test('a request for no WebSocket, or for one of another version', async () => {
    expect(await service.get(at('vm'))).toMatchObject({
      status: 426,
      headers: { upgrade: 'websocket' },
      json: { code: 'upgrade-required' },
    });
    const wish = `GET ${at('vm')} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;
    expect(await sendRaw(service.url, `${wish}Sec-WebSocket-Version: 8\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 426 [^]*Sec-WebSocket-Version: 13/,
    );
    expect(
      await sendRaw(service.url, `${wish}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n\r\n`),
    ).toMatch(/^HTTP\/1.1 400 /);
    expect(processes()).toEqual([]);
  });

  test.each([
    ['/labs/default/nodes/nobody/terminal', 404, 'node-not-found'],
    ['/labs/half/nodes/r1/terminal', 409, 'lab-not-up'],
    ['/labs/default/nodes/vm/terminal?columns=0', 400, 'invalid-request'],
  ])('a plain GET explains the same refusal: %s: %i %s', async (target, status, code) => {
    expect(await service.get(target)).toMatchObject({ status, json: { code } });
  });

  test('one terminal too many, until another is closed', async () => {
    const few = await start({ LAB_API_MAX_TERMINALS: '1', LAB_API_DATA_DIR: `${ground.root}/data4` });
    const first = await new TerminalClient(few.url, at('vm')).opened();
    expect(await refusal(at('vm'), {}, few.url)).toMatchObject({
      status: 429,
      json: {
        code: 'too-many-sessions',
        detail: '1 terminal is open already (LAB_API_MAX_TERMINALS)',
      },
    });
    expect(await few.get(at('vm'))).toMatchObject({ status: 429, json: { code: 'too-many-sessions' } });
    first.drop();
    await nothingIsLeft();
    const next = await eventually('there is a place again', async () =>
      new TerminalClient(few.url, at('vm')).opened(),
    );
    next.drop();
    await few.stop();
  });
});

describe('a client that hurries', () => {
  const wish = `GET ${at('vm')} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`;

  test('and ends its side before there is a terminal leaves none', async () => {
    await sendRaw(service.url, wish);
    await nothingIsLeft();
    // Its place is free again.
    const few = await start({ LAB_API_MAX_TERMINALS: '1', LAB_API_DATA_DIR: `${ground.root}/data9` });
    await sendRaw(few.url, wish);
    await eventually('there is a place', async () => {
      const terminal = await new TerminalClient(few.url, at('vm')).opened();
      terminal.drop();
      return true;
    });
    await few.stop();
    await nothingIsLeft();
  });

  test('and sends one request behind another does not end the service', async () => {
    const first = 'GET /status HTTP/1.1\r\nHost: localhost\r\nCache-Control: no-cache\r\n\r\n';
    await sendRaw(service.url, `${first}${wish}`);
    await sendRaw(service.url, `${first}${wish.replace('websocket', 'h2c')}`);
    expect((await service.get('/healthz')).status).toBe(200);
    await nothingIsLeft();
  });
});
