/** `lab exec --server`: a command in a node of a lab on another machine. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { LabApiClient } from '../../src/client/public.ts';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { groundVariable, makeNodeGround } from '../support/node-ground.ts';
import { bareShell } from '../support/remote-lab.ts';
import { builtProgram, startService, type RunningService } from '../support/service.ts';

const { ground, env, setQdiscs } = makeNodeGround({
  containers: ['r1', 'r2', 'r3'],
  groups: { odd: ['r1', 'r3'] },
});
let service: RunningService;
beforeAll(async () => {
  service = await startService({ ground, env });
});
afterAll(async () => service.stop());

/** Standard output and standard error apart. */
async function lab(args: readonly string[], input = '', more: Readonly<Record<string, string>> = {}) {
  // What is about this machine is for the bundled engine, also where netlab is.
  const child = spawn(process.execPath, [builtProgram, ...args], {
    env: { ...bareShell, LAB_API_CLI: 'engine', ...more },
  });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
  const [out, err, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { out, err, exitCode };
}
const exec = async (...words: readonly string[]) => lab(['exec', '--server', service.url, ...words]);
const processes = (): number[] => processesWith(`${groundVariable}=${ground.env[groundVariable]}`);

describe('lab exec --server', () => {
  test('prints what the command prints, and ends as it does', async () => {
    expect(await exec('default', 'r1', '--', 'sh', '-c', 'printf "a\\033[1mb"; exit 7')).toEqual({
      out: 'a\u001b[1mb',
      err: '',
      exitCode: 7,
    });
  });

  test('passes words on as they are, options too', async () => {
    const words = ['printf', '<%s>', '--server', '-i', 'a b', '$HOME', ''];
    expect((await exec('default', 'r1', ...words)).out).toBe('<--server><-i><a b><$HOME><>');
    const before = await lab(['--server', service.url, 'exec', 'default', 'r1', '--', ...words]);
    expect(before.out).toBe('<--server><-i><a b><$HOME><>');
  });

  test('gives standard input on request', async () => {
    const { out } = await lab(
      ['exec', `--server=${service.url}`, '--stdin', 'default', 'r1', 'cat'],
      'from here\n',
    );
    expect(out).toBe('from here\n');
  });

  test('says why there is no such command, node, or time', async () => {
    expect(await exec('default', 'nobody', 'ls')).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('no node "nobody"'),
    });
    expect(await exec('default', 'vm', 'ls')).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('is no container'),
    });
    expect(await exec('--timeout', 'soon', 'default', 'r1', 'ls')).toMatchObject({ exitCode: 2 });
    expect(await exec('--timeout', '300ms', 'default', 'r1', 'sleep', '1000')).toMatchObject({
      exitCode: 124,
      err: expect.stringContaining('because of its timeout'),
    });
    expect(await exec('default')).toMatchObject({ exitCode: 2 });
    expect(await lab(['exec', '--server', 'http://127.0.0.1:9', 'default', 'r1', 'ls'])).toMatchObject({
      exitCode: 69,
    });
  });

  test('with LAB_API_URL goes there, as the other commands do', async () => {
    const there = { LAB_API_URL: service.url };
    expect(await lab(['exec', 'default', 'r1', '--', 'echo', '--server'], '', there)).toEqual({
      out: '--server\n',
      err: '',
      exitCode: 0,
    });
    // Empty, it counts as unset.
    const { err } = await lab(['exec', 'h1', 'true'], '', { LAB_API_URL: '' });
    expect(err).toContain('no lab is running in');
  });

  test('says that the lab is missing, also where the command has more words', async () => {
    const advice = (words: string): string =>
      `a lab comes before the node, and "lab labs" lists them; if the lab is missing: lab exec LAB ${words}\n`;
    expect(await lab(['--server', service.url, 'exec', 'r1', 'ping'])).toEqual({
      out: '',
      err: expect.stringContaining(`lab: there is no command: ${advice('r1 ping')}`),
      exitCode: 2,
    });
    expect(await exec('r1', 'ping', '-c', '3')).toEqual({
      out: '',
      err: expect.stringContaining(`lab: "-c" is no command: ${advice('r1 ping -c 3')}`),
      exitCode: 2,
    });
    expect(await exec('r1', 'ping', 'h2')).toEqual({
      out: '',
      err: expect.stringContaining(`lab: ${advice('r1 ping h2')}`),
      exitCode: 1,
    });
    // A lab and a node stand before the command.
    expect(await exec('defualt', 'r1', '--', 'ping', 'h2')).toEqual({
      out: '',
      err: expect.stringMatching(/^lab: There is no lab instance "defualt"[^\n]*\n$/),
      exitCode: 1,
    });
  });

  test('without a server is about this machine, whatever the command takes', async () => {
    const { err, exitCode } = await lab(['exec', 'h1', 'curl', '--server', service.url]);
    expect({ err, exitCode }).toMatchObject({ exitCode: 1, err: expect.stringContaining('lab exec') });
  });

  test('Ctrl-C ends the command there', async () => {
    const args = ['exec', '--server', service.url, 'default', 'r1', 'sh', '-c', 'echo here; sleep 1000'];
    const child = spawn(process.execPath, [builtProgram, ...args], { env: bareShell });
    const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
    child.stdout.once('data', () => child.kill('SIGINT'));
    expect(await ended).toBe(130);
    await eventually('nothing is left', () => processes().length === 0);
  });
});

