/** `lab capture --server`: the packets of a node of a lab on another machine. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { groundVariable, makeNodeGround } from '../support/node-ground.ts';
import { bareShell } from '../support/remote-lab.ts';
import { testUnless } from '../support/requirements.ts';
import { builtProgram, startProgram, type RunningProgram } from '../support/service.ts';
import { TerminalHere, terminalMissing } from '../support/terminal-here.ts';

const { ground, env, runs } = makeNodeGround();
let service: RunningProgram;
beforeAll(async () => {
  service = await startProgram({ ground, env });
});
afterAll(async () => void (await service.end()));

const start = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  spawn(process.execPath, [builtProgram, 'capture', ...args], {
    env: { ...bareShell, LAB_API_CLI: 'engine', ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
const codeOf = async (child: ReturnType<typeof start>): Promise<number | null> =>
  new Promise((resolve) => void child.once('close', resolve));
async function ran(...given: Parameters<typeof start>) {
  const child = start(...given);
  const [code, out, err] = await Promise.all([codeOf(child), text(child.stdout), text(child.stderr)]);
  return { code, out, err };
}
const onServer = (...words: readonly string[]): string[] => ['--server', service.url, ...words];
const nothingIsLeft = async () =>
  eventually('nothing is left', () => {
    const pids = processesWith(`${groundVariable}=${ground.env[groundVariable]}`);
    return pids.every((pid) => pid === service.run.child.pid);
  });

describe('lab capture --server', () => {
  test('writes what tcpdump writes, with the options of the API', async () => {
    const words = ['default', 'r1', 'eth1', '--filter', 'icmp or arp', '--seconds', '0.3', '--packets', '7'];
    expect(await ran(onServer(...words))).toEqual({ code: 0, out: 'headend', err: '' });
    const [run] = runs().filter((line) => line.startsWith('tcpdump'));
    expect(run).toMatch(/ -i eth1 .*-c 7 .*icmp or arp$/);
    expect(await ran(words, { LAB_API_URL: service.url })).toMatchObject({ code: 0, out: 'headend' });
    expect(await ran([...words, `--server=${service.url}`])).toMatchObject({ code: 0, out: 'headend' });
  });

  test('says what is wrong with a request', async () => {
    for (const [words, code, sentence] of [
      [['default', 'r1'], 2, 'lab capture LAB NODE INTERFACE'],
      [['default', 'r1', 'eth1', 'icmp'], 2, 'lab capture LAB NODE INTERFACE'],
      [['default', 'r1', 'eth1', '--packets', 'all'], 2, '--packets: "all" is not a number'],
      [['default', 'r1', 'eth1', '--seconds', '3601'], 2, '--seconds: must be a number of seconds'],
      [['default', 'r1', 'eth1', '--filter', 'bad'], 2, 'syntax error'],
      [['default', 'r1', 'eth7'], 1, 'eth7'],
      [['default', 'r9', 'eth1'], 1, 'no node "r9"'],
    ] as const)
      expect(await ran(onServer(...words))).toEqual({
        code,
        out: '',
        err: expect.stringContaining(sentence),
      });
    expect(await ran(['--server', 'http://127.0.0.1:9', 'default', 'r1', 'eth1'])).toMatchObject({
      code: 69,
    });
  });

  const { it, because } = testUnless(terminalMissing);
  it(`writes nothing but text to a terminal${because}`, async () => {
    const words = onServer('default', 'r1', 'eth1', '--seconds', '0.3').join(' ');
    const terminal = new TerminalHere(`'${process.execPath}' '${builtProgram}' capture ${words}`);
    expect(await terminal.ended).toBe(2);
    expect(terminal.printed).toContain('packets are not for a terminal');
    const second = new TerminalHere(`'${process.execPath}' '${builtProgram}' capture --text ${words}`);
    expect(await second.ended).toBe(0);
    expect(second.printed).toContain('headend');
    expect(runs().findLast((line) => line.startsWith('tcpdump'))).toContain(' -l -n -e -v ');
  });

  test('ends with Ctrl-C as a capture of tcpdump does', async () => {
    const child = start(onServer('default', 'r1', 'eth1', '--seconds', '3600'));
    const ended = codeOf(child);
    child.stdout.once('data', () => child.kill('SIGINT'));
    expect(await ended).toBe(0);
    await nothingIsLeft();
  });

  test('ends when its reader has gone', async () => {
    const child = start(onServer('default', 'r1', 'eth1', '--seconds', '3600', '--filter', 'busy'));
    const ended = codeOf(child);
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await ended).toBe(141);
    await nothingIsLeft();
  });

  test('fails when the service ends in the middle', async () => {
    const child = start(onServer('default', 'r1', 'eth1', '--seconds', '3600'));
    const [ended, err] = [codeOf(child), text(child.stderr)];
    child.stdout.once('data', () => void service.end('SIGKILL'));
    expect(await ended).toBe(69);
    expect(await err).toContain('lab: the connection was lost before the end of the capture');
    await service.run.exit;
    service = await startProgram({ ground, env });
  });

  test('without a server is about this machine', async () => {
    const { code, err } = await ran(['h1', 'eth1'], { LAB_API_URL: '' });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('no lab is running in') });
  });
});
