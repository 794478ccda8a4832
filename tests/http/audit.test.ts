/** Which requests the audit tells of, and what it says of each. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { linesAbout, linesIn, type Line } from '../support/audit-lines.ts';
import { eventually } from '../support/eventually.ts';
import { sendRaw, type RequestOptions } from '../support/http-client.ts';
import { MemoryLogger } from '../support/memory-logger.ts';
import { makeNodeGround } from '../support/node-ground.ts';
import { People } from '../support/people.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';
import { TerminalClient } from '../support/terminal-client.ts';

describe('without a login', () => {
  let log: MemoryLogger;
  let service: RunningService;
  beforeAll(async () => {
    log = new MemoryLogger();
    service = await startService({ log, env: { LAB_API_MCP: 'true' } });
  });
  const about = async (target: string, options?: RequestOptions) => linesAbout(service, log, target, options);

  test('a new job has its id, its action and its directory', async () => {
    const { workdir } = service.ground;
    const body = { action: 'create', workdir, topology: topologyThat(':') };
    expect(await about('/jobs', { method: 'POST', body })).toEqual([
      {
        event: 'request',
        requestId: expect.any(String),
        role: 'admin',
        loggedInBy: 'nothing',
        address: expect.stringContaining('127.0.0.1'),
        operation: 'submitJob',
        method: 'POST',
        path: '/jobs',
        job: expect.stringMatching(/^job-/),
        lab: 'default',
        action: 'create',
        workdir,
        status: 202,
        durationMs: expect.any(Number),
      },
    ]);
  });

  test('a job that was not made has what was wanted, and why not', async () => {
    const body = { action: 'up', workdir: '/nowhere/at/all' };
    expect(await about('/jobs', { method: 'POST', body })).toMatchObject([
      { operation: 'submitJob', ...body, status: 404, error: 'workdir-not-found' },
    ]);
    expect(await about('/jobs', { method: 'POST', body: '{' })).toMatchObject([{ error: 'invalid-json' }]);
  });

  test.each([
    ['DELETE', '/jobs/job-1-000000', { operation: 'removeJob', job: 'job-1-000000', error: 'job-not-found' }],
    ['POST', '/jobs/job-1-000000/retry', { operation: 'retryJob', job: 'job-1-000000' }],
    [
      'POST',
      '/labs/default/nodes/r1/exec?x=secret',
      { operation: 'execInNode', lab: 'default', node: 'r1', path: '/labs/default/nodes/r1/exec' },
    ],
    [
      'GET',
      '/labs/default/nodes/r1/interfaces/eth1/capture',
      { operation: 'captureInNode', lab: 'default', node: 'r1', interface: 'eth1' },
    ],
    [
      'GET',
      '/labs/default/nodes/r1/terminal',
      { operation: 'openNodeTerminal', error: 'instance-not-found' },
    ],
    [
      'DELETE',
      '/workspaces/w1/files/a/b%0Ac.yml',
      { operation: 'removeFile', workspace: 'w1', file: 'a/b\nc.yml' },
    ],
  ])('%s %s is told', async (method, target, line) => {
    expect(await about(target, { method })).toMatchObject([line]);
  });

  test.each<[string, string, RequestOptions]>([
    ['what only reads', '/jobs', {}],
    ['what only asks', '/jobs', { method: 'OPTIONS' }],
    ['what is not there', '/nothing', { method: 'POST' }],
    ['what nobody can do', '/jobs', { method: 'DELETE' }],
    [
      'a question of an assistant',
      '/mcp',
      {
        method: 'POST',
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        headers: { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' },
      },
    ],
  ])('%s is not told', async (_what, target, options) => {
    expect(await about(target, options)).toEqual([]);
  });

  test.each<[string, RequestOptions, Line]>([
    [
      'a page of another site',
      { method: 'POST', headers: { Origin: 'https://evil.example' } },
      { error: 'cross-site', status: 403, operation: 'submitJob' },
    ],
    [
      'another name of this server',
      { headers: { Host: 'evil.example' } },
      { error: 'forbidden-host', status: 403, operation: 'listJobs' },
    ],
  ])('%s is told with the operation, though it did not come to it', async (_what, options, line) => {
    expect(await about('/jobs', options)).toMatchObject([line]);
  });

  test('two Host headers are told', async () => {
    await sendRaw(service.url, 'GET /jobs HTTP/1.1\r\nHost: a\r\nHost: b\r\nX-Request-Id: two-hosts\r\n\r\n');
    const line = await eventually('the line', () =>
      linesIn(log).find(({ requestId }) => requestId === 'two-hosts'),
    );
    expect(line).toMatchObject({ status: 400, error: 'invalid-request', path: '/jobs' });
  });

  test('a change behind a stream of the same connection has lines, though its client left', async () => {
    const { host } = new URL(service.url);
    const head = (target: string) => `${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    await sendRaw(service.url, head('GET /events') + head('PUT /workspaces/behind'));
    const lines = await eventually('both lines', () => {
      const found = linesIn(log).filter(({ workspace }) => workspace === 'behind');
      return found.length === 2 && found;
    });
    expect(lines).toMatchObject([
      { event: 'opened', operation: 'putWorkspace' },
      { event: 'request', operation: 'putWorkspace', aborted: true },
    ]);
  });

  test('a path that is very long is cut', async () => {
    const [line] = await about(`/jobs/${'x'.repeat(5_000)}`, { method: 'DELETE' });
    expect(line).toMatchObject({ path: expect.stringMatching(/^\/jobs\/x{294}…$/) });
    expect(line?.['job']).toHaveLength(1_001);
  });
});

test('a line has the snapshot and the shares that the path and the body name', async () => {
  const log = new MemoryLogger();
  const service = await startService({ log });
  const shares = [
    { kind: 'user', name: 'ann', as: 'viewer' },
    { kind: 'group', name: 'class', as: 'operator' },
  ];
  const requests: readonly (readonly [string, string, object, Line])[] = [
    ['POST', '/labs/7/snapshots', { name: 's1' }, { operation: 'keepLab', lab: '7', snapshot: 's1' }],
    ['POST', '/snapshots/s1/restore', { workspace: 'w1' }, { snapshot: 's1', workspace: 'w1' }],
    ['PUT', '/snapshots/s1/shares', { shares }, { snapshot: 's1', shares: 'ann, @class:operator' }],
    ['PUT', '/labs/7/shares', { shares: [] }, { lab: '7', shares: '' }],
  ];
  for (const [method, target, body, line] of requests)
    expect(await linesAbout(service, log, target, { method, body })).toMatchObject([
      { ...line, status: 404 },
    ]);
});

// It ended the service once, and at /session anybody may send it.
test('lists in lists in the place of a text are left out', async () => {
  const log = new MemoryLogger();
  const service = await startService({ log });
  for (const [target, depth] of [
    ['/session', 8_000],
    ['/jobs', 500_000],
  ] as const) {
    const body = `{"workdir":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const [line] = await linesAbout(service, log, target, { method: 'POST', body });
    expect(line).toMatchObject({ status: 400 });
    expect(line).not.toHaveProperty('workdir');
  }
});

test('a password in the address of a request is left out of all logs', async () => {
  const log = new MemoryLogger();
  const service = await startService({ log, env: { LAB_API_LOG_LEVEL: 'debug' } });
  const { host } = new URL(service.url);
  const target = `http://eve:secret@${host}/jobs/none?key=secret`;
  await sendRaw(service.url, `DELETE ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  const [line] = await eventually('the line', () => (linesIn(log).length > 0 ? linesIn(log) : undefined));
  expect(line).toMatchObject({ path: '/jobs/none' });
  await service.stop();
  expect(JSON.stringify(log.entries)).not.toContain('secret');
});

describe('a change that was refused has its lab, its directory and its workspace', () => {
  const log = new MemoryLogger();
  const people = new People({
    alice: { role: 'operator' },
    bob: { role: 'operator' },
    nick: { role: 'operator', workdirs: [] },
    vera: { role: 'viewer' },
  });
  let service: RunningService;
  let job: string;
  let whole: object;
  beforeAll(async () => {
    // The lab CLI says when a lab was started, and so whose it is.
    const env = { LAB_API_OWNERSHIP: 'strict', FAKE_LAB_LOGS: '1' };
    service = await startService({ log, env, admit: people.admit });
    const body = { action: 'up', workspace: 'course', topology: topologyThat(), multilabId: 7 };
    job = await service.start(body, people.as('alice'));
    const ended = await service.request(`/jobs/${job}?wait=60`, { headers: people.as('alice') });
    expect(ended.json).toMatchObject({ state: 'success' });
    const { workdir } = ended.json;
    whole = { lab: '7', workdir, workspace: 'course' };
  });

  test.each<[string, (job: string) => [string, string, object?], string, number]>([
    ['a job about a lab', () => ['POST', '/jobs', { action: 'down', instance: '7' }], 'bob', 403],
    ['a job in a workspace', () => ['POST', '/jobs', { action: 'down', workspace: 'course' }], 'bob', 403],
    ['a job of a role', () => ['POST', '/jobs', { action: 'down', instance: '7' }], 'vera', 403],
    ['another run of a job', (id) => ['POST', `/jobs/${id}/retry`], 'bob', 403],
    ['the end of a job', (id) => ['DELETE', `/jobs/${id}`], 'vera', 403],
    ['the end of a job that is hidden', (id) => ['DELETE', `/jobs/${id}`], 'nick', 404],
    ['another lease', () => ['PATCH', '/labs/7', { ttlSeconds: 60 }], 'bob', 403],
    ['a command in a node', () => ['POST', '/labs/7/nodes/r1/exec', { command: ['id'] }], 'vera', 403],
    ['a terminal in a node of a hidden lab', () => ['GET', '/labs/7/nodes/r1/terminal'], 'nick', 404],
  ])('%s', async (_what, requestOf, user, status) => {
    const [method, target, body] = requestOf(job);
    const lines = await linesAbout(service, log, target, { method, body, headers: people.as(user) });
    expect(lines).toMatchObject([{ user, status, ...whole }]);
  });

  test('a job by its directory, and one that was accepted', async () => {
    const { workdir } = whole as { readonly workdir: string };
    const body = { action: 'down', workdir };
    const [refused] = await linesAbout(service, log, '/jobs', {
      method: 'POST',
      body,
      headers: people.as('bob'),
    });
    expect(refused).toMatchObject({ status: 403, ...whole });
    const [accepted] = await linesAbout(service, log, '/jobs', {
      method: 'POST',
      body,
      headers: people.as('alice'),
    });
    expect(accepted).toMatchObject({ status: 202, ...whole });
  });
});

describe('a terminal', () => {
  const { ground, env } = makeNodeGround();
  const target = '/labs/default/nodes/vm/terminal';
  const what = { operation: 'openNodeTerminal', method: 'GET', path: target, lab: 'default', node: 'vm' };

  test('is told when it is opened, and when it has ended, also by the end of the service', async () => {
    const log = new MemoryLogger();
    const service = await startService({ ground, env, log });
    const terminal = await new TerminalClient(service.url, target).opened();
    await eventually('the first line', () => linesIn(log).length === 1);
    const [opened] = linesIn(log);
    expect(opened).toMatchObject({ event: 'opened', ...what });
    expect(opened).not.toHaveProperty('status');
    terminal.drop();
    await eventually('the last line', () => linesIn(log).length === 2);
    expect(linesIn(log)[1]).toMatchObject({ event: 'request', ...what, status: 101 });
    expect(linesIn(log)[1]).not.toHaveProperty('aborted');
    await new TerminalClient(service.url, target).opened();
    await service.stop();
    expect(linesIn(log).slice(2)).toMatchObject([
      { event: 'opened', ...what },
      { event: 'request', ...what, status: 101 },
    ]);
  });
});
