/** Whether the lab CLIs of a service can start labs. */
import { afterEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import net, { type Server } from 'node:net';
import path from 'node:path';
import { findLabCli } from '../../../src/labs/drivers/drivers.ts';
import { engine } from '../../../src/labs/drivers/engine/engine.ts';
import { abilityOf, checkReadiness } from '../../../src/service/readiness.ts';
import { programDirectory } from '../../support/doctor.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
/** Each says that it ran. */
const programs = (...names: readonly string[]): string =>
  programDirectory(root, Object.fromEntries(names.map((name) => [name, `: >${path.join(root, 'ran')}`])));

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A socket of its own, so that no answer of before counts. */
const newSocket = (): string => path.join(mkdtempSync(path.join(root, 'socket-')), 'docker.sock');

/** Docker as far as it says `answer`; how often it was asked. */
async function dockerThat(answer: string, socket = newSocket()) {
  const asked: string[] = [];
  const server = net.createServer((connection) => {
    connection
      .on('error', () => undefined)
      .on('data', (text) => {
        asked.push(text.toString('utf8').split('\r\n')[0] ?? '');
        connection.end(answer);
      });
  });
  servers.push(server.listen(socket));
  await once(server, 'listening');
  return { env: { DOCKER_HOST: `unix://${socket}` }, asked };
}

const pong = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK';
const nowhere = () => ({ DOCKER_HOST: `unix://${newSocket()}` });

async function labCliCheck(clis: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  const checks = await checkReadiness({
    store: { directory: root, fault: null },
    postponed: { fault: null },
    live: { minFreeDiskBytes: 0 },
    cli: clis[0] ?? '',
    clis: () => clis.map((name) => [name, findLabCli(name, env)] as const),
    audit: { fault: undefined },
    env,
  });
  return checks.find(({ name }) => name === 'lab-cli');
}

test('containerlab can start labs where Docker answers, which is asked once by many, and no program runs', async () => {
  const { asked, env: docker } = await dockerThat(pong);
  const PATH = programs('containerlab', 'docker');
  const env = { PATH, ...docker };
  const found = await Promise.all(Array.from({ length: 20 }, async () => labCliCheck(['containerlab'], env)));
  for (const check of found)
    expect(check).toEqual({ name: 'lab-cli', ok: true, detail: path.join(PATH, 'containerlab') });
  expect(asked).toEqual(['GET /_ping HTTP/1.1']);
  expect(existsSync(path.join(root, 'ran'))).toBe(false);
});

test('without Docker it cannot, and the check says why', async () => {
  const docker = nowhere();
  const socket = docker.DOCKER_HOST.slice('unix://'.length);
  expect(await labCliCheck(['containerlab'], { PATH: programs('containerlab'), ...docker })).toEqual({
    name: 'lab-cli',
    ok: false,
    detail: `containerlab cannot start labs: Docker does not answer at ${socket}: ENOENT`,
  });
});

test('a daemon that takes a connection and gives no answer is none', async () => {
  const { env: docker } = await dockerThat('');
  expect(await labCliCheck(['containerlab'], { PATH: programs('containerlab'), ...docker })).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/ECONNRESET$/),
  });
});

test.each([
  ['of another machine is', { DOCKER_HOST: 'tcp://192.0.2.1:2375' }],
  ['is not what containerlab runs labs with, it is', { ...nowhere(), CLAB_RUNTIME: 'podman' }],
])('Docker that %s not asked', async (_what, env) => {
  const PATH = programs('containerlab');
  expect(await labCliCheck(['containerlab'], { PATH, ...env })).toMatchObject({ ok: true });
});

test('netlab needs one provider that works', async () => {
  const PATH = programs('netlab', 'containerlab', 'docker');
  expect(await labCliCheck(['netlab'], { PATH, ...(await dockerThat(pong)).env })).toMatchObject({
    ok: true,
    detail: path.join(PATH, 'netlab'),
  });
  expect(await labCliCheck(['netlab'], { PATH, ...nowhere() })).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/^netlab cannot start labs: provider clab does not work: Docker does not/),
  });
  const both = programs('netlab', 'containerlab', 'docker', 'vagrant', 'virsh');
  expect(await labCliCheck(['netlab'], { PATH: both, ...nowhere() })).toMatchObject({
    ok: true,
    detail: expect.stringContaining(`${path.join(both, 'netlab')} (provider clab does not work: Docker`),
  });
  const virtual = programs('netlab', 'vagrant', 'virsh');
  expect(await labCliCheck(['netlab'], { PATH: virtual, ...nowhere() })).toMatchObject({
    ok: true,
    detail: path.join(virtual, 'netlab'),
  });
});

test('netlab without any provider cannot start labs', async () => {
  const { env: docker } = await dockerThat(pong);
  expect(await labCliCheck(['netlab'], { PATH: programs('netlab', 'docker'), ...docker })).toMatchObject({
    ok: false,
    detail:
      'netlab cannot start labs: none of its providers is installed: clab (containerlab, docker), libvirt (vagrant, virsh), virtualbox (vagrant, VBoxManage)',
  });
});

test('the engine needs its programs', async () => {
  const PATH = programs('ip', 'nsenter', 'unshare');
  expect(await abilityOf(engine.needs, { PATH })).toEqual({ isAble: false, lacks: ['not on PATH: flock'] });
});

test('of several lab CLIs, those that cannot start labs are named', async () => {
  const PATH = programs('netlab', 'vagrant', 'virsh', 'containerlab');
  const check = await labCliCheck(['netlab', 'containerlab', 'no-such-program'], { PATH, ...nowhere() });
  expect(check).toMatchObject({ ok: false });
  expect(check?.detail).toMatch(
    /^containerlab cannot start labs: Docker .*: ENOENT; not found: no-such-program; /,
  );
});

test('a program that only speaks the language of netlab has needs of its own', async () => {
  const PATH = programs('some-lab');
  expect(await labCliCheck(['some-lab'], { PATH, ...nowhere() })).toMatchObject({ ok: true });
});
