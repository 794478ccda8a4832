/** Nodes of a lab of the bundled engine over SSH, with the programs of OpenSSH. */
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { lab, missingForAnyLabs } from '../support/engine-cli.ts';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { startProgram, type RunningProgram } from '../support/service.ts';
import { OpenSsh, sftpServerMissing, sshInfoOf } from '../support/ssh.ts';

const missing = missingForAnyLabs() ?? requirement('ssh').missing;
const { because, home, it, prepared, root } = preparedLabs({ missing });
const { where, instance } = prepared('ssh', {
  links: [
    ['h1', 'r1'],
    ['r1', 'h2'],
  ],
});
const env = { LAB_API_CLI: 'engine', LAB_HOME: home, LAB_API_SSH_PORT: '0' };

let service: RunningProgram;
let ssh: OpenSsh;
const start = async () => {
  service = await startProgram({ env });
  ssh = new OpenSsh(root, await sshInfoOf(service));
};
beforeAll(async () => {
  if (missing !== undefined) return;
  await lab(where, ['up', '--snapshot']);
  await start();
});
afterAll(async () => void (await service?.end()));

const h1 = `h1.${instance}`;
const run = async (command: string, input?: Buffer | string) => ssh.run(h1, command, input);
/** All that runs in nodes has it, also `lab connect`. */
const processes = (): number[] =>
  processesWith(`LAB_HOME=${home}`).filter((pid) => pid !== service.run.child.pid);
const nothingIsLeft = async () => eventually('nothing is left', () => processes().length === 0);

describe('a command', () => {
  it(`has its own standard output, standard error and exit code${because}`, async () => {
    const { code, out, said } = await run('hostname; echo "no terminal: $(tty)"; echo wrong >&2; exit 7');
    expect([code, out.toString(), said]).toEqual([7, 'h1\nno terminal: not a tty\n', 'wrong\n']);
  });

  it(`gets all bytes of its standard input, and gives them back${because}`, async () => {
    const bytes = randomBytes(5 * 1024 * 1024);
    const { code, out } = await run('cat', bytes);
    expect([code, out.equals(bytes)]).toEqual([0, true]);
    expect((await run('wc -c', '')).out.toString()).toBe('0\n');
  });

  it(`reaches the other nodes as the node does${because}`, async () => {
    expect((await run('ping -c1 -W5 h2 >/dev/null && echo there')).out.toString()).toBe('there\n');
  });

  it(`that is ended by a signal has its number plus 128${because}`, async () => {
    expect((await run('kill -TERM $$')).code).toBe(143);
  });

  it(`has no process of the engine between the service and itself${because}`, async () => {
    const { out } = await run('tr "\\0" " " </proc/$PPID/cmdline');
    expect(out.toString()).toContain('main.js api');
  });

  it(`ends with a client that is killed, and all that it started${because}`, async () => {
    const client = ssh.start('ssh', [
      `${h1}@gateway`,
      '(trap "" HUP TERM; exec sleep 1000) & echo on; setsid sleep 1000',
    ]);
    await eventually('the command runs', () => client.out() === 'on\n');
    client.child.kill('SIGKILL');
    await nothingIsLeft();
  });

  it(`leaves what made itself a daemon${because}`, async () => {
    const { code, out } = await run('setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $!');
    expect(code).toBe(0);
    await eventually('the daemon alone runs', () => processes().length === 1);
    process.kill(Number(out), 'SIGKILL');
    await nothingIsLeft();
  });

  it(`of a node that is not there is refused with the reason${because}`, async () => {
    const missingNode = await ssh.run(`h9.${instance}`, 'true');
    expect(missingNode).toMatchObject({
      code: 255,
      said: expect.stringMatching(/^lab-api: .*has no node "h9"/),
    });
    expect(await ssh.run('h1.nowhere', 'true')).toMatchObject({
      code: 255,
      said: expect.stringMatching(/no lab/),
    });
    const { json } = await service.get(`/labs/${instance}`);
    expect(await ssh.run(`h1.${json.name}`, 'true')).toMatchObject({
      code: 255,
      said: expect.stringContaining(`is the name of a lab`),
    });
    expect(await ssh.run('h1', 'true')).toMatchObject({
      code: 255,
      said: expect.stringMatching(/NODE\.LAB/),
    });
  });
});

