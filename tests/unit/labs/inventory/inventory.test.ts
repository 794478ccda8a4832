import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { LabTopology } from '../../../../src/labs/drivers/topology.ts';
import { inventoryOf, type Inventory } from '../../../../src/labs/inventory/inventory.ts';
import { sshConfig } from '../../../../src/labs/inventory/ssh-config.ts';
import { ansibleInventory, nornirInventory } from '../../../../src/labs/inventory/yaml-inventories.ts';

const computed = (name: string, role: string | null, groups: readonly string[] = []) => {
  return { name, device: null, role, groups, as: null, modules: [], loopback: null, interfaces: [] };
};
const topology: LabTopology = {
  nodes: [computed('no', 'router', ['core net', 'all']), computed('h1', 'host'), computed('br', 'bridge')],
  links: [],
};
const node = (name: string, device: string | null = null) => ({ name, device });
const hostKey = { publicLine: 'ssh-ed25519 AAAAC3Nz+/==', fingerprint: 'SHA256:abc+/' };
const gateway = { host: 'lab.example.org', port: 2222 };

function sample(...more: readonly string[]): Inventory {
  const nodes = [node('no', 'frr'), node('h1', 'linux'), node('br', 'bridge'), node('012')];
  return inventoryOf({ lab: '7', hostKey, nodes: [...nodes, ...more.map((name) => node(name))], topology });
}

describe('the nodes', () => {
  test('have their role and groups from the topology, and bridges are left out', () => {
    expect(sample()).toEqual({
      lab: '7',
      hostKey,
      nodes: [
        { name: 'no', device: 'frr', role: 'router', groups: ['core net', 'all'], user: 'no.7' },
        { name: 'h1', device: 'linux', role: 'host', groups: [], user: 'h1.7' },
        { name: '012', device: null, role: null, groups: [], user: '012.7' },
      ],
      leftOut: [],
    });
  });

  test('are there without a topology that can be read', () => {
    const { nodes } = inventoryOf({ lab: '7', hostKey, nodes: [node('r1', 'frr')], topology: undefined });
    expect(nodes).toEqual([{ name: 'r1', device: 'frr', role: null, groups: [], user: 'r1.7' }]);
  });

  test.each([
    '{{ lookup("pipe", "id") }}',
    'r[1:9]',
    'a b',
    'r1\nHost *',
    '*',
    '!r1',
    '-oProxyCommand=id',
    '$(id)',
    'r1%h',
    'r1.x',
    'ü',
    '',
  ])('are left out with a name like %j', (name) => {
    const inventory = sample(name);
    expect(inventory.nodes).toEqual(sample().nodes);
    expect(inventory.leftOut).toEqual([JSON.stringify(name)]);
  });

  test.each(['a b', '*', '-7', '7\n'])('are refused for a lab with the name %j', (lab) => {
    expect(() => inventoryOf({ lab, hostKey, nodes: [], topology: undefined })).toThrow(
      `an inventory cannot have the name of the lab ${JSON.stringify(lab)}`,
    );
  });
});

test('Ansible gets hosts with their users, and groups whose names it accepts', () => {
  const text = ansibleInventory(sample('a b\u2028'), gateway);
  expect(text).toContain('# Left out, because of their names: "a b\\u2028"\n');
  expect(parse(text, { version: '1.1' })).toEqual({
    all: {
      vars: {
        ansible_host: 'lab.example.org',
        ansible_port: 2222,
        ansible_connection: 'ssh',
        ansible_ssh_transfer_method: 'piped',
        ansible_remote_tmp: '$HOME/.ansible/tmp',
        ansible_ssh_common_args: `-o IgnoreUnknown=KnownHostsCommand -o 'KnownHostsCommand=/bin/echo "* ssh-ed25519 AAAAC3Nz+/=="' -o StrictHostKeyChecking=yes`,
      },
      hosts: {
        no: { ansible_user: 'no.7' },
        h1: { ansible_user: 'h1.7' },
        '012': { ansible_user: '012.7' },
      },
      children: {
        role_router: { hosts: { no: {} } },
        device_frr: { hosts: { no: {} } },
        group_core_net: { hosts: { no: {} } },
        group_all: { hosts: { no: {} } },
        role_host: { hosts: { h1: {} } },
        device_linux: { hosts: { h1: {} } },
      },
    },
  });
});

test('Nornir gets the file of its hosts, which needs no other file', () => {
  expect(parse(nornirInventory(sample(), gateway), { version: '1.1' })).toEqual({
    no: {
      hostname: 'lab.example.org',
      port: 2222,
      username: 'no.7',
      platform: 'frr',
      data: { role: 'router', groups: ['core net', 'all'] },
    },
    h1: {
      hostname: 'lab.example.org',
      port: 2222,
      username: 'h1.7',
      platform: 'linux',
      data: { role: 'host', groups: [] },
    },
    '012': {
      hostname: 'lab.example.org',
      port: 2222,
      username: '012.7',
      platform: null,
      data: { role: null, groups: [] },
    },
  });
});

test('Names that YAML 1.1 takes for numbers and truth values are in quotes', () => {
  const text = ansibleInventory(sample(), gateway);
  expect(text).toContain('    "no":\n      ansible_user: no.7\n');
  expect(text).toContain('    "012":\n      ansible_user: "012.7"\n');
});

describe('ssh_config', () => {
  test('has a Host for each node at the gateway', () => {
    expect(sshConfig(sample('a b'), { kind: 'gateway', ...gateway }))
      .toBe(`# The nodes of the lab 7, over SSH.
# Host key: ssh-ed25519 AAAAC3Nz+/==
# Fingerprint: SHA256:abc+/
# Left out, because of their names: "a b"

Host no.7
  HostName lab.example.org
  Port 2222
  User no.7

Host h1.7
  HostName lab.example.org
  Port 2222
  User h1.7

Host 012.7
  HostName lab.example.org
  Port 2222
  User 012.7
`);
  });

  test('has the command that carries the connection, quoted for the shell that runs it', () => {
    const url = 'https://lab.example.org/a%20b/$(id)';
    expect(sshConfig(sample(), { kind: 'proxy', host: 'lab.example.org', url })).toContain(
      String.raw`  ProxyCommand lab ssh --stdio --server 'https://lab.example.org/a%%20b/$(id)' 7 h1` + '\n',
    );
  });
});
