/** Commands in a node that is a container, in each form that a client may ask for; `docker` is a program of the test. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { EventReader } from '../support/event-reader.ts';
import { MemoryLogger } from '../support/memory-logger.ts';
import { groundVariable, makeNodeGround } from '../support/node-ground.ts';
import { startService, type RunningService } from '../support/service.ts';

const { ground, env, runs } = makeNodeGround();
const target = '/labs/default/nodes/r1/exec';

const log = new MemoryLogger();
let service: RunningService;
beforeAll(async () => {
  service = await startService({
    ground,
    env: { ...env, LAB_API_MAX_NODE_SESSIONS: '2' },
    log,
  });
});

const exec = async (body: unknown, headers: Record<string, string> = {}) =>
  service.post(target, body, headers);
const processes = (): number[] => processesWith(`${groundVariable}=${ground.env[groundVariable]}`);
const nothingIsLeft = async () => eventually('nothing is left', () => processes().length === 0);

describe('a command', () => {
  test('is answered at its end, with its exit code and what it printed', async () => {
    const command = ['sh', '-c', 'cat; echo behind >&2; exit 42'];
    const reply = await exec({ command, stdin: 'in front\n' });
    expect(reply).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store', vary: expect.stringContaining('Accept') },
    });
    expect(reply.json).toEqual({
      output: 'in front\nbehind\n',
      exitCode: 42,
      signal: null,
      reason: 'exited',
      durationMs: expect.any(Number),
      truncated: false,
    });
    expect(runs().join('\n')).toContain('sh -c cat; echo behind >&2; exit 42');
  });

  test('of more than 1 MiB has its beginning in the reply, which says so', async () => {
    const { json } = await exec({ command: ['head', '-c', String(2 ** 20 + 1), '/dev/zero'] });
    expect(json).toMatchObject({ exitCode: 0, truncated: true });
    expect(json.output).toHaveLength(2 ** 20);
    const whole = await exec({ command: ['head', '-c', String(2 ** 20), '/dev/zero'] });
    expect(whole.json).toMatchObject({ exitCode: 0, truncated: false });
  });

  test('as text has all bytes as they are, and its exit code behind them', async () => {
    const message = await service.open(target, {
      method: 'POST',
      headers: { Accept: 'text/plain' },
      body: { command: ['sh', '-c', String.raw`printf "\377\000"; exit 3`] },
    });
    expect(message.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      trailer: 'X-Exit-Code',
    });
    const chunks: Buffer[] = [];
    for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString('hex')).toBe('ff00');
    expect(message.trailers).toEqual({ 'x-exit-code': '3' });
  });

  test('as text breaks off when it was killed, so that nobody takes it for the whole', async () => {
    const body = { command: ['sh', '-c', 'echo here; exec sleep 1000'], timeoutSeconds: 0.2 };
    await expect(exec(body, { Accept: 'text/plain' })).rejects.toThrow(/aborted|hang up|terminated/);
    await nothingIsLeft();
  });

  test('as events loses no byte', async () => {
    // Goes on when the test has its first word: two that come at once are one event.
    const gate = path.join(ground.root, 'gate');
    execFileSync('mkfifo', [gate]);
    const message = await service.open(target, {
      method: 'POST',
      headers: { Accept: 'text/event-stream' },
      body: { command: ['sh', '-c', String.raw`echo ä; read -r go <"$0"; printf "\377"; exit 3`, gate] },
    });
    const events = new EventReader(message);
    expect(await events.next()).toMatchObject({
      event: 'output',
      data: { output: 'ä\n', encoding: 'utf8' },
    });
    await writeFile(gate, 'go\n');
    expect((await events.next())?.data).toEqual({ output: '/w==', encoding: 'base64' });
    expect(await events.next()).toMatchObject({
      event: 'end',
      data: { exitCode: 3, signal: null, reason: 'exited', durationMs: expect.any(Number) },
    });
    expect(await events.next()).toBeUndefined();
  });

  test.each([
    ['*/*', 'application/json'],
    ['application/json, text/plain;q=0.5', 'application/json'],
    ['text/plain;q=0.4, application/json;q=0.5, text/event-stream;q=0.2', 'application/json'],
    ['application/json;q=0.5, text/plain', 'text/plain'],
    ['text/*', 'text/plain'],
    ['application/json;q=0.9, text/event-stream', 'text/event-stream'],
    ['image/png', 'application/json'],
  ])('for a client that accepts %s is answered as %s', async (Accept, type) => {
    const { status, headers } = await exec({ command: ['true'] }, { Accept });
    expect([status, headers['content-type']?.split(';')[0]]).toEqual([200, type]);
  });

  test('is ended when its client goes away', async () => {
    const message = await service.open(target, {
      method: 'POST',
      headers: { Accept: 'text/event-stream' },
      body: { command: ['sh', '-c', 'echo here; exec sleep 1000'] },
    });
    message.on('error', () => undefined);
    await new EventReader(message).next();
    expect((await service.get('/metrics')).text).toContain('lab_api_stream_clients{kind="exec"} 1');
    message.destroy();
    await nothingIsLeft();
  });

  test('is in the log of the service, without its arguments, which may be secrets', async () => {
    await exec({ command: ['echo', 'hunter2'] });
    const line = log.entries.findLast(({ message }) => message === 'a command runs in a node');
    expect(line?.fields).toMatchObject({ program: 'echo', node: 'r1', requestId: expect.any(String) });
    expect(JSON.stringify(log.entries)).not.toContain('hunter2');
  });
});

