/** `lab connect --server`: a terminal in a node of a lab on another machine. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { keyPin } from '../../src/lib/net/key-pin.ts';
import { trustFileOf } from '../../src/tls/kept-certificate.ts';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { groundVariable, makeNodeGround } from '../support/node-ground.ts';
import { bareShell } from '../support/remote-lab.ts';
import { testUnless } from '../support/requirements.ts';
import { certificateIn } from '../support/self-signed.ts';
import { builtProgram, startProgram, type RunningProgram } from '../support/service.ts';
import { makeTeam, passwords, tokens } from '../support/team.ts';
import { TerminalHere, terminalMissing } from '../support/terminal-here.ts';

const { ground, env } = makeNodeGround();
const serviceEnv = { ...env, PS1: 'ready> ' };
const { it, because } = testUnless(terminalMissing);
let service: RunningProgram;
beforeAll(async () => {
  service = await startProgram({ ground, env: serviceEnv });
});
afterAll(async () => void (await service.end()));

const labProgram = `'${process.execPath}' '${builtProgram}'`;

/** Prints the terminal that it runs at, the process and, in the end, whether the mode of the terminal is what it was. */
const at = (words: string, more: Readonly<Record<string, string>> = {}): TerminalHere => {
  const line = `stty rows 33 cols 101; before=$(stty -g); echo "at $(tty)"
sh -c 'echo "as $$"; exec "$@"' sh ${labProgram} ${words}
code=$?; [ "$(stty -g)" = "$before" ] && echo "as before, $code"; exit $code`;
  return new TerminalHere(line, { LAB_API_CLI: 'engine', ...more });
};
const connect = (node = 'vm', words = ''): TerminalHere =>
  at(`connect --server ${service.url} ${words} default ${node}`);
/** Without a terminal. */
const lab = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  spawnSync(process.execPath, [builtProgram, ...args], {
    env: { ...bareShell, LAB_API_CLI: 'engine', ...more },
    encoding: 'utf8',
  });
const processes = (): number[] =>
  processesWith(`${groundVariable}=${ground.env[groundVariable]}`).filter(
    (pid) => pid !== service.run.child.pid,
  );
const nothingIsLeft = async () => eventually('nothing is left', () => processes().length === 0);

