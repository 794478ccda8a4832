/** The nodes of a lab for programs that work over SSH. `netlab` is a program of the test. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { makeNodeGround } from '../support/node-ground.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type RunningService } from '../support/service.ts';

const at = '/labs/default/inventory';
const nodeGround = () => makeNodeGround({ containers: ['r1', 'no', 'r.2'], groups: { core: ['r1'] } });

describe('with the SSH gateway', () => {
  const { ground, env } = nodeGround();
  let service: RunningService;
  let [port, key] = [0, ''];
  beforeAll(async () => {
    service = await startService({ ground, env: { ...env, LAB_API_SSH_PORT: '0' } });
    const { json } = await service.get('/');
    ({ port, hostKey: key } = json.ssh as { port: number; hostKey: string });
  });

  test('Ansible gets an inventory', async () => {
    const { status, headers, text } = await service.get(at);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/yaml; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(text).toContain(`# Host key: ${key}\n`);
    expect(text).toContain('# Left out, because of their names: "r.2"\n');
    expect(parse(text)).toMatchObject({
      all: {
        vars: { ansible_host: '127.0.0.1', ansible_port: port, ansible_connection: 'ssh' },
        hosts: {
          r1: { ansible_user: 'r1.default' },
          no: { ansible_user: 'no.default' },
          vm: { ansible_user: 'vm.default' },
        },
        children: {
          device_frr: { hosts: { r1: {}, no: {} } },
          device_vyos: { hosts: { vm: {} } },
          group_core: { hosts: { r1: {} } },
        },
      },
    });
  });

  test('Nornir gets its hosts', async () => {
    const { headers, text } = await service.get(`${at}?format=nornir`);
    expect(headers['content-type']).toBe('text/yaml; charset=utf-8');
    expect(parse(text)).toMatchObject({
      r1: {
        hostname: '127.0.0.1',
        port,
        username: 'r1.default',
        platform: 'frr',
        data: { groups: ['core'] },
      },
      no: { username: 'no.default' },
      vm: { username: 'vm.default', platform: 'vyos' },
    });
  });

  test('ssh gets a host for each node, by the name that the request had', async () => {
    const { headers, text } = await service.get(`${at}?format=ssh-config`, { Host: 'localhost:8090' });
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(text).toContain(`\nHost no.default\n  HostName localhost\n  Port ${port}\n  User no.default\n`);
    expect(text).not.toContain('ProxyCommand');
  });

  test('ssh gets the way through the API on request', async () => {
    const { text } = await service.get(`${at}?format=ssh-config&proxy=true`, { Host: '[::1]:8090' });
    expect(text).toContain(
      "\nHost no.default\n  HostName ::1\n  ProxyCommand lab ssh --stdio --server 'http://[::1]:8090' default no\n  User no.default\n",
    );
  });

  test.each([
    ['/labs/nothing/inventory', 404, 'instance-not-found'],
    ['/labs/half/inventory', 409, 'lab-not-up'],
    [`${at}?format=inventory`, 400, 'invalid-request'],
    [`${at}?proxy=maybe`, 400, 'invalid-request'],
  ] as const)('%s is %i %s', async (path, status, code) => {
    expectProblem(await service.get(path), status, code);
  });
});

describe('without it', () => {
  const { ground, env } = nodeGround();
  let service: RunningService;
  beforeAll(async () => {
    const publicUrl = { LAB_API_PUBLIC_URL: 'https://lab.example.org/base%20path' };
    service = await startService({ ground, env: { ...env, ...publicUrl } });
  });

  test.each(['ansible', 'nornir'])('%s is refused, with the remedy', async (format) => {
    const reply = await service.get(`${at}?format=${format}`);
    expectProblem(reply, 409, 'ssh-off');
    expect(reply.json.detail).toContain('LAB_API_SSH_PORT');
  });

  test('ssh gets the way through the API, at the public address', async () => {
    const { text } = await service.get(`${at}?format=ssh-config`);
    expect(text).toContain(
      '\nHost r1.default\n  HostName lab.example.org\n  ProxyCommand lab ssh --stdio --server https://lab.example.org/base%%20path default r1\n',
    );
    expect(text).toMatch(/^# Host key: ssh-ed25519 \S+$/m);
  });
});