describe('what is refused', () => {
  test.each([
    [{}, 'command'],
    [{ command: [] }, 'command'],
    [{ command: 'ls' }, 'command'],
    [{ command: ['--interactive'] }, 'command.0'],
    [{ command: ['a\0b'] }, 'command.0'],
    [{ command: ['ls', 7] }, 'command.1'],
    [{ command: ['ls'], timeoutSeconds: 0 }, 'timeoutSeconds'],
    [{ command: ['ls'], timeoutSeconds: 1e9 }, 'timeoutSeconds'],
    [{ command: ['ls'], stdin: 'a\0' }, 'stdin'],
    [{ command: ['ls'], tty: true }, 'body'],
  ])('%j, which names %s', async (body, field) => {
    const reply = await exec(body);
    expect(reply).toMatchObject({ status: 400, json: { code: 'invalid-request' } });
    expect(reply.json.errors[0].field).toBe(field);
  });

  test.each([
    ['a word of more than 32,768 characters', ['echo', 'a'.repeat(32_769)], 'command.1'],
    ['more than 256 words', Array.from({ length: 257 }, () => 'echo'), 'command'],
  ])('%s', async (_name, command, field) => {
    expect((await exec({ command })).json.errors[0].field).toBe(field);
  });

  test.each([
    ['/labs/nobody/nodes/r1/exec', 404, 'instance-not-found'] as const,
    ...['nobody', '..%2Fx', '-it', 'constructor', 'r1%20vm'].map(
      (node) => [`/labs/default/nodes/${node}/exec`, 404, 'node-not-found'] as const,
    ),
    ['/labs/default/nodes/vm/exec', 422, 'not-supported'],
    ['/labs/half/nodes/r1/exec', 409, 'lab-not-up'],
  ])('%s: %i %s', async (at, status, code) => {
    expect(await service.post(at, { command: ['true'] })).toMatchObject({ status, json: { code } });
  });

  test('one command too many, until another has ended', async () => {
    const reached: EventReader[] = [];
    const stop = new AbortController();
    for (let session = 0; session < 2; session += 1) {
      const message = await service.open(target, {
        method: 'POST',
        headers: { Accept: 'text/event-stream' },
        body: { command: ['sh', '-c', 'echo here; exec sleep 1000'] },
        signal: stop.signal,
      });
      message.on('error', () => undefined);
      const events = new EventReader(message);
      await events.next();
      reached.push(events);
    }
    expect(reached).toHaveLength(2);
    expect(await exec({ command: ['true'] })).toMatchObject({
      status: 429,
      json: { code: 'too-many-sessions' },
      headers: { 'retry-after': '5' },
    });
    stop.abort();
    await nothingIsLeft();
    expect((await exec({ command: ['true'] })).status).toBe(200);
  });
});

test('a service that stops ends the command, and tells whoever waits for it', async () => {
  const waits = exec({ command: ['sh', '-c', 'echo here; exec sleep 1000'] });
  await eventually('it runs', () => processes().length > 0);
  const events = await service.open(target, {
    method: 'POST',
    headers: { Accept: 'text/event-stream' },
    body: { command: ['sh', '-c', 'echo here; exec sleep 1000'] },
  });
  events.on('error', () => undefined);
  await once(events, 'data');
  const stopped = service.stop();
  expect(await waits).toMatchObject({ status: 503, json: { code: 'shutting-down' } });
  await stopped;
  await nothingIsLeft();
});
