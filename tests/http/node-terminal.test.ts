import { beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { MemoryLogger } from '../support/memory-logger.ts';
import { groundVariable, makeNodeGround } from '../support/node-ground.ts';
import { startService, type RunningService } from '../support/service.ts';
import { TerminalClient } from '../support/terminal-client.ts';

const { ground, env, runs } = makeNodeGround();
const at = (node: string): string => `/labs/default/nodes/${node}/terminal`;
const shellEnv = { ...env, PS1: 'ready> ' };

let service: RunningService;
const log = new MemoryLogger();
const start = async (more: Record<string, string> = {}) =>
  startService({ ground, env: { ...shellEnv, LAB_API_MAX_TERMINALS: '200', ...more }, log });

beforeAll(async () => {
  service = await start();
});

const open = async (node = 'vm', query = '') =>
  new TerminalClient(service.url, `${at(node)}${query}`).opened();
/** What was started for the service, which runs in this process. */
const processes = (): number[] => processesWith(`${groundVariable}=${ground.env[groundVariable]}`);
const nothingIsLeft = async () => eventually('nothing is left', () => processes().length === 0);

describe('a terminal', () => {
  test('has a size, takes another one, and tells how its program ended', async () => {
    const terminal = await open('vm', '?columns=100&rows=30');
    terminal.type('stty size\r');
    await terminal.prints(/30 100/);
    terminal.socket.send(JSON.stringify({ type: 'resize', columns: 132, rows: 43 }));
    terminal.type('stty size; echo "<$TERM>"\r');
    await terminal.prints(/43 132\r\n<xterm-256color>/);
    terminal.type('exit 3\r');
    expect(await terminal.closed).toMatchObject({ code: 1000 });
    expect(terminal.said).toEqual([{ type: 'exit', exitCode: 3, signal: null }]);
    await nothingIsLeft();
  });

  test('is in the log of the service when it is opened, and when it has ended', async () => {
    const terminal = new TerminalClient(service.url, at('r1'), { 'X-Request-Id': 'logged' });
    await terminal.opened();
    const about = () =>
      log.entries.filter(
        ({ message, fields }) => fields['requestId'] === 'logged' && message.includes('terminal'),
      );
    const fields = { requestId: 'logged', user: null, lab: 'default', node: 'r1' };
    expect(about()).toEqual([{ level: 'info', message: 'a terminal was opened', fields }]);
    terminal.drop();
    await eventually('its end', () => about().length > 1);
    expect(about()[1]).toEqual({ level: 'info', message: 'a terminal has ended', fields });
    await nothingIsLeft();
  });

  test('is the shell that netlab has for the device, in its container', async () => {
    const terminal = await open('r1');
    terminal.type('echo "in $((40 + 2))"\r');
    await terminal.prints(/in 42/);
    expect(runs().find((line) => line.includes('--tty'))).toMatch(
      /^docker exec --interactive --tty --env LAB_NODE_SESSION=\S+ --env TERM=xterm-256color clab-demo-r1 sh -i$/,
    );
    terminal.drop();
    await nothingIsLeft();
  });

  test('is counted while it is open', async () => {
    const terminal = await open();
    const count = async (): Promise<string | undefined> =>
      /lab_api_stream_clients{kind="terminal"} (\d+)/.exec((await service.get('/metrics')).text)?.[1];
    expect(await count()).toBe('1');
    terminal.drop();
    await eventually('it is not counted any more', async () => (await count()) === '0');
    expect((await service.get('/metrics')).text).toMatch(/nodes\/:node\/terminal",method="GET",status="101"/);
  });
});

describe('a client', () => {
  test.each(['hello', '[]', '{"type":"resize","columns":0,"rows":24}', '{"type":"resize","columns":80}'])(
    'that says %s in a text message is told what to say',
    async (text) => {
      const terminal = await open();
      terminal.socket.send(text);
      expect(await terminal.closed).toMatchObject({ code: 1008, reason: expect.stringContaining('resize') });
    },
  );

  test('that does not read holds up what prints, and takes no memory', async () => {
    const terminal = await open();
    terminal.type('yes\r');
    await terminal.prints(/y\r\ny/);
    terminal.socket.pause();
    const before = process.memoryUsage().rss;
    const written = (): string =>
      processes()
        .map((pid) => /wchar: \d+/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[0])
        .join();
    let [last, looks] = ['', 0];
    await eventually('it waits for a reader', () => {
      const now = written();
      looks = now === last ? looks + 1 : 0;
      last = now;
      return looks > 25;
    });
    // Others are served all the while.
    expect((await service.get('/healthz')).status).toBe(200);
    expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
    terminal.drop();
    await nothingIsLeft();
  });
});

describe('nothing is left', () => {
  const waves = 3;

  test(`of ${waves * 20} terminals that are opened and dropped, in containers and elsewhere`, async () => {
    const stubborn = '(trap "" HUP TERM INT; exec sleep 1000) & sleep 1000 & echo started\r';
    for (let wave = 0; wave < waves; wave += 1) {
      const terminals = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => open(index % 4 === 0 ? 'r1' : 'vm')),
      );
      await Promise.all(
        terminals.map(async (terminal, index) => {
          if (index % 2 === 0) {
            terminal.type(stubborn);
            await terminal.prints(/started\r\n/);
          }
          terminal.drop();
        }),
      );
      await nothingIsLeft();
    }
  });

  test('of one whose client goes away while it is opened', async () => {
    const terminal = new TerminalClient(service.url, at('vm'));
    await eventually('it is being opened', () => processes().length > 0);
    terminal.drop();
    await nothingIsLeft();
  });

  test('of one in which nothing happens', async () => {
    const brief = await start({ LAB_API_TERMINAL_IDLE: '300ms', LAB_API_DATA_DIR: `${ground.root}/data5` });
    const terminal = await new TerminalClient(brief.url, at('vm')).opened();
    expect(await terminal.closed).toMatchObject({ code: 4000 });
    await nothingIsLeft();
    await brief.stop();
  });

  test('when the service stops', async () => {
    const stopping = await start({ LAB_API_DATA_DIR: `${ground.root}/data6` });
    const terminal = await new TerminalClient(stopping.url, at('vm')).opened();
    await terminal.prints(/ready> /);
    await stopping.stop();
    expect(await terminal.closed).toMatchObject({ code: 1001 });
    await nothingIsLeft();
  });
});
