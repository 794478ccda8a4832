/** A login that ends while something streams, waits or is on its way: it ends too, whoever it was, and nothing stays behind. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import { tarGzOf } from '../support/archives.ts';
import { processesWith } from '../support/environments.ts';
import { EventReader } from '../support/event-reader.ts';
import { eventually } from '../support/eventually.ts';
import { groundVariable, makeNodeGround } from '../support/node-ground.ts';
import { People } from '../support/people.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';
import { TerminalClient } from '../support/terminal-client.ts';

const people = new People({
  ann: { role: 'admin' },
  olga: { role: 'operator' },
  otto: { role: 'operator' },
});

const archive = tarGzOf({ name: 'file', content: randomBytes(200_000) });

/** Resolves when nothing of a reply comes any more; whether it came to its proper end. */
async function endOf(message: IncomingMessage): Promise<boolean> {
  message.on('error', () => undefined);
  message.resume();
  await new Promise<void>((resolve) => void message.once('close', resolve));
  return message.complete;
}

describe('what a login had in nodes', () => {
  const { ground, env } = makeNodeGround();
  const node = '/labs/default/nodes/r1';
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ ground, env: { ...env, PS1: 'ready> ' }, admit: people.admit });
  });
  const processes = () => processesWith(`${groundVariable}=${ground.env[groundVariable]}`);
  const nothingIsLeft = async () => eventually('nothing is left', () => processes().length === 0);
  const exec = {
    method: 'POST',
    body: { command: ['sh', '-c', 'echo begun; sleep 1000'], timeoutSeconds: 600 },
  };

  test.each(['ann', 'olga'])('a terminal of %s', async (name) => {
    const path = '/labs/default/nodes/vm/terminal';
    const terminal = await new TerminalClient(service.url, path, people.as(name)).opened();
    terminal.type('trap "" HUP; echo "th""ere"\r');
    await terminal.prints(/there/);
    people.revoke(name);
    expect(await terminal.closed).toMatchObject({ code: 4001 });
    await nothingIsLeft();
  });

  test.each([
    ['a command, as text', `${node}/exec`, { ...exec, headers: { Accept: 'text/plain' } }],
    ['a command, as events', `${node}/exec`, { ...exec, headers: { Accept: 'text/event-stream' } }],
    ['a capture', `${node}/interfaces/eth1/capture?seconds=600`, {}],
    ['a log that is followed', `${node}/log?follow=true`, {}],
  ])('%s', async (_what, target, options: { headers?: Record<string, string> }) => {
    const headers = { ...options.headers, ...people.as('olga') };
    const message = await service.open(target, { ...options, headers });
    await once(message, 'data');
    expect(processes()).not.toEqual([]);
    people.revoke('olga');
    await endOf(message);
    await nothingIsLeft();
  });

  test.each([
    ['a command', `${node}/exec`, exec],
    ['a command in many nodes', '/labs/default/exec', { ...exec, body: { ...exec.body, nodes: ['r*'] } }],
  ])('%s whose end is waited for', async (_what, target, request) => {
    const reply = service.request(target, { ...request, headers: people.as('olga') });
    await eventually('it runs', () => processes().length > 0);
    people.revoke('olga');
    expect(await reply).toMatchObject({ status: 401, json: { code: 'unauthorized' } });
    await nothingIsLeft();
  });

  test('and the next login is served', async () => {
    const again = { method: 'POST', body: { command: ['echo', 'yes'] }, headers: people.as('olga') };
    expect(await service.request(`${node}/exec`, again)).toMatchObject({ json: { output: 'yes\n' } });
  });
});

