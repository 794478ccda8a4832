/** Terminals and packets in a lab of the bundled engine, over HTTP and on the command line. */
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { once } from 'node:events';
import path from 'node:path';
import { lab, missingForAnyLabs, startLab } from '../support/engine-cli.ts';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { requirement } from '../support/requirements.ts';
import { startProgram, type RunningProgram } from '../support/service.ts';
import { TerminalClient } from '../support/terminal-client.ts';

const missing = missingForAnyLabs() ?? requirement('tcpdump').missing;
const { because, home, it, prepared } = preparedLabs({ missing });
const { where, instance } = prepared('terminal', {
  links: [
    ['h1', 'r1'],
    ['r1', 'h2'],
  ],
});
const env = { LAB_API_CLI: 'engine', LAB_HOME: home };
const node = (name: string): string => `/labs/${instance}/nodes/${name}`;

let service: RunningProgram;
beforeAll(async () => {
  if (missing !== undefined) return;
  await lab(where, ['up', '--snapshot']);
  service = await startProgram({ env });
});
afterAll(async () => void (await service?.end()));

const open = async () => new TerminalClient(service.url, `${node('h1')}/terminal`).opened();
const processes = (): number[] =>
  processesWith(`LAB_HOME=${home}`).filter((pid) => pid !== service.run.child.pid);
const nothingIsLeft = async () => eventually('nothing is left', () => processes().length === 0);

describe('a terminal', () => {
  it(`is a shell in the node, and its processes end with it${because}`, async () => {
    const terminal = await open();
    terminal.type('hostname; ping -c1 -W2 h2 | grep -c ttl\r');
    await terminal.prints(/h1\r\n1\r\n/);
    terminal.type('(trap "" HUP TERM; exec sleep 1000) & nohup sleep 1000 >/dev/null & echo "sta""rted"\r');
    await terminal.prints(/started/);
    terminal.drop();
    await nothingIsLeft();
  });

  it(`ends when the service is killed, whatever it ignores${because}`, async () => {
    const terminal = await open();
    terminal.type('sleep 1000 & echo "sta""rted"; sleep 1000\r');
    await terminal.prints(/started/);
    // What was opened later has the earlier terminal open too, and this one does not end by itself.
    const later = await open();
    const apart = 'setsid sh -c "(sleep 1000 & exec sleep 1000) & exec sleep 1000"';
    later.type(`trap "" HUP; (trap "" HUP TERM; exec ${apart}) & echo "sta""rted"; exec sleep 1000\r`);
    await later.prints(/started/);
    await service.end('SIGKILL');
    await nothingIsLeft();
    service = await startProgram({ env });
  });

  it(`is 422 where the package for it is not there, and nothing else is${because}`, async () => {
    const hidden = path.resolve('tests/fixtures/without-pty.cjs');
    const bare = await startProgram({ env: { ...env, NODE_OPTIONS: `--require=${hidden}` } });
    const refused = await new TerminalClient(bare.url, `${node('h1')}/terminal`).refused();
    expect(refused).toMatchObject({
      status: 422,
      json: { code: 'not-supported', detail: expect.stringContaining('npm install @lydell/node-pty') },
    });
    expect((await bare.post(`${node('h1')}/exec`, { command: ['true'] })).json.exitCode).toBe(0);
    await bare.end();
  });
});

describe('packets', () => {
  it(`come while they are captured, and tcpdump reads them${because}`, async () => {
    const message = await service.open(`${node('r1')}/interfaces/eth2/capture?packets=2&filter=icmp`);
    expect(message.statusCode).toBe(200);
    const pinging = service.post(`${node('h1')}/exec`, { command: ['ping', '-c3', '-i0.2', 'h2'] });
    const chunks: Buffer[] = [];
    for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    expect(bytes.readUInt32LE(0)).toBe(0xa1_b2_c3_d4);
    await pinging;
    const read = await service.post(`${node('r1')}/exec`, {
      command: ['sh', '-c', 'base64 -d | tcpdump -nr - 2>/dev/null'],
      stdin: bytes.toString('base64'),
    });
    expect(read.json.output).toMatch(/ICMP echo request[^]*ICMP echo reply/);
    await nothingIsLeft();
  });

  it(`are captured on the command line, too${because}`, async () => {
    const capture = startLab(where, [
      'capture',
      '--instance',
      instance,
      'r1',
      'eth1',
      '-U',
      '-c',
      '1',
      '-w',
      '-',
    ]);
    const chunks: Buffer[] = [];
    capture.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
    let words = '';
    capture.stderr?.on('data', (chunk: Buffer) => (words += chunk.toString('utf8')));
    const ended = once(capture, 'close');
    await eventually('it listens', () => words.includes('listening on eth1'));
    await lab(where, ['exec', '--instance', instance, 'h1', 'ping', '-c1', 'h2']);
    await ended;
    expect(Buffer.concat(chunks).length).toBeGreaterThan(24);
    expect(words).toContain('Starting packet capture on r1/eth1: tcpdump -i eth1 -U -c 1 -w -');
  });
});

describe('lab connect', () => {
  it(`runs a command, or tells which nodes there are${because}`, async () => {
    const connect = async (...args: readonly string[]) =>
      lab(where, ['connect', '--instance', instance, ...args]);
    expect(await connect('h1', 'hostname')).toMatchObject({ exitCode: 0, stdout: 'h1\n' });
    expect(await connect('h1', '--', 'sh', '-c', 'exit 5')).toMatchObject({ exitCode: 5 });
    expect(await connect('nobody')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('there is no node nobody'),
    });
  });
});

describe('a lab that is taken down', () => {
  it(`ends what is open in its nodes${because}`, async () => {
    const terminal = await open();
    await terminal.prints(/h1/);
    const capture = await service.open(`${node('r1')}/interfaces/eth1/capture?seconds=1000`);
    const captured = (async () => {
      for await (const chunk of capture as AsyncIterable<Buffer>) void chunk;
    })().catch(() => undefined);
    const running = service.post(`${node('h2')}/exec`, { command: ['sleep', '1000'] });
    await eventually('it runs', () => processes().length > 5);
    await lab(where, ['down', '--instance', instance]);
    expect(await terminal.closed).toMatchObject({ code: 1000 });
    await captured;
    expect((await running).json.exitCode).toBeGreaterThan(128);
    await nothingIsLeft();
    const refused = await service.post(`${node('h1')}/exec`, { command: ['true'] });
    expect(refused).toMatchObject({ status: 404, json: { code: 'instance-not-found' } });
  });
});