describe('a terminal', () => {
  const terminal = (command: string, input?: string) =>
    ssh.start('ssh', ['-tt', `${h1}@gateway`, command], input);

  it(`has the kind and the exit code of its program${because}`, async () => {
    const { code, out } = await terminal('tty; echo "$TERM"; exit 3').ended;
    expect(code).toBe(3);
    expect(out.toString()).toMatch(/^\/dev\/pts\/\d+\r\n\S+\r\n$/);
  });

  it(`passes what is typed, and ends its processes with it${because}`, async () => {
    const client = ssh.start(
      'ssh',
      ['-tt', `${h1}@gateway`],
      'echo "in $(hostname)"; nohup sleep 1000 & exit 5\r',
    );
    const { code, out } = await client.ended;
    expect([code, out.toString()]).toEqual([5, expect.stringContaining('in h1\r\n')]);
    await nothingIsLeft();
  });
});

it(`a shell without a terminal reads commands from its standard input${because}`, async () => {
  const { code, out } = await ssh.start('ssh', ['-T', `${h1}@gateway`], 'hostname\nexit 4\n').ended;
  expect([code, out.toString()]).toEqual([4, 'h1\n']);
});

it(`all ends when the service is killed${because}`, async () => {
  const clients = ['sleep 1000', 'trap "" HUP TERM; echo on; exec sleep 1000'].map((command) =>
    ssh.start('ssh', [`${h1}@gateway`, `echo begun; ${command}`]),
  );
  for (const client of clients) await eventually('it has begun', () => client.out().startsWith('begun'));
  await service.end('SIGKILL');
  for (const client of clients) expect((await client.ended).code).toBe(255);
  await nothingIsLeft();
  await start();
});

it(`a service that stops says goodbye${because}`, async () => {
  const client = ssh.start('ssh', [`${h1}@gateway`, 'echo begun; sleep 1000']);
  await eventually('it has begun', () => client.out() === 'begun\n');
  expect(await service.end()).toBe(0);
  expect(await client.ended).toMatchObject({
    code: 255,
    said: expect.stringContaining(':11: the service stops'),
  });
  await nothingIsLeft();
  const before = await sshInfoOf(service).catch(() => undefined);
  expect(before).toBeUndefined();
  await start();
});

