/** Inventories for Ansible and Nornir. */
import { stringify } from 'yaml';
import { commentsOf, type GatewayAddress, type Inventory, type InventoryNode } from './inventory.ts';

/** Both read YAML 1.1, where `no` and `12:30` are no texts without quotes. */
const yamlOf = (value: object): string => stringify(value, { version: '1.1', lineWidth: 0 });

/** Ansible accepts letters, digits and `_`; a prefix keeps the names of hosts, `all` and `ungrouped` free. */
const groupName = (prefix: string, name: string): string =>
  `${prefix}_${name.replaceAll(/[^A-Za-z0-9_]/g, '_')}`;

function groupsOf({ role, device, groups }: InventoryNode): readonly string[] {
  return [
    ...(role === null ? [] : [groupName('role', role)]),
    ...(device === null ? [] : [groupName('device', device)]),
    ...groups.map((group) => groupName('group', group)),
  ];
}

/**
 * `piped` copies a file with `dd`, which nodes have; `sftp` and `scp` need a program that images often lack. Of `~`, Ansible makes the
 * home directory of the user of SSH, `~r1.7`, which nodes do not have.
 */
const ansibleVariables = {
  ansible_connection: 'ssh',
  ansible_ssh_transfer_method: 'piped',
  ansible_remote_tmp: '$HOME/.ansible/tmp',
};

/**
 * Words for ssh(1), split as a shell does it: it accepts the key of the gateway, and no other one. The program prints a line as
 * known_hosts(5) has it, and has to be an absolute path. Before OpenSSH 8.5, the user's own file has to know the gateway.
 */
const pinned = (key: string): string =>
  `-o IgnoreUnknown=KnownHostsCommand -o 'KnownHostsCommand=/bin/echo "* ${key}"' -o StrictHostKeyChecking=yes`;

export function ansibleInventory(inventory: Inventory, { host, port }: GatewayAddress): string {
  const members = new Map<string, string[]>();
  for (const node of inventory.nodes)
    for (const group of groupsOf(node)) {
      const names = members.get(group) ?? [];
      members.set(group, names);
      names.push(node.name);
    }
  const children: [string, object][] = [...members].map(([group, names]) => {
    return [group, { hosts: Object.fromEntries(names.map((name) => [name, {}])) }];
  });
  const hosts = Object.fromEntries(inventory.nodes.map(({ name, user }) => [name, { ansible_user: user }]));
  const login = 'Log in with your key, or with ansible_password: a token, or USER:PASSWORD.';
  const pin = { ansible_ssh_common_args: pinned(inventory.hostKey.publicLine) };
  const document = {
    all: {
      vars: { ansible_host: host, ansible_port: port, ...ansibleVariables, ...pin },
      hosts,
      children: Object.fromEntries(children),
    },
  };
  return commentsOf(inventory, login) + yamlOf(document);
}

/** The file of hosts of its SimpleInventory. Groups stand in `data`, because another file would have to declare them. */
export function nornirInventory(inventory: Inventory, { host, port }: GatewayAddress): string {
  const hosts: [string, object][] = inventory.nodes.map(({ name, user, device, role, groups }) => [
    name,
    { hostname: host, port, username: user, platform: device, data: { role, groups: [...groups] } },
  ]);
  const login = 'Log in with your key, or with the password: a token, or USER:PASSWORD.';
  return commentsOf(inventory, login) + yamlOf(Object.fromEntries(hosts));
}
