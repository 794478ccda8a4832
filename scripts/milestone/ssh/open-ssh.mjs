/** `ssh`, `scp` and `sftp` of OpenSSH. */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { endChild } from '../../lib/end-child.mjs';
import { freePort } from '../../lib/free-port.mjs';
import { tries } from '../../lib/wait.mjs';
import { done, must } from '../../lib/words.mjs';
import { begin, ends, home, run } from './client.mjs';

/** @typedef {import('./client.mjs').LabOverSsh} LabOverSsh */
/** @typedef {{ near: string, far: string }} Nodes */

const file = (/** @type {string} */ name) => path.join(home, name);

/** Only what is given: no agent, no key and no known host of this machine. @param {LabOverSsh} lab */
function configure({ knownHosts, key }) {
  const lines = [
    `UserKnownHostsFile ${knownHosts}`,
    'StrictHostKeyChecking yes',
    `IdentityFile ${key}`,
    'IdentityAgent none',
    'IdentitiesOnly yes',
    'NumberOfPasswordPrompts 1',
    'LogLevel ERROR',
  ];
  writeFileSync(file('ssh_config'), `${lines.join('\n')}\n`);
}
const config = ['-F', file('ssh_config')];

/** The words of `ssh` before the command. @param {LabOverSsh} lab @param {string} node */
const reach = ({ port, instance }, node) => [...config, `${node}.${instance}@127.0.0.1`, '-p', String(port)];

/** A command in a node, with the key. @param {LabOverSsh} lab @param {string} node @param {string} command */
const inNode = async (lab, node, command, input = '') =>
  run('ssh', [...reach(lab, node), command], { input });

/** The name of a node, with a password. @param {LabOverSsh} lab @param {string} node @param {string} password */
async function nameByPassword(lab, node, password) {
  writeFileSync(file('askpass'), `#!/bin/sh\necho '${password}'\n`, { mode: 0o700 });
  const env = { SSH_ASKPASS: file('askpass'), SSH_ASKPASS_REQUIRE: 'force' };
  const words = ['-o', 'PreferredAuthentications=password', ...reach(lab, node), 'hostname'];
  return run('ssh', words, { env });
}

/** @param {LabOverSsh} lab @param {Nodes} nodes */
async function logInBothWays(lab, { near }) {
  const wrong = await nameByPassword(lab, near, 'tok_00000000_wrong');
  must(wrong.code === 255 && wrong.said.includes('Permission denied'), `a wrong token: ${wrong.said}`);
  const name = ends(0, await nameByPassword(lab, near, lab.token));
  must(name === `${near}\n`, `${near} has another name: ${name}`);
  done(`ssh ${near}.${lab.instance}@127.0.0.1 with a token as password; a wrong one is refused`);
  const { code, out, said } = await inNode(lab, near, 'cat; echo wrong >&2; exit 7', 'hello\n');
  const isRight = code === 7 && out === 'hello\n' && said === 'wrong\n';
  must(isRight, `the command ended with ${code}, ${JSON.stringify([out, said])}`);
  done('ssh with a key; a command has its input, output, errors and exit code');
}

/** @param {LabOverSsh} lab @param {Nodes} nodes */
async function copyFiles(lab, { far }) {
  const directory = ends(0, await inNode(lab, far, 'mktemp -d')).trim();
  const bytes = randomBytes(1_000_000);
  writeFileSync(file('sent'), bytes);
  const user = ['-o', `User=${far}.${lab.instance}`, '-P', String(lab.port)];
  const scp = async (/** @type {string[]} */ ...ways) =>
    ends(0, await run('scp', ['-q', ...config, ...user, ...ways]));
  const mustBeBack = (/** @type {string} */ name) =>
    must(readFileSync(file(name)).equals(bytes), `${name} is not what was sent`);
  await scp(file('sent'), `127.0.0.1:${directory}/by-scp`);
  await scp(`127.0.0.1:${directory}/by-scp`, file('back-by-scp'));
  mustBeBack('back-by-scp');
  done('scp, both ways');
  const batch = `put ${file('sent')} ${directory}/by-sftp\nget ${directory}/by-sftp ${file('back-by-sftp')}\n`;
  const sftp = ['-q', '-b', '-', ...config, ...user, '127.0.0.1'];
  ends(0, await run('sftp', sftp, { input: batch }));
  mustBeBack('back-by-sftp');
  const names = ends(0, await inNode(lab, far, `ls '${directory}'`));
  must(names === 'by-scp\nby-sftp\n', `the node has other files: ${names}`);
  done('sftp, both ways');
  return { directory, bytes };
}

/** @param {LabOverSsh} lab @param {Nodes} nodes @param {Awaited<ReturnType<typeof copyFiles>>} copied */
async function browse(lab, { near, far }, { directory, bytes }) {
  const show = "ip -4 -o addr show dev eth1 | awk '{print $4}' | cut -d/ -f1";
  const address = ends(0, await inNode(lab, far, show)).trim();
  const port = await freePort();
  const command = `cd '${directory}' && exec python3 -m http.server 8123 --bind ${address}`;
  const server = begin('ssh', [...reach(lab, far), command]);
  const forward = begin('ssh', ['-N', '-L', `${port}:${address}:8123`, ...reach(lab, near)]);
  try {
    const page = await tries(
      `${far} serves a file through ${near}`,
      async () => {
        const reply = await fetch(`http://127.0.0.1:${port}/by-scp`);
        must(reply.ok, `it answered ${reply.status}; ${server.said()}${forward.said()}`);
        return Buffer.from(await reply.arrayBuffer());
      },
      90,
    );
    must(page.equals(bytes), 'the web server gave other bytes');
    done(`ssh -L: ${near} reaches the web server of ${far} at ${address}`);
  } finally {
    await endChild(forward.child);
    await endChild(server.child);
  }
}

/** @param {LabOverSsh} lab @param {Nodes} nodes */
export async function runOpenSsh(lab, nodes) {
  configure(lab);
  await logInBothWays(lab, nodes);
  const copied = await copyFiles(lab, nodes);
  await browse(lab, nodes, copied);
  ends(0, await inNode(lab, nodes.far, `rm -r '${copied.directory}'`));
}