describe('connections through a node', () => {
  const greet =
    "python3 -u -c \"import socket; s = socket.create_server(('', 7000)); print('on', flush=True)\nwhile 1:\n  c, _ = s.accept(); d = b''.join(iter(lambda: c.recv(65536), b'')); c.sendall(b'got %d' % len(d)); c.close()\"";
  const server = testUnless(missing ?? requirement('python3').missing);

  server.it(`reach what the node reaches, half by half, with -W and -L${server.because}`, async () => {
    const listener = ssh.start('ssh', [`h2.${instance}@gateway`, greet]);
    await eventually('it listens', () => listener.out() === 'on\n');
    const { out } = await ssh.start('ssh', ['-W', 'h2:7000', `${h1}@gateway`], Buffer.alloc(3_000_000)).ended;
    expect(out.toString()).toBe('got 3000000');
    const port = await freePort();
    const forward = ssh.start('ssh', ['-N', '-L', `${port}:h2:7000`, `${h1}@gateway`]);
    const through = async (text: string) => {
      const socket = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true });
      socket.end(text);
      let said = '';
      for await (const chunk of socket) said += String(chunk);
      return said;
    };
    await eventually('it is forwarded', async () => (await through('abc')) === 'got 3');
    expect(await Promise.all(Array.from({ length: 8 }, (_, at) => through('x'.repeat(at + 1))))).toEqual(
      Array.from({ length: 8 }, (_, at) => `got ${at + 1}`),
    );
    forward.child.kill('SIGKILL');
    listener.child.kill('SIGKILL');
    await nothingIsLeft();
  });

  server.it(`go on to send when the other side has ended its half${server.because}`, async () => {
    const count =
      "python3 -u -c \"import socket; s = socket.create_server(('', 7001)); print('on', flush=True)\nc, _ = s.accept(); c.shutdown(1); print(len(b''.join(iter(lambda: c.recv(65536), b''))))\"";
    const listener = ssh.start('ssh', [`h2.${instance}@gateway`, count]);
    await eventually('it listens', () => listener.out() === 'on\n');
    const port = await freePort();
    const forward = ssh.start('ssh', ['-N', '-L', `${port}:h2:7001`, `${h1}@gateway`]);
    const socket = await eventually('it is forwarded', async () => {
      const tried = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true });
      return once(tried, 'connect').then(
        () => tried,
        () => undefined,
      );
    });
    socket.resume();
    await once(socket, 'end');
    socket.end(Buffer.alloc(3_000_000));
    expect((await listener.ended).out.toString()).toBe('on\n3000000\n');
    forward.child.kill('SIGKILL');
    await nothingIsLeft();
  });

  it(`do not lead to the server itself, nor back to the client${because}`, async () => {
    const { port } = new URL(service.url);
    const direct = await ssh.start(
      'ssh',
      ['-o', 'LogLevel=INFO', '-W', `127.0.0.1:${port}`, `${h1}@gateway`],
      '',
    ).ended;
    expect([direct.code, direct.said]).toEqual([
      255,
      expect.stringMatching(/connect failed: connect ECONNREFUSED .*stdio forwarding failed/s),
    ]);
    const flags = ['-o', 'ExitOnForwardFailure=yes', '-R', '0:127.0.0.1:22'];
    const back = await ssh.start('ssh', [...flags, `${h1}@gateway`, 'true']).ended;
    expect(back).toMatchObject({ code: 255, said: expect.stringContaining('remote port forwarding failed') });
    await nothingIsLeft();
  });
});

describe('files', () => {
  const sftpMissing = missing ?? sftpServerMissing();
  const { it: withServer, because: why } = testUnless(sftpMissing);
  const scpOnly = testUnless(missing ?? requirement('scp').missing);

  function place() {
    const directory = mkdtempSync(path.join(root, 'files-'));
    const bytes = randomBytes(1_000_000);
    writeFileSync(path.join(directory, 'sent'), bytes);
    return { bytes, file: (name: string) => path.join(directory, name) };
  }

  async function copy(...flags: readonly string[]) {
    const { bytes, file } = place();
    const scp = async (from: string, to: string) =>
      ssh.start('scp', ['-q', ...flags, '-o', `User=${h1}`, from, to]).ended;
    expect(await scp(file('sent'), `gateway:${file('there')}`)).toMatchObject({ code: 0, said: '' });
    expect(await scp(`gateway:${file('there')}`, file('back'))).toMatchObject({ code: 0, said: '' });
    expect(readFileSync(file('back')).equals(bytes)).toBe(true);
    expect(await scp(`gateway:${file('nothing')}`, file('back'))).toMatchObject({ code: 1 });
  }

  withServer(`are copied with scp${why}`, async () => copy());
  scpOnly.it(`are copied with the old protocol of scp${scpOnly.because}`, async () => copy('-O'));

  withServer(`are copied with sftp, which ends by itself${why}`, async () => {
    const { bytes, file } = place();
    const batch = `put ${file('sent')} ${file('there')}\nls -l ${file('there')}\n`;
    const { code, out } = await ssh.start('sftp', ['-q', '-b', '-', '-o', `User=${h1}`, 'gateway'], batch)
      .ended;
    expect([code, out.toString()]).toEqual([0, expect.stringContaining('1000000')]);
    expect(readFileSync(file('there')).equals(bytes)).toBe(true);
  });
});
