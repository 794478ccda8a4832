/** One command in many nodes that are containers; `docker` is a program of the test. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { processesWith } from '../support/environments.ts';
import { EventReader } from '../support/event-reader.ts';
import { eventually } from '../support/eventually.ts';
import { MemoryLogger } from '../support/memory-logger.ts';
import { groundVariable, makeNodeGround } from '../support/node-ground.ts';
import { startService, type RunningService } from '../support/service.ts';

const containers = ['r1', 'r2', 'r3', 'gone'];
const groups = { odd: ['r3', 'r1'], all_routers: ['r1', 'r2', 'r3'] };
const { ground, env, runs } = makeNodeGround({ containers, groups });
const target = '/labs/default/exec';
const log = new MemoryLogger();
let service: RunningService;
beforeAll(async () => {
  service = await startService({ ground, env: { ...env, LAB_API_MAX_NODE_SESSIONS: '3' }, log });
});
afterAll(async () => service.stop());

const exec = async (nodes: unknown, command: readonly string[], more: object = {}) =>
  service.post(target, { nodes, command, ...more });
/** In the nodes, `$CONTAINER` is the name of the container. */
const shell = (line: string): string[] => ['sh', '-c', line];
const endless = shell('echo here; exec sleep 1000');
const processes = (): number[] => processesWith(`${groundVariable}=${ground.env[groundVariable]}`);
const nothingIsLeft = async () => eventually('nothing is left', () => processes().length === 0);
const opened = async (body: object) => {
  const headers = { Accept: 'text/event-stream' };
  const message = await service.open(target, { method: 'POST', headers, body });
  message.on('error', () => undefined);
  return { message, events: new EventReader(message) };
};

describe('a command in many nodes', () => {
  test('has an answer of each, with equal ones joined, and the odd one last', async () => {
    const command = shell('cat; case $CONTAINER in *r2) echo odd >&2; exit 7 ;; esac; echo same');
    const reply = await exec(['r*'], command, { stdin: 'in front\n' });
    expect(reply).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    const durationMs = expect.any(Number);
    const exited = { signal: null, reason: 'exited', truncated: false, error: null };
    expect(reply.json).toEqual({
      nodes: [
        { node: 'r1', exitCode: 0, reason: 'exited', durationMs },
        { node: 'r2', exitCode: 7, reason: 'exited', durationMs },
        { node: 'r3', exitCode: 0, reason: 'exited', durationMs },
      ],
      answers: [
        { nodes: ['r1', 'r3'], exitCode: 0, output: 'in front\nsame\n', ...exited },
        { nodes: ['r2'], exitCode: 7, output: 'in front\nodd\n', ...exited },
      ],
    });
  });

  test.each([
    [['odd'], 'r1 r3'],
    [['group:all_routers', 'r1'], 'r1 r2 r3'],
    [['r3', 'r?'], 'r1 r2 r3'],
    [['r[2-9]'], 'r2 r3'],
  ])('%j runs in %s', async (nodes, chosen) => {
    const { json } = await exec(nodes, ['true']);
    expect(json.nodes.map(({ node }: { node: string }) => node).join(' ')).toBe(chosen);
  });

  test('is not spoiled by nodes that are gone, are no containers, or take too long', async () => {
    const slow = shell('case $CONTAINER in *r2) exec sleep 1000 ;; esac; echo here');
    const { status, json } = await exec(['all'], slow, { timeoutSeconds: 5 });
    expect(status).toBe(200);
    expect(json.answers).toMatchObject([
      { nodes: ['r1', 'r3'], exitCode: 0, output: 'here\n' },
      { nodes: ['r2'], exitCode: null, signal: 'SIGKILL', reason: 'timeout', output: '', error: null },
      { nodes: ['gone'], exitCode: null, reason: 'failed', output: '', error: { code: 'lab-not-up' } },
      { nodes: ['vm'], reason: 'failed', error: { code: 'not-supported' } },
    ]);
    await nothingIsLeft();
  });

  test('has 1 MiB of output of each of four nodes, and says what was cut', async () => {
    const { json } = await exec(['r*'], ['head', '-c', String(2 ** 20 + 1), '/dev/zero']);
    expect(json.answers).toMatchObject([{ nodes: ['r1', 'r2', 'r3'], truncated: true }]);
    expect(json.answers[0].output).toHaveLength(2 ** 20);
  });

  test('tells as events how it goes on, and then the answers', async () => {
    const gate = path.join(ground.root, 'gate');
    execFileSync('mkfifo', [gate]);
    const waits = shell(`case $CONTAINER in *r2) read -r go <'${gate}' ;; esac; echo here`);
    const { message, events } = await opened({ nodes: ['r1', 'r2'], command: waits });
    const first = { node: 'r1', exitCode: 0, reason: 'exited', durationMs: expect.any(Number) };
    expect(await events.next()).toMatchObject({ event: 'progress', data: { ...first, done: 1, total: 2 } });
    expect((await service.get('/metrics')).text).toContain('lab_api_stream_clients{kind="exec"} 1');
    writeFileSync(gate, 'go\n');
    expect(await events.next()).toMatchObject({ event: 'progress', data: { node: 'r2', done: 2 } });
    expect((await events.next())?.data).toMatchObject({ nodes: ['r1', 'r2'], output: 'here\n' });
    expect(await events.next()).toMatchObject({ event: 'end', data: { nodes: [first, { node: 'r2' }] } });
    expect(await events.next()).toBeUndefined();
    expect(message.complete).toBe(true);
  });

  test('is in the log of the service with its nodes, and without its arguments', async () => {
    await exec(['r*'], ['echo', 'hunter2']);
    const line = log.entries.findLast(({ message }) => message === 'a command runs in nodes');
    expect(line?.fields).toMatchObject({ program: 'echo', lab: 'default', node: 'r[1-3]' });
    const audited = log.entries.findLast(({ message }) => message === 'audit');
    expect(audited?.fields).toMatchObject({ operation: 'execInNodes', lab: 'default', node: 'r[1-3]' });
    expect(JSON.stringify(log.entries)).not.toContain('hunter2');
  });
});

