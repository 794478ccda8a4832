/** Terminals right here in place of a node: drivers are objects of the test. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { NodeDriver } from '../../../../src/labs/drivers/node-driver.ts';
import { RunningNodeProgram } from '../../../../src/labs/nodes/node-program.ts';
import { openTerminal, type Terminal } from '../../../../src/labs/nodes/terminal.ts';
import { runCaptured } from '../../../../src/labs/system/run.ts';
import { eventually } from '../../../support/eventually.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { sessionHere } from '../../../support/session-here.ts';
import { emptyPlace, temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const address = {
  cli: '/nonexistent/netlab',
  lab: 'default',
  node: 'r1',
  entry: { device: 'frr' },
  isOtherUser: false,
};

let here: ReturnType<typeof sessionHere>;
/** Processes that are none of the test's, to which a signal would have gone: a changed program may mean all there are. */
let astray: number[];

function isForeign(pid: number): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
    return environment !== '' && !environment.includes(`NODES_TEST=${here.session.env['NODES_TEST']}`);
  } catch {
    // Gone.
    return false;
  }
}

beforeEach(() => {
  here = sessionHere({ env: { COLUMNS: '200' } });
  astray = [];
  const kill = process.kill.bind(process);
  jest.spyOn(process, 'kill').mockImplementation((pid, signal) => {
    if (pid > 0 && !isForeign(pid)) return kill(pid, signal);
    astray.push(pid);
    return true;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  expect(astray).toEqual([]);
});

/** How many pseudo-terminals this process has open. */
function openPtys(): number {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return links.filter((link) => link.endsWith('/ptmx')).length;
}

interface Asked {
  readonly inside?: readonly string[];
  readonly words?: readonly string[];
  readonly columns?: number;
  readonly command?: readonly string[];
}

/** Opens a terminal at which this script runs; `said` is what was printed there. */
async function open(script: string, { inside = [], words = [], columns = 100, command }: Asked = {}) {
  const driver = {
    terminal: async () => ({ command: command ?? ['sh', '-c', script], inside }),
  } as Partial<NodeDriver> as NodeDriver;
  const { env, leave } = here.session;
  const terminal = await openTerminal(address, { driver, env, words, wanted: { columns, rows: 30 }, leave });
  const pieces: Buffer[] = [];
  terminal.onOutput((bytes) => pieces.push(bytes));
  const said = () => Buffer.concat(pieces).toString();
  return { terminal, said, says: async (text: string) => eventually(text, () => said().includes(text)) };
}

/** Descriptors of terminals that a process got from this one: numbers and files, such as `18 /dev/ptmx`. */
const listTerminals =
  'for f in /proc/self/fd/*; do echo "${f##*/} $(readlink "$f")"; done | grep ptmx; echo end';

test('other programs and terminals get no descriptor of a terminal', async () => {
  const { terminal } = await open('sleep 100');
  const other = await open(listTerminals);
  await other.says('end');
  expect(other.said()).toBe('end\r\n');
  const { env } = here.session;
  const { stdout } = await runCaptured('sh', ['-c', listTerminals], { env, timeoutMs: 20_000 });
  expect(stdout.toString()).toBe('end\n');
  const node = new RunningNodeProgram({ way: [], program: ['sh', '-c', listTerminals], env, isMerged: true });
  const pieces: Buffer[] = [];
  for await (const piece of node.output()) pieces.push(piece);
  await node.ended;
  expect(Buffer.concat(pieces).toString()).toBe('end\n');
  await Promise.all([terminal.close(), other.terminal.close()]);
  await eventually('nothing is left', () => here.processes().length === 0);
});

test('a terminal is hidden whose descriptor has the number of another that is about to leave', async () => {
  const first = await open('exit 0');
  await first.terminal.ended;
  const second = await open('sleep 100');
  await eventually('the first has left', () => here.placesGivenBack() === 1);
  const { env } = here.session;
  const { stdout } = await runCaptured('sh', ['-c', listTerminals], { env, timeoutMs: 20_000 });
  expect(stdout.toString()).toBe('end\n');
  await second.terminal.close();
});

test('numbers that are not in use do not let a descriptor through', async () => {
  const filling = Array.from({ length: 40 }, () => openSync('/dev/null', 'r'));
  const first = await open('sleep 100');
  for (const fd of filling) closeSync(fd);
  const second = await open(listTerminals);
  await second.says('end');
  expect(second.said()).toBe('end\r\n');
  await Promise.all([first.terminal.close(), second.terminal.close()]);
});

const nothingIsLeft = async () =>
  eventually('nothing is left', () => here.processes().length === 0 && here.placesGivenBack() === 1);
const closed = async (terminal: Terminal) => {
  await terminal.close();
  expect(here.placesGivenBack()).toBe(1);
  await nothingIsLeft();
};

describe('a terminal', () => {
  test('has its size and its kind, and is told how its program ended', async () => {
    const { terminal, says } = await open(
      'stty size; echo "<$TERM ${COLUMNS-none} $PWD>"; read -r _; exit 3',
    );
    await says('30 100\r\n<xterm-256color none />');
    terminal.write(Buffer.from('\r'));
    expect(await terminal.ended).toEqual({ exitCode: 3, signal: null });
    await nothingIsLeft();
  });

  test('tells the signal that ended its program', async () => {
    const { terminal } = await open('kill -KILL $$');
    expect(await terminal.ended).toEqual({ exitCode: null, signal: 9 });
    await nothingIsLeft();
  });

  test('takes what is typed, byte by byte, and another size', async () => {
    const { terminal, says } = await open('stty raw -echo; echo ready; head -c 4 | od -An -tx1; stty size');
    await says('ready');
    terminal.resize({ columns: 132, rows: 43 });
    terminal.write(Buffer.from([0xff, 0x00, 0x1b, 0x04]));
    await says('ff 00 1b 04');
    await says('43 132');
    await terminal.ended;
    await nothingIsLeft();
  });

  test('that is not read holds back what is printed, until it is', async () => {
    const { file } = emptyPlace(root);
    const { terminal, said, says } = await open(
      `echo ready; read -r _; echo more; touch '${file}'; read -r _`,
    );
    await says('ready');
    terminal.pause();
    terminal.write(Buffer.from('\r'));
    await eventually('it has printed', () => existsSync(file));
    expect(said()).not.toContain('more');
    terminal.resume();
    await says('more');
    await closed(terminal);
  });
});

test('what a program has closed has no size any more, and takes nothing; that is no error', async () => {
  const { terminal, says } = await open(
    'trap "" HUP; echo ready; read -r _; exec sleep 1000 </dev/null >/dev/null 2>&1',
  );
  await says('ready');
  const before = openPtys();
  terminal.write(Buffer.from('\r'));
  await eventually('it is closed', () => openPtys() < before);
  terminal.resize({ columns: 10, rows: 10 });
  terminal.write(Buffer.from('x'));
  expect(terminal.unreadBytes).toBe(0);
  await closed(terminal);
});

describe('nothing is left', () => {
  test('of a terminal that is closed, whatever ignores that, and it can be closed again', async () => {
    const script = 'trap "" HUP TERM INT; setsid sleep 1000 & sleep 1000 & echo ready; sleep 1000';
    const { terminal, says } = await open(script);
    await says('ready');
    await Promise.all([terminal.close(), terminal.close()]);
    await nothingIsLeft();
    terminal.write(Buffer.from('x'));
    terminal.resize({ columns: 10, rows: 10 });
  });

  test('of a program that may do something when its terminal hangs up', async () => {
    const { terminal, says } = await open('trap "exit 4" HUP; echo ready; read -r _');
    await says('ready');
    await closed(terminal);
    expect(await terminal.ended).toEqual({ exitCode: 4, signal: null });
  });

  test('of what a program leaves behind when it ends', async () => {
    const { terminal } = await open('setsid sleep 1000 & exit 0');
    expect(await terminal.ended).toEqual({ exitCode: 0, signal: null });
    await nothingIsLeft();
  });

  test('but of another session everything', async () => {
    const [one, other] = [
      await open('echo ready; exec sleep 1000'),
      await open('echo ready; exec sleep 1001'),
    ];
    await Promise.all([one.says('ready'), other.says('ready')]);
    await one.terminal.close();
    other.terminal.write(Buffer.from('still there\r'));
    await other.says('still there');
    await other.terminal.close();
    expect(here.placesGivenBack()).toBe(2);
  });
});

describe('a terminal in a node that is elsewhere', () => {
  const stay = 'echo ready; exec sleep 1000';

  test('is ended there by its guard', async () => {
    const { file } = emptyPlace(root);
    const { terminal, says } = await open(stay, { inside: ['sh', '-c', '"$@"; touch "$0"', file] });
    await says('ready');
    expect(existsSync(file)).toBe(false);
    await terminal.close();
    // The guard has done its work by then.
    expect(existsSync(file)).toBe(true);
    await nothingIsLeft();
  });

  test('is not opened where the guard cannot be placed', async () => {
    const failed = failureOf(
      open(stay, { inside: ['sh', '-c', 'echo "No such container: r1" >&2; exit 1'] }),
    );
    expect(await failed).toMatchObject({
      code: 'lab-not-up',
      message: 'r1 is not up: No such container: r1',
    });
    expect(here.processes()).toEqual([]);
  });

  test('is reached by way of the same user as all else', async () => {
    const { file } = emptyPlace(root);
    const words = ['env', 'USER_OF_JOBS=alice'];
    const inside = ['sh', '-c', 'echo "$USER_OF_JOBS" >"$0"; exec "$@"', file];
    const { terminal, says } = await open('echo "<$USER_OF_JOBS>"; exec sleep 1000', { words, inside });
    await says('<alice>');
    expect(readFileSync(file, 'utf8')).toBe('alice\n');
    await closed(terminal);
  });
});

test('a driver knows the node and the session, and may look at this machine', async () => {
  const looked: string[] = [];
  const driver = {
    terminal: async (...[node, { session }, look]: Parameters<NodeDriver['terminal']>) => {
      expect(node).toBe(address);
      looked.push(session, await look(['sh', '-c', 'echo "$USER_OF_JOBS"; exit 1']));
      return { command: ['sh', '-c', 'echo "<$LAB_NODE_SESSION>"; read -r _'], inside: [] };
    },
  } as Partial<NodeDriver> as NodeDriver;
  const words = ['env', 'USER_OF_JOBS=alice'];
  const { env, leave } = here.session;
  const wanted = { columns: 80, rows: 24 };
  const terminal = await openTerminal(address, { driver, env, words, wanted, leave });
  let said = '';
  terminal.onOutput((bytes) => (said += bytes.toString()));
  await eventually('its session', () => said.includes(`<${looked[0]}>`));
  expect(looked[1]).toBe('alice\n');
  await closed(terminal);
});

test('a terminal that cannot be opened leaves no guard', async () => {
  expect(await failureOf(open('true', { columns: 'wide' as never }))).toMatchObject({
    code: 'lab-cli-failed',
    message: expect.stringContaining('no terminal could be opened: '),
  });
  expect(here.processes()).toEqual([]);
});