describe('lab exec --server with many nodes', () => {
  const command = ['--', 'sh', '-c', 'case $CONTAINER in *r2) printf odd; exit 7 ;; esac; echo same'];

  test.each([
    ['r*', '== r[1,3] (exit 0)\nsame\n== r2 (exit 7)\nodd\n', 7],
    ['r2,r1', '== r1 (exit 0)\nsame\n== r2 (exit 7)\nodd\n', 7],
    ['r[1,3]', '== r[1,3] (exit 0)\nsame\n', 0],
    ['odd', '== r[1,3] (exit 0)\nsame\n', 0],
    ['group:odd', '== r[1,3] (exit 0)\nsame\n', 0],
  ])('%s prints equal answers once, and ends as the first that failed', async (nodes, out, exitCode) => {
    expect(await exec('default', nodes, ...command)).toEqual({ out, err: '', exitCode });
  });

  test('says which nodes were not reached or took too long', async () => {
    const slow = ['sh', '-c', 'case $CONTAINER in *r2) exec sleep 1000 ;; esac'];
    expect(await exec('--timeout', '5s', 'default', 'all', '--', ...slow)).toEqual({
      out: expect.stringMatching(
        /^== r\[1,3\] \(exit 0\)\n== r2 \(timed out\)\n== vm \(not run\)\n.*vm.*\n$/,
      ),
      err: '',
      exitCode: 124,
    });
  });

  test('gives all of them the same standard input, and JSON on request', async () => {
    const args = ['exec', '--server', service.url, '--stdin', '-o', 'json', 'default', 'r1,r2', 'cat'];
    const { out, exitCode } = await lab(args, 'from here\n');
    expect(JSON.parse(out)).toMatchObject({
      nodes: [{ node: 'r1' }, { node: 'r2' }],
      answers: [{ nodes: ['r1', 'r2'], exitCode: 0, output: 'from here\n' }],
    });
    expect(exitCode).toBe(0);
    const one = await exec('-o', 'json', 'default', 'r1', '--', 'false');
    expect(JSON.parse(one.out).answers).toMatchObject([{ nodes: ['r1'], exitCode: 1 }]);
    expect(one.exitCode).toBe(1);
  });

  test('says which output was cut', async () => {
    const { err } = await exec('default', 'r[1-2]', 'head', '-c', String(2 ** 20 + 1), '/dev/zero');
    expect(err).toBe('lab: the output of r[1-2] is too long, and was cut\n');
  });

  test('refuses a word that chooses none, with the nodes that there are', async () => {
    expect(await exec('default', 'x*', 'ls')).toEqual({
      out: '',
      err: 'lab: nodes.0: no node matches "x*"; the lab has r1, r2, r3, vm\n',
      exitCode: 2,
    });
  });

  test('Ctrl-C ends the command in all of them', async () => {
    const began = path.join(ground.root, 'began');
    const script = `: >${began}; exec sleep 1000`;
    const args = ['exec', '--server', service.url, 'default', 'r*', 'sh', '-c', script];
    const child = spawn(process.execPath, [builtProgram, ...args], { env: bareShell });
    const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
    // Not any process of the lab: a status that ends may be one, before the program listens for the signal.
    await eventually('it runs', () => existsSync(began));
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    await eventually('nothing is left', () => processes().length === 0);
  });
});

describe('the client', () => {
  test('runs commands, and asks for logs, packets and impairments', async () => {
    const node = new LabApiClient({ url: service.url }).node('default', 'r1');
    expect(await node.exec({ command: ['echo', 'hello'] })).toMatchObject({ output: 'hello\n', exitCode: 0 });
    let printed = '';
    for await (const news of node.run({ command: ['sh', '-c', 'printf "\\377"; exit 3'] })) {
      if (news.kind === 'output') printed += Buffer.from(news.bytes).toString('hex');
      else expect(news.end).toMatchObject({ exitCode: 3, reason: 'exited' });
    }
    expect(printed).toBe('ff');
    expect(await (await node.log({ tail: 5 })).text()).toBe('out\nerr\n');
    expect(await (await node.capture('eth1', { seconds: 0.2, filter: 'icmp' })).text()).toBe('headend');
    expect(await node.impairment('eth1')).toMatchObject({ isImpaired: false });
    setQdiscs([{ kind: 'netem', root: true, options: { delay: { delay: 0.1 } } }]);
    expect(await node.impair('eth1', { delayMs: 100 })).toMatchObject({ isImpaired: true, delayMs: 100 });
    await node.mend('eth1');
  });
});
