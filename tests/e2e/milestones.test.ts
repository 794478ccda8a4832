/** Whole courses over HTTP alone, over SSH and of a class; tests/integration/netlab-client.test.ts has a lab of netlab in containers. */
import { expect } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { missingForAnyLabs, missingForLabs } from '../support/engine-cli.ts';
import { repoRoot } from '../support/repo-files.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { runCommand } from '../support/service.ts';
import { sftpServerMissing } from '../support/ssh.ts';

const netlabBin = path.join(process.env['NETLAB_HOME'] ?? '/opt/netlab', 'bin');
const withNetlab = { ...process.env, PATH: `${netlabBin}:${process.env['PATH'] ?? ''}` };
const inNetlab = (name: string): string | undefined =>
  existsSync(path.join(netlabBin, name)) ? undefined : requirement(name).missing;
const firstOf = (...reasons: readonly (string | undefined)[]): string | undefined =>
  reasons.find((why) => why !== undefined);
const here = (...names: readonly string[]): string | undefined =>
  firstOf(...names.map((name) => requirement(name).missing));

function paramikoMissing(): string | undefined {
  const isThere = ['python3', '/usr/bin/python3'].some((file) => {
    try {
      execFileSync(file, ['-c', 'import paramiko'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
  return isThere ? undefined : 'no python3 has paramiko';
}

const routers =
  missingForLabs() ??
  inNetlab('netlab') ??
  (existsSync('/usr/lib/frr/frrinit.sh') ? undefined : 'the package frr is not installed');

async function play(words: string, steps: number, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const run = runCommand([path.resolve('scripts/milestone.mjs'), ...words.split(' ')], env, repoRoot);
  const code = await run.exit;
  // The output tells the step that failed.
  expect(code === 0 ? '' : run.output()).toBe('');
  expect(run.output().match(/^\u2713 .*/gm)).toHaveLength(steps);
  expect(run.output()).toMatch(/The milestone is reached\.\n$/);
}

const missing = firstOf(missingForAnyLabs(), here('tar', 'tcpdump', 'ping'));
const engine = testUnless(missing);
engine.it(
  `scripts/milestone.mjs remote --engine goes through${engine.because}`,
  async () => play('remote --engine', 11),
  120_000,
);

// OSPF on real routers of netlab, without Docker.
const routed = testUnless(missing ?? routers);
routed.it(
  `scripts/milestone.mjs remote --namespaces goes through${routed.because}`,
  async () => play('remote --namespaces', 16, withNetlab),
  240_000,
);

engine.it(
  `a class of eight shares a server with quotas, and the stages of an exercise${engine.because}`,
  async () => play('course --students 8', 5),
  120_000,
);

const routedRing = testUnless(routers);
routedRing.it(
  `eighteen routers get their configurations back from a snapshot${routedRing.because}`,
  async () => play('snapshot', 8, withNetlab),
  400_000,
);

const missingForSsh = firstOf(missingForAnyLabs(), here('ssh', 'ssh-keygen'), sftpServerMissing());
const openSsh = firstOf(missingForSsh, here('scp', 'sftp', 'python3'), inNetlab('ansible-playbook'));
const clients = testUnless(openSsh);
clients.it(
  `OpenSSH and Ansible reach a lab of the bundled engine${clients.because}`,
  async () => play('ssh --clients openssh,ansible', 9, withNetlab),
  240_000,
);

const paramiko = testUnless(firstOf(missingForSsh, paramikoMissing()));
paramiko.it(
  `paramiko reaches a lab of the bundled engine${paramiko.because}`,
  async () => play('ssh --clients paramiko', 4, withNetlab),
  120_000,
);

const routedClients = testUnless(openSsh ?? routers);
routedClients.it(
  `OpenSSH and Ansible reach a lab of netlab with FRR${routedClients.because}`,
  async () => play('ssh --namespaces --clients openssh,ansible', 9, withNetlab),
  300_000,
);