describe('lab connect --server', () => {
  it(`is a shell of the node with the size of this terminal, and ends with its exit code${because}`, async () => {
    const terminal = connect();
    await terminal.prints(/ready> /);
    terminal.type('stty size; echo "<$TERM>"\r');
    await terminal.prints(/33 101\r+\n<xterm-256color>/);
    const [, device = ''] = await terminal.prints(/^at (\S+)\r/m);
    execFileSync('stty', ['-F', device, 'rows', '20', 'cols', '70']);
    terminal.type('until [ "$(stty size)" = "20 70" ]; do :; done; echo "res""ized"\r');
    await terminal.prints(/resized/);
    // As a program in raw mode moves down: without a carriage return, also in the mode of this terminal.
    terminal.type('stty -opost; printf "d\\no\\r\\nwn"; stty opost\r');
    await terminal.prints(/o\r+\nwn/);
    expect(terminal.printed).toContain('d\u001bDo\r');
    terminal.type('exit 7\r');
    await terminal.prints(/as before, 7/);
    expect(await terminal.ended).toBe(7);
    await nothingIsLeft();
  });

  it(`passes all keys on, Ctrl-C and Ctrl-D too, and bytes that are no text${because}`, async () => {
    const terminal = connect();
    await terminal.prints(/ready> /);
    terminal.type('trap "echo interr""upted" INT; echo "re""ady"; cat\r');
    await terminal.prints(/ready\r/);
    terminal.type('\u0003');
    await terminal.prints(/interrupted/);
    terminal.type('printf "\\303"; printf "\\244~~\\n"\r');
    await terminal.prints(/^ä~~/m);
    terminal.type('\u0004');
    expect(await terminal.ended).toBe(0);
  });

  it(`goes to containers as well${because}`, async () => {
    const terminal = connect('r1');
    await terminal.prints(/ready> /);
    terminal.type('echo "in $((40 + 2))"; exit 4\r');
    await terminal.prints(/in 42/);
    expect(await terminal.ended).toBe(4);
    await nothingIsLeft();
  });

  it(`ends with the code of shells for a program that a signal ended${because}`, async () => {
    const terminal = connect();
    await terminal.prints(/ready> /);
    terminal.type('kill -9 $$\r');
    await terminal.prints(/as before, 137/);
    expect(await terminal.ended).toBe(137);
  });

  it(`leaves after Enter, ~ and a dot, also when the node does not answer${because}`, async () => {
    const terminal = connect();
    await terminal.prints(/ready> /);
    terminal.type('stty -isig -echo; echo wait""ing; sleep 1000\r');
    await terminal.prints(/waiting/);
    terminal.type('x~.\r');
    terminal.type('~');
    terminal.type('.');
    await terminal.prints(/as before, 129/);
    expect(await terminal.ended).toBe(129);
    await nothingIsLeft();
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
    `restores the mode of the terminal when %s ends it${because}`,
    async (signal) => {
      const terminal = connect();
      await terminal.prints(/ready> /);
      const [, pid] = await terminal.prints(/^as (\d+)\r/m);
      process.kill(Number(pid), signal);
      await terminal.prints(/as before, 1\d\d/);
      await nothingIsLeft();
    },
  );

  it(`says why it is refused, as the service says it${because}`, async () => {
    const unknown = connect('r9');
    expect(await unknown.ended).toBe(1);
    expect(unknown.printed).toContain('no node "r9"');
    const noLab = at(`connect --server ${service.url} r1 vm`);
    expect(await noLab.ended).toBe(1);
    expect(noLab.printed).toContain('a lab comes before the node');
    const away = at('connect --server http://127.0.0.1:9 default r1');
    expect(await away.ended).toBe(69);
    expect(away.printed).toContain('lab: http://127.0.0.1:9: ');
    const noNode = at('connect vm', { LAB_API_URL: service.url });
    expect(await noNode.ended).toBe(2);
    expect(noNode.printed).toContain('lab connect LAB NODE');
  });

  it(`says that a proxy does not pass WebSockets on${because}`, async () => {
    const proxy = http.createServer((req, res) => {
      http.get(`${service.url}${req.url}`, (reply) => {
        res.writeHead(reply.statusCode ?? 0, reply.headers);
        reply.pipe(res);
      });
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const terminal = at(`connect --server http://127.0.0.1:${port} default vm`);
    expect(await terminal.ended).toBe(1);
    expect(terminal.printed).toContain('lab: no WebSocket came through: a proxy');
    proxy.close();
  });

  test('needs a terminal, but not for a command', () => {
    const piped = lab(['connect', '--server', service.url, 'default', 'r1']);
    expect(piped).toMatchObject({ status: 2, stderr: expect.stringContaining('is not a terminal') });
    const words = ['connect', 'default', 'r1', '--', 'sh', '-c', 'echo "$1"; exit 5', 'sh', '--server'];
    expect(lab(words, { LAB_API_URL: service.url })).toMatchObject({ status: 5, stdout: '--server\n' });
  });

  test('without a server is about this machine', () => {
    const { status, stderr } = lab(['connect', 'h1', 'curl', '--server', service.url], { LAB_API_URL: '' });
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no lab is running'),
    });
  });

  it(`ends when the service does, in order or not, with the mode restored${because}`, async () => {
    for (const [signal, words] of [
      ['SIGTERM', 'the terminal was closed: the service stops'],
      ['SIGKILL', 'the connection was lost'],
    ] as const) {
      const terminal = connect();
      await terminal.prints(/ready> /);
      await service.end(signal);
      await terminal.prints(/as before, 69/);
      expect(terminal.printed).toContain(`lab: ${words}\r\n`);
      await nothingIsLeft();
      service = await startProgram({ ground, env: serviceEnv });
    }
  });
});

describe('lab connect --server with users and TLS', () => {
  let secure: RunningProgram;
  const secureGround = makeNodeGround();
  beforeAll(async () => {
    const team = await makeTeam(secureGround.ground.root);
    secure = await startProgram({
      ground: secureGround.ground,
      env: { ...secureGround.env, ...team.env, PS1: 'ready> ' },
      args: ['--tls', 'self-signed'],
      client: { tls: { rejectUnauthorized: false } },
    });
  });
  afterAll(async () => void (await secure.end()));

  const connectAs = (words: string, more: Readonly<Record<string, string>>): TerminalHere =>
    at(`connect --server ${secure.url} ${words} default vm`, more);

  it(`takes the login and the trust of the other commands${because}`, async () => {
    const pair = path.join(secureGround.ground.dataDir, 'tls', 'self-signed.pem');
    const pin = keyPin(certificateIn(pair));
    for (const [words, more] of [
      [`--pin ${pin}`, { LAB_API_TOKEN: tokens.ci }],
      [`--cacert ${trustFileOf(pair)}`, { LAB_API_USER: 'ops', LAB_API_PASSWORD: passwords.ops }],
      ['--insecure', { LAB_API_TOKEN: tokens.ci }],
    ] as const) {
      const terminal = connectAs(words, more);
      await terminal.prints(/ready> /);
      terminal.type('exit 0\r');
      expect(await terminal.ended).toBe(0);
    }
  });

  it(`says which login, or which certificate, is wrong${because}`, async () => {
    const expired = connectAs('--insecure', { LAB_API_TOKEN: tokens.old });
    expect(await expired.ended).toBe(1);
    expect(expired.printed).toContain('has expired (2020-01-01T00:00:00.000Z)');
    const untrusting = connectAs('', { LAB_API_TOKEN: tokens.ci });
    expect(await untrusting.ended).toBe(69);
    expect(untrusting.printed).toContain('its certificate is not trusted');
    const other = `sha256//${Buffer.alloc(32).toString('base64')}`;
    const pinned = connectAs(`--pin ${other}`, { LAB_API_TOKEN: tokens.ci });
    expect(await pinned.ended).toBe(69);
    expect(pinned.printed).toContain('its key is another one');
  });
});
