/** `scripts/milestone.mjs ssh`: a lab over SSH, with the programs that people have: OpenSSH, Ansible and paramiko. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { program, root as repository } from '../lib/service.mjs';
import { done, must } from '../lib/words.mjs';
import { runAnsible } from './ssh/ansible.mjs';
import { runOpenSsh } from './ssh/open-ssh.mjs';
import { runParamiko } from './ssh/paramiko.mjs';
import { ends, home, run } from './ssh/client.mjs';
import {
  call,
  inNamespaces,
  labMayBeUp,
  logIn,
  prepare,
  root,
  start,
  succeed,
  url,
  workdir,
} from './stage.mjs';

/**
 * The differences between the lab CLIs.
 * @typedef {object} Course
 * @property {string} example
 * @property {string} near A node that enters the lab.
 * @property {string} far A node that `near` reaches at the address of `eth1`.
 * @property {string} group Routers, as the inventory groups them.
 * @property {string} command What Ansible runs on the routers.
 * @property {string} answer A part of what they answer.
 * @property {Record<string, string>} env
 */

/** Not netlab with Docker: its images have no sftp-server. @type {Readonly<Record<'namespaces' | 'engine', Course>>} */
const courses = {
  namespaces: {
    example: 'ospf',
    near: 'r1',
    far: 'h2',
    group: 'device_frr',
    command: 'vtysh -c "show ip ospf neighbor"',
    answer: 'Full/',
    env: inNamespaces(),
  },
  engine: {
    example: 'triangle',
    near: 'r1',
    far: 'h2',
    group: 'role_router',
    command: 'ip -4 route show',
    answer: ' via ',
    // Nodes share the files of the machine, also the home directory, where Ansible copies its modules to.
    env: { LAB_API_CLI: 'engine', LAB_HOME: path.join(root, 'engine'), HOME: home },
  },
};

/** @type {Readonly<Record<string, (lab: import('./ssh/client.mjs').LabOverSsh, course: Course) => Promise<void>>>} */
const clients = { openssh: runOpenSsh, ansible: runAnsible, paramiko: runParamiko };

/** @param {string} names with commas between them */
function clientsOf(names) {
  return names.split(',').map((name) => {
    const client = clients[name];
    must(client, `there is no client ${name}; there are ${Object.keys(clients).join(', ')}`);
    return client;
  });
}

/** A user with a token and a key, made with the commands that an administrator has. */
async function makeUser() {
  const access = path.join(root, 'access');
  mkdirSync(access, { mode: 0o700 });
  const env = { LAB_API_USERS_FILE: path.join(access, 'users.yaml') };
  const lab = async (/** @type {string[]} */ ...words) =>
    ends(0, await run(process.execPath, [program, ...words], { env }));
  await lab('user', 'add', 'ann', '--role', 'operator', '--no-password');
  const token = (await lab('token', 'create', '--user', 'ann')).trim();
  const key = path.join(home, 'id_ed25519');
  ends(0, await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]));
  await lab('user', 'key', 'add', 'ann', `${key}.pub`);
  done('a user has a token and a key');
  return { env, token, key };
}

/** @param {keyof typeof courses} kind @param {string} names of the clients, with commas between them */
export async function sshRound(kind, names) {
  const course = courses[kind];
  const chosen = clientsOf(names);
  mkdirSync(home);
  const { env, token, key } = await makeUser();
  prepare({ ...course.env, ...env, LAB_API_SSH_PORT: '0' });
  await start();
  logIn(token);
  const { ssh } = await call('/');
  const knownHosts = path.join(home, 'known_hosts');
  writeFileSync(knownHosts, `[127.0.0.1]:${ssh.port} ${ssh.hostKey}\n`);

  const topologyPath = path.join(repository, 'examples', course.example, 'topology.yml');
  labMayBeUp({ workdir });
  const { instance } = await succeed({ workdir, action: 'up', topologyPath, multilabId: 'auto' });
  labMayBeUp({ instance });
  const lab = { instance, port: ssh.port, knownHosts, token, key, url: url() };
  for (const client of chosen) await client(lab, course);

  await succeed({ instance, action: 'down', cleanup: true });
  labMayBeUp(undefined);
}
