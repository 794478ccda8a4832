/** Shells, commands and terminals in nodes that are objects of the test; integration/ssh-sessions has programs. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Client, ClientChannel, PseudoTtyOptions } from 'ssh2';
import { maxTypedBytes, maxUnsentBytes } from '../../../src/ssh/limits.ts';
import { eventually } from '../../support/eventually.ts';
import { GatewayOfTest } from '../../support/ssh-gateway.ts';
import { openChannel, sshClient, sshExec } from '../../support/ssh-client.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const dataDir = temporaryDirectory();
const clients: Client[] = [];
let service: GatewayOfTest;
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await service.gateway.close();
});

async function connect(username = 'r1.demo', changes: (service: GatewayOfTest) => void = () => undefined) {
  service = new GatewayOfTest(dataDir);
  changes(service);
  const client = await sshClient(await service.listen(), { username, password: 'right' });
  clients.push(client);
  return client;
}

/** A terminal with its client. */
async function terminal(
  window: PseudoTtyOptions = { cols: 100, rows: 40, term: 'vt100' },
  changes?: (service: GatewayOfTest) => void,
) {
  const client = await connect(undefined, changes);
  const channel = await new Promise<ClientChannel>((resolve, reject) =>
    client.shell(window, (error, opened) => (error ? reject(error) : resolve(opened))),
  );
  const inNode = await eventually('the terminal is open', () => service.node.terminals[0]);
  return { client, channel, inNode };
}

const endOf = async (channel: ClientChannel) => {
  channel.resume();
  return once(channel, 'exit');
};

describe('a terminal', () => {
  test('has the kind and the size of that of its client, and what is typed and printed passes', async () => {
    const { channel, inNode } = await terminal();
    expect(inNode.wanted).toEqual({ columns: 100, rows: 40, term: 'vt100', program: undefined });
    channel.write('ls\r');
    await eventually('it was typed', () => inNode.typed === 'ls\r');
    inNode.print('file\r\n');
    inNode.end(3);
    expect(await text(channel)).toBe('file\r\n');
  });

  test.each([
    [
      { cols: 0, rows: 0, term: 'xterm' },
      { columns: 80, rows: 24, term: 'xterm' },
    ],
    [
      { cols: 1_001, rows: 1_001, term: 'x term' },
      { columns: 80, rows: 24, term: 'xterm-256color' },
    ],
    [
      { cols: 1, rows: 1_000, term: 'x; reboot' },
      { columns: 1, rows: 1_000, term: 'xterm-256color' },
    ],
    [
      { cols: 80, rows: 24, term: 'x'.repeat(65) },
      { columns: 80, rows: 24, term: 'xterm-256color' },
    ],
  ])('of %j is one that a program can use', async (window, wanted) => {
    const { inNode } = await terminal(window);
    expect(inNode.wanted).toMatchObject(wanted);
  });

  test('follows the window of its client', async () => {
    const { channel, inNode } = await terminal();
    channel.setWindow(50, 120, 0, 0);
    channel.setWindow(0, 130, 0, 0);
    await eventually('it was resized', () => inNode.sizes.at(-1) === '130x24');
    expect(inNode.sizes).toEqual(['100x40', '120x50', '130x24']);
  });

  test('gets the signals that have a key as that, ends with others, and knows no more', async () => {
    const { channel, inNode } = await terminal();
    for (const signal of ['INT', 'SIGQUIT', 'USR1']) channel.signal(signal);
    channel.write('x');
    await eventually('they were typed', () => inNode.typed.endsWith('x'));
    expect([inNode.typed, inNode.isClosed]).toEqual(['\u0003\u001cx', false]);
    channel.signal('TERM');
    await eventually('it is closed', () => inNode.isClosed);
  });

  test.each([
    [7, undefined, [7]],
    [null, 15, [null, 'SIGTERM']],
    [null, 99, [null, 'SIGKILL']],
    [null, undefined, [255]],
  ])('whose program ended with %j and the signal %j tells that', async (code, signal, told) => {
    const { channel, inNode } = await terminal();
    inNode.end(code, signal);
    expect((await endOf(channel)).slice(0, told.length)).toEqual(told);
  });

  test('is closed when its client has gone, and that is in the audit', async () => {
    const { client, inNode } = await terminal();
    client.destroy();
    await eventually('it is closed', () => inNode.isClosed);
    await eventually('it is noted', () => service.audit.at(-1)?.aborted === true);
  });

  test('waits for a client that does not read, and prints all of it then', async () => {
    const { channel, inNode } = await terminal();
    channel.pause();
    const piece = Buffer.alloc(maxUnsentBytes / 4, 'x');
    let printed = 0;
    await eventually('it waits', () => {
      if (!inNode.isPaused) {
        inNode.print(piece);
        printed += piece.length;
      }
      return inNode.isPaused;
    });
    expect(printed).toBeGreaterThan(piece.length);
    let read = 0;
    channel.on('data', (bytes: Buffer) => (read += bytes.length));
    channel.resume();
    await eventually('it goes on', () => !inNode.isPaused);
    inNode.end(0);
    await once(channel, 'close');
    expect(read).toBe(printed);
  });

  test('takes no more than its program reads', async () => {
    const { channel, inNode } = await terminal();
    inNode.unreadBytes = maxTypedBytes + 1;
    channel.write('a');
    await eventually('it was typed', () => inNode.typed === 'a');
    channel.write('b');
    // The client is answered, so this came after it.
    await sshExec(clients[0]!, 'true');
    expect(inNode.typed).toBe('a');
    inNode.unreadBytes = maxTypedBytes / 2;
    await eventually('it goes on', () => inNode.typed === 'ab');
  });

  test('where nothing happens is closed with a sentence', async () => {
    const { channel, inNode } = await terminal(undefined, (changed) => {
      changed.terminalIdleMs = 300;
    });
    const heard = text(channel);
    await eventually('it is closed', () => inNode.isClosed);
    expect(await heard).toBe('\r\nlab-api: nothing was typed or printed for long\r\n');
  });
});

