/** `lab ssh`, `lab ssh-config` and `lab inventory`, with the ssh and the Ansible of this machine. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { trustFileOf } from '../../src/tls/kept-certificate.ts';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { groundVariable, makeNodeGround } from '../support/node-ground.ts';
import { bareShell } from '../support/remote-lab.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { builtProgram, startProgram, type RunningProgram } from '../support/service.ts';
import { makeTeam, passwords, tokens } from '../support/team.ts';
import { TerminalHere, terminalMissing } from '../support/terminal-here.ts';

const ssh = testUnless(requirement('ssh').missing);
const terminal = testUnless(requirement('ssh').missing ?? terminalMissing);
const ansible = testUnless(
  ['ssh', 'ansible', 'python3'].map((name) => requirement(name).missing).find((why) => why !== undefined),
);
const plain = makeNodeGround();
const { ground } = plain;
let service: RunningProgram;
beforeAll(async () => {
  service = await startProgram({ ...plain, env: { ...plain.env, PS1: 'ready> ' } });
});
afterAll(async () => void (await service.end()));

interface Options {
  readonly input?: string;
  readonly more?: Readonly<Record<string, string>>;
}

/** Standard output and standard error apart. */
async function run(words: readonly string[], { input = '', more = {} }: Options = {}) {
  const [file = '', ...args] = words;
  const child = spawn(file, args, { env: { ...bareShell, HOME: ground.root, ...more } });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
  const [out, err, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { out, err, exitCode };
}
const lab = async (words: readonly string[], options: Options = {}) =>
  run([process.execPath, builtProgram, ...words], options);
const onServer = async (words: readonly string[], input = '') =>
  lab(words, { input, more: { LAB_API_URL: service.url } });
const processesOf = ({ ground: its }: typeof plain): number[] =>
  processesWith(`${groundVariable}=${its.env[groundVariable]}`);
const sleepsIn = (pids: readonly number[]): boolean =>
  pids.some((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep'));
const nothingIsLeft = async () =>
  eventually('nothing is left', () => processesOf(plain).every((pid) => pid === service.run.child.pid));

function fileWith(name: string, content: string): string {
  const file = path.join(ground.root, name);
  writeFileSync(file, content);
  return file;
}

describe('lab ssh', () => {
  ssh.it(`runs a command in a node, and ends with its exit code${ssh.because}`, async () => {
    const command = ['sh', '-c', "'echo $CONTAINER; cat; echo oh >&2; exit 7'"];
    expect(await onServer(['ssh', 'default', 'r1', '--', ...command], 'from here\n')).toEqual({
      out: 'clab-demo-r1\nfrom here\n',
      err: 'oh\n',
      exitCode: 7,
    });
    await nothingIsLeft();
  });

  ssh.it(`passes options of ssh on, and bytes as they are${ssh.because}`, async () => {
    const bytes = 'x'.repeat(3_000_000);
    const { out, exitCode } = await onServer(['ssh', 'default', 'r1', '-T', 'cat'], bytes);
    expect([exitCode, out.length, out === bytes]).toEqual([0, bytes.length, true]);
    const verbose = await onServer(['ssh', 'default', 'r1', '-v', 'true']);
    expect(verbose.err).toContain('Authenticated to r1.default (via proxy) using "none"');
  });

  terminal.it(`opens a shell at this terminal${terminal.because}`, async () => {
    const line = `'${process.execPath}' '${builtProgram}' ssh --server ${service.url} default r1`;
    const here = new TerminalHere(line, { HOME: ground.root });
    await here.prints(/ready> /);
    here.type('echo "in $CONTAINER"; exit 5\r');
    await here.prints(/^in clab-demo-r1\r/m);
    expect(await here.ended).toBe(5);
    await nothingIsLeft();
  });

  ssh.it(`says why there is no node${ssh.because}`, async () => {
    expect(await onServer(['ssh', 'default', 'r9'])).toMatchObject({
      err: 'lab: the lab default has no node "r9" with a shell; it has r1, vm\n',
      exitCode: 2,
    });
    expect(await onServer(['ssh', 'nothing', 'r1'])).toMatchObject({
      err: expect.stringContaining('nothing'),
      exitCode: 1,
    });
    const { json } = await service.get('/labs/default');
    expect((await onServer(['ssh', json.name, 'r1'])).err).toContain(
      `lab: the id of the lab with the name ${json.name} is default\n`,
    );
    expect(await onServer(['ssh', 'default'])).toMatchObject({
      err: 'lab: give a lab and a node: lab ssh LAB NODE ("lab labs" lists the labs)\n',
      exitCode: 2,
    });
  });

  test('says that there is no ssh', async () => {
    const words = ['ssh', 'default', 'r1'];
    const more = { LAB_API_URL: service.url, PATH: path.join(ground.root, 'nothing') };
    expect(await lab(words, { more })).toMatchObject({
      err: 'lab: there is no ssh on this machine: install OpenSSH, or use "lab connect" and "lab exec"\n',
      exitCode: 127,
    });
  });

  ssh.it(`ends when the service does${ssh.because}`, async () => {
    const other = makeNodeGround();
    const short = await startProgram(other);
    const words = ['ssh', 'default', 'r1', 'exec sleep 1000'];
    const ended = lab(words, { more: { LAB_API_URL: short.url } });
    const left = () => processesOf(other).filter((pid) => pid !== short.run.child.pid);
    await eventually('it runs', () => left().length > 0 && sleepsIn(left()));
    await short.end();
    const { err, exitCode } = await ended;
    expect([exitCode, err]).toEqual([255, expect.stringContaining('the service stops')]);
    expect(err).not.toContain('is lab-api running');
    await eventually('nothing is left', () => left().length === 0);
  });
});

describe('lab ssh-config', () => {
  ssh.it(`is what ssh reads${ssh.because}`, async () => {
    const { out, exitCode } = await onServer(['ssh-config', 'default']);
    expect(exitCode).toBe(0);
    const file = fileWith('lab.ssh', out);
    const { out: printed, err } = await run(['ssh', '-F', file, 'r1.default', 'echo $CONTAINER']);
    expect([printed, err]).toEqual(['clab-demo-r1\n', '']);
    const other = out.replaceAll(
      /(ssh-ed25519 )[A-Za-z0-9+/]+/g,
      '$1AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    );
    const refused = await run(['ssh', '-F', fileWith('other.ssh', other), 'r1.default', 'true']);
    expect(refused).toMatchObject({
      exitCode: 255,
      err: expect.stringContaining('Host key verification failed'),
    });
  });

  ssh.it(`has the login and the trust of the command in it${ssh.because}`, async () => {
    const secret = makeNodeGround();
    const team = await makeTeam(secret.ground.root);
    const secure = await startProgram({
      ground: secret.ground,
      env: { ...secret.env, ...team.env },
      args: ['--tls', 'self-signed'],
      client: { tls: { rejectUnauthorized: false } },
    });
    try {
      const trusted = trustFileOf(path.join(secret.ground.dataDir, 'tls', 'self-signed.pem'));
      const token = fileWith("a token's 100%", `${tokens.ci}\n`);
      const words = ['--server', secure.url, '--cacert', trusted, '--token-file', token];
      const { out } = await lab(['ssh-config', ...words, 'default']);
      expect(out).not.toContain(tokens.ci);
      const file = fileWith('secure.ssh', out);
      const { out: printed } = await run(['ssh', '-F', file, 'r1.default', 'echo $CONTAINER']);
      expect(printed).toBe('clab-demo-r1\n');
      const viewer = { LAB_API_USER: 'vera', LAB_API_PASSWORD: passwords.vera };
      const refused = ['ssh', '--server', secure.url, '--cacert', trusted, 'default', 'r1', 'true'];
      expect(await lab(refused, { more: viewer })).toMatchObject({
        exitCode: 255,
        err: expect.stringContaining('lab: '),
      });
    } finally {
      await secure.end();
    }
  });

  test('does not read a secret from standard input that ssh would need again', async () => {
    const words = ['ssh-config', '--server', service.url, '--token-file', '-', 'default'];
    expect(await lab(words, { input: tokens.ci })).toMatchObject({
      err: 'lab: --token-file: name a file: standard input can be read only once\n',
      exitCode: 2,
    });
  });
});

describe('lab inventory', () => {
  test('is refused without the gateway', async () => {
    expect(await onServer(['inventory', 'default'])).toMatchObject({
      err: expect.stringContaining('LAB_API_SSH_PORT'),
      exitCode: 1,
    });
    const { out } = await onServer(['inventory', 'default', '--format', 'ssh-config']);
    expect(out).toMatch(/^ {2}KnownHostsCommand /m);
    expect(out).toBe((await onServer(['ssh-config', 'default'])).out);
  });

  ansible.it(`is an inventory of Ansible${ansible.because}`, async () => {
    const grouped = makeNodeGround({ groups: { core: ['r1'] } });
    const open = await startProgram({
      ground: grouped.ground,
      env: { ...grouped.env, LAB_API_SSH_PORT: '0' },
    });
    try {
      const { out } = await lab(['inventory', 'default'], { more: { LAB_API_URL: open.url } });
      const file = fileWith('lab.yml', out);
      const more = {
        PATH: process.env['PATH'] ?? '',
        // Nothing is left on this machine: no connection that waits for the next command. The inventory has the host key.
        ANSIBLE_SSH_ARGS: '-o ControlMaster=no -o UserKnownHostsFile=/dev/null',
      };
      const { out: list, err } = await run(['ansible-inventory', '-i', file, '--list'], { more });
      expect(err).toBe('');
      expect(JSON.parse(list)).toMatchObject({
        _meta: { hostvars: { r1: { ansible_host: '127.0.0.1', ansible_user: 'r1.default' } } },
        group_core: { hosts: ['r1'] },
        device_frr: { hosts: ['r1'] },
        device_vyos: { hosts: ['vm'] },
      });
      // A module is copied to the node, and runs there.
      const python = `ansible_python_interpreter=${requirement('python3').file}`;
      const pinged = await run(['ansible', '-i', file, 'group_core', '-m', 'ping', '-e', python], { more });
      expect(pinged.out).toContain('"ping": "pong"');
    } finally {
      await open.end();
    }
  });
});
