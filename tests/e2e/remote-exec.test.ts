/** `lab exec --server`: a command in a node of a lab on another machine. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { LabApiClient } from '../../src/client/public.ts';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { groundVariable, makeNodeGround } from '../support/node-ground.ts';
import { bareShell } from '../support/remote-lab.ts';
import { builtProgram, startService, type RunningService } from '../support/service.ts';

const { ground, env, setQdiscs } = makeNodeGround();
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