describe('what a login followed or sent', () => {
  const ground = makeGround();
  let service: RunningService;
  let job = '';
  beforeAll(async () => {
    service = await startService({ ground, env: { FAKE_LAB_LOGS: '1' }, admit: people.admit });
    const topology = topologyThat('echo begun', 'wait_for end');
    job = await service.start({ action: 'up', workdir: ground.workdir, topology }, people.as('otto'));
    await ground.waitsFor('end');
  });

  test('events', async () => {
    const reader = new EventReader(await service.open('/events', { headers: people.as('olga') }));
    await reader.until('ready');
    people.revoke('olga');
    while ((await reader.next()) !== undefined);
  });

  test('the log of a job, as text: it breaks off', async () => {
    const message = await service.open(`/jobs/${job}/log?follow=true`, { headers: people.as('olga') });
    await once(message, 'data');
    people.revoke('olga');
    expect(await endOf(message)).toBe(false);
  });

  test('the log of a job, as events: they say why', async () => {
    const headers = { Accept: 'text/event-stream', ...people.as('olga') };
    const reader = new EventReader(await service.open(`/jobs/${job}/log`, { headers }));
    await reader.until('log');
    people.revoke('olga');
    const last = (await reader.until('server-shutdown')).at(-1);
    expect(last?.data.reason).toMatch(/login/);
    expect(await reader.next()).toBeUndefined();
  });

  test('a wait for the end of a job: nothing is told of it any more', async () => {
    const reply = service.request(`/jobs/${job}?wait=60`, { headers: people.as('olga') });
    // It is heard by the service before the next one is answered.
    await service.request('/healthz', { headers: people.as('olga') });
    people.revoke('olga');
    const { status, text } = await reply;
    expect(status).toBe(401);
    expect(text).not.toContain('demo');
  });

  test('a look at the labs: nothing is told of them any more', async () => {
    ground.onStatus('wait_for look');
    const headers = { 'Cache-Control': 'no-cache', ...people.as('olga') };
    const reply = service.request('/status', { headers });
    await ground.waitsFor('look');
    people.revoke('olga');
    ground.onStatus('');
    ground.let('look');
    const { status, text } = await reply;
    expect(status).toBe(401);
    expect(text).not.toMatch(/demo|warning/);
  });

  test.each(['/workspaces/half', '/workspaces/kept/files/half'])('an upload to %s', async (path) => {
    await service.request('/workspaces/kept', { method: 'PUT', headers: people.as('olga') });
    const { hostname, port } = new URL(service.url);
    const headers = {
      'Content-Type': 'application/gzip',
      'Content-Length': String(archive.length),
      ...people.as('olga'),
    };
    const request = http.request({ hostname, port, path, method: 'PUT', headers });
    request.on('error', () => undefined);
    request.write(archive.subarray(0, 1_000));
    const incoming = `${ground.dataDir}/workspaces/.lab-api/incoming`;
    await eventually('it is received', () => readdirSync(incoming).length > 0);
    people.revoke('olga');
    const [message] = (await once(request, 'response')) as [IncomingMessage];
    expect(message.statusCode).toBe(401);
    request.destroy();
    await eventually('nothing of it is left', () => readdirSync(incoming).length === 0);
    expect(await service.request(path, { headers: people.as('ann') })).toMatchObject({ status: 404 });
  });

  test('his jobs: what runs goes on, and what waits runs as it was accepted', async () => {
    const queued = await service.start({ action: 'collect', workdir: ground.workdir }, people.as('otto'));
    people.revoke('otto');
    ground.let('end');
    const ended = async (id: string) =>
      (await service.request(`/jobs/${id}?wait=60`, { headers: people.as('ann') })).json;
    expect(await ended(job)).toMatchObject({ state: 'success', requestedBy: 'otto' });
    expect(await ended(queued)).toMatchObject({ state: 'success', requestedBy: 'otto' });
  });

  test.each(['olga', 'ann'])('a job of %s that is being looked at is not accepted', async (name) => {
    const told = `told-${name}`;
    ground.onStatus(`wait_for ${told}`);
    const body = { action: 'down', instance: 'default' };
    const other = await startService({
      ground: { ...ground, dataDir: `${ground.dataDir}-${name}` },
      env: { FAKE_LAB_LOGS: '1', LAB_API_DATA_DIR: `${ground.dataDir}-${name}` },
      admit: people.admit,
    });
    const reply = other.request('/jobs', { method: 'POST', body, headers: people.as(name) });
    await ground.waitsFor(told);
    people.revoke(name);
    ground.let(told);
    await expect(reply).resolves.toMatchObject({ status: 401 });
    expect((await other.request('/jobs', { headers: people.as('ann') })).json).toMatchObject({ jobs: [] });
  });
});