describe('a command', () => {
  test('has its streams, its exit code, and its signals', async () => {
    const client = await connect();
    expect(await sshExec(client, 'echo out; echo wrong >&2; exit 9')).toEqual({
      code: 9,
      out: 'out\n',
      said: 'wrong\n',
    });
    const channel = await openChannel(client, 'read line; echo "got $line"; exec kill -9 $$');
    channel.signal('SIGUSR1');
    await eventually('the signal is there', () => service.node.signals.length === 1);
    expect(service.node.signals).toEqual(['USR1']);
    channel.write('hello\n');
    const code = endOf(channel);
    expect(await text(channel)).toBe('got hello\n');
    expect(await code).toEqual([255]);
  });

  test('ends with its channel', async () => {
    const client = await connect();
    const channel = await openChannel(client, 'echo on; exec sleep 1000');
    await once(channel, 'data');
    channel.close();
    await eventually('it has ended', () => service.audit.at(-1)?.aborted === true);
    expect(service.audit.at(-1)).toMatchObject({ operation: 'execInNode', status: 200 });
  });

  test('is in the audit when it begins, and when it ends', async () => {
    const client = await connect();
    await sshExec(client, 'true');
    const use = {
      user: 'ann',
      role: 'operator',
      loggedInBy: 'token',
      operation: 'execInNode',
      lab: 'demo',
      node: 'r1',
    };
    expect(service.audit.slice(-2)).toEqual([
      expect.objectContaining({ ...use, event: 'opened' }),
      expect.objectContaining({ ...use, event: 'request', status: 200, durationMs: expect.any(Number) }),
    ]);
    expect(service.audit.at(-1)).not.toHaveProperty('aborted');
    expect(service.audit.at(-1)).not.toHaveProperty('error');
    expect(service.log.entries).toContainEqual({
      level: 'info',
      message: 'a node is used over SSH',
      fields: { operation: 'execInNode', user: 'ann', lab: 'demo', node: 'r1' },
    });
  });

  test('with a NUL, and a subsystem but SFTP, are refused', async () => {
    const client = await connect();
    await expect(openChannel(client, 'a\0b')).rejects.toThrow();
    const open = async (name: string) =>
      new Promise<ClientChannel>((resolve, reject) =>
        client.subsys(name, (error, channel) => (error ? reject(error) : resolve(channel))),
      );
    await expect(open('netconf')).rejects.toThrow();
    (await open('sftp')).destroy();
    await eventually('it is noted', () => service.audit.some(({ operation }) => operation === 'sftpInNode'));
  });
});

describe('a node that is not reached', () => {
  test.each([
    ['r1.none', 404, 'there is no lab instance "none"'],
    ['r1', 400, 'the user name must be NODE.LAB, such as r1.default: ssh r1.default@server'],
    ['.demo', 400, 'the user name must be NODE.LAB'],
    ['r1.', 400, 'the user name must be NODE.LAB'],
    [
      'r1.course',
      404,
      '"course" is the name of a lab; the user name has its id, in the column LAB of "lab labs": r1.7, r1.9',
    ],
    ['r9.demo', 500, 'a fault of the service; its log has the details'],
  ])('%s gets the reason', async (username, status, words) => {
    const client = await connect(username, (changed) => {
      changed.labs = [
        { id: '7', name: 'course' },
        { id: '8', name: 'other' },
        { id: '9', name: 'course' },
      ];
    });
    const { code, said } = await sshExec(client, 'true');
    expect([code, said]).toEqual([255, expect.stringContaining(`lab-api: ${words}`)]);
    expect(said).toMatch(/[^\r]\n$/);
    expect(service.audit.at(-1)).toMatchObject({ status, path: `/ssh/${username}` });
    expect(service.log.errors()).toHaveLength(status === 500 ? 1 : 0);
  });

  test('tells a terminal in a line of its own', async () => {
    const client = await connect('r1.none');
    const said = await new Promise<string>((resolve, reject) =>
      client.exec('true', { pty: true }, (error, channel) =>
        error ? reject(error) : (channel.resume(), resolve(text(channel.stderr))),
      ),
    );
    expect(said).toBe('lab-api: there is no lab instance "none"\r\n');
  });

  test('is not looked up for a viewer', async () => {
    const client = await connect('r1.none', (changed) => {
      changed.principal = { ...changed.principal, role: 'viewer' };
    });
    expect((await sshExec(client, 'true')).said).toBe(
      'lab-api: this needs the role operator, which ann (viewer) does not have\n',
    );
  });
});
