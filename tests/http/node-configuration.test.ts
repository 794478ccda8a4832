/** The running configuration of a node that is a container; `docker` and `vtysh` are programs of the test. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeProgram } from '../support/programs.ts';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { groundVariable, makeNodeGround } from '../support/node-ground.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type RunningService } from '../support/service.ts';

const { ground, env, runs } = makeNodeGround({ containers: ['r1', 'r2', 'gone'] });
const at = (node: string): string => `/labs/default/nodes/${node}/configuration`;
const running = 'hostname r1\n!\nend\n';

let service: RunningService;
beforeAll(async () => {
  service = await startService({ ground, env: { ...env, LAB_API_MAX_NODE_SESSIONS: '2' } });
});

const vtysh = (script: string): string =>
  writeProgram(path.join(path.dirname(String(env['LAB_API_CLI'])), 'vtysh'), script);
beforeEach(() => void vtysh(`printf '${running.replaceAll('\n', String.raw`\n`)}'`));

const entered = (): number => runs().filter((line) => line.startsWith('docker exec')).length;
const processes = (): number[] => processesWith(`${groundVariable}=${ground.env[groundVariable]}`);
const nothingIsLeft = async () => eventually('nothing is left', () => processes().length === 0);

describe('the configuration', () => {
  test('is a file of text, as FRR prints it', async () => {
    const reply = await service.get(at('r1'));
    expect(reply).toMatchObject({ status: 200, text: running });
    expect(reply.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': expect.stringContaining('filename="r1.cfg"'),
      'cache-control': 'no-store',
    });
    const words = runs().join('\n');
    expect(words).toMatch(/^docker exec --interactive clab-demo-r1 sh -c /m);
    expect(words).toContain('vtysh -c show running-config no-header');
    await nothingIsLeft();
  });

  test('is that of each node when two are read at once', async () => {
    vtysh('echo "$CONTAINER"');
    const both = await Promise.all(['r1', 'r2'].map(async (node) => service.get(at(node))));
    expect(both.map(({ text }) => text)).toEqual(['clab-demo-r1\n', 'clab-demo-r2\n']);
  });

  test('is no longer read when its client goes away, and has a place among the sessions', async () => {
    const gate = path.join(ground.root, 'gate');
    execFileSync('mkfifo', [gate]);
    vtysh(`read -r go <'${gate}'; echo "$go"`);
    const begun = entered();
    const stay = service.get(at('r1'));
    const leave = new AbortController();
    const left = fetch(service.url + at('r2'), { signal: leave.signal });
    await eventually('both are read', () => entered() === begun + 2);
    expectProblem(await service.get(at('r1')), 429, 'too-many-sessions');
    const before = processes().length;
    leave.abort();
    await expect(left).rejects.toThrow('aborted');
    await eventually('its programs have ended', () => processes().length < before);
    await eventually(
      'there is a place',
      async () => (await service.get('/labs/default/nodes/r1/log')).status === 200,
    );
    await writeFile(gate, 'whole\n');
    expect(await stay).toMatchObject({ status: 200, text: 'whole\n' });
    await nothingIsLeft();
  });
});

describe('there is none', () => {
  test.each([
    ['vm', 422, 'not-supported', 'vm is no container (its provider is libvirt): run "collect" as a job'],
    ['gone', 409, 'lab-not-up', 'gone is not up: Error response from daemon: No such container: gone'],
    ['r7', 404, 'node-not-found', 'the lab default has no node "r7"; its nodes are r1, r2, gone, vm'],
  ] as const)('of %s: %i %s', async (node, status, code, detail) => {
    const reply = await service.get(at(node));
    expectProblem(reply, status, code);
    expect(reply.json.detail).toBe(detail);
  });

  test('where FRR does not print it', async () => {
    vtysh('echo "Exiting: failed to connect to any daemons." >&2; exit 1');
    const reply = await service.get(at('r1'));
    expectProblem(reply, 502, 'lab-cli-failed');
    expect(reply.json.detail).toBe(
      'the configuration of r1 cannot be read: Exiting: failed to connect to any daemons.',
    );
  });

  test('for a page of another site', async () => {
    expectProblem(await service.get(at('r1'), { 'Sec-Fetch-Site': 'cross-site' }), 403, 'cross-site');
  });

  test('with a parameter that it does not have', async () => {
    expectProblem(await service.get(`${at('r1')}?format=json`), 400, 'invalid-request');
  });
});