describe('places', () => {
  /** Fills so many of the three places. */
  const fill = async (count: number) => {
    const stop = new AbortController();
    for (let place = 0; place < count; place += 1) {
      const message = await service.open('/labs/default/nodes/r1/exec', {
        method: 'POST',
        headers: { Accept: 'text/event-stream' },
        body: { command: endless },
        signal: stop.signal,
      });
      message.on('error', () => undefined);
      await new EventReader(message).next();
    }
    return async () => {
      stop.abort();
      await nothingIsLeft();
    };
  };

  test('with one place free, the nodes run one after the other', async () => {
    const free = await fill(2);
    const mark = path.join(ground.root, 'runs-now');
    // Without a second one beside it, the directory is never there already.
    const alone = shell(`mkdir '${mark}' && rmdir '${mark}'`);
    const { json } = await exec(['r*'], alone);
    expect(json.answers).toMatchObject([{ nodes: ['r1', 'r2', 'r3'], exitCode: 0 }]);
    await free();
  });

  test('with none free, nothing runs', async () => {
    const free = await fill(3);
    expect(await exec(['r*'], ['true'])).toMatchObject({
      status: 429,
      json: { code: 'too-many-sessions' },
      headers: { 'retry-after': '5' },
    });
    await free();
    expect((await exec(['r*'], ['true'])).status).toBe(200);
  });
});

describe('a request that is refused', () => {
  test.each([
    [{ command: ['ls'] }, 'nodes'],
    [{ nodes: [], command: ['ls'] }, 'nodes'],
    [{ nodes: [''], command: ['ls'] }, 'nodes.0'],
    [{ nodes: 'r1', command: ['ls'] }, 'nodes'],
    [{ nodes: ['r1'] }, 'command'],
    [{ nodes: ['r1'], command: ['-x'] }, 'command.0'],
    [{ nodes: ['r1'], command: ['ls'], timeoutSeconds: 0 }, 'timeoutSeconds'],
    [{ nodes: ['r1', 'x*'], command: ['ls'] }, 'nodes.1'],
    [{ nodes: ['group:even'], command: ['ls'] }, 'nodes.0'],
  ])('%j names %s', async (body, field) => {
    const before = runs().length;
    const reply = await service.post(target, body);
    expect(reply).toMatchObject({ status: 400, json: { code: 'invalid-request', errors: [{ field }] } });
    expect(runs()).toHaveLength(before);
  });

  test('for a word that chooses none says which nodes and groups there are', async () => {
    expect((await exec(['x*'], ['ls'])).json.detail).toBe(
      'nodes.0: no node matches "x*"; the lab has r1, r2, r3, gone, vm',
    );
    expect((await exec(['odds'], ['ls'])).json.detail).toContain(
      'and the groups odd, all_routers; did you mean "odd"?',
    );
  });

  test.each([
    ['/labs/nobody/exec', 404, 'instance-not-found'],
    ['/labs/half/exec', 409, 'lab-not-up'],
  ])('%s: %i %s', async (at, status, code) => {
    const body = { nodes: ['all'], command: ['true'] };
    expect(await service.post(at, body)).toMatchObject({ status, json: { code } });
  });
});

describe('nothing is left, and no further command begins', () => {
  test('when the client goes away', async () => {
    const begun = path.join(ground.root, 'begun');
    const before = runs().length;
    // Three of the five find a place.
    const { message } = await opened({
      nodes: ['all'],
      command: shell(`touch '${begun}'; exec sleep 1000`),
    });
    await eventually('it runs', () => existsSync(begun));
    message.destroy();
    await nothingIsLeft();
    // The places are free again.
    expect((await exec(['r*'], ['true'])).status).toBe(200);
    expect(runs().slice(before).join()).not.toContain('clab-demo-gone');
  });

  test('when the service stops, which tells the clients that wait', async () => {
    const waits = exec(['r*'], endless);
    await eventually('it runs', () => processes().length > 0);
    const stopped = service.stop();
    expect(await waits).toMatchObject({ status: 503, json: { code: 'shutting-down' } });
    await stopped;
    await nothingIsLeft();
    service = await startService({ ground, env });
  });
});
