/** `lab connect --server URL LAB NODE`: a terminal in a node of a lab on another machine. */
import { Command } from 'commander';
import type { LabApiClient } from '../../client/lab-api-client.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { Terminal, TerminalEnd } from '../../client/terminal.ts';
import { complain, endWith, unavailableCode } from './ending.ts';
import { LeaveKeys } from './leave-keys.ts';
import { clientFor, UsageError, withServerOptions } from './server.ts';

/** 128 and the number of SIGHUP: the service hangs up the program at the terminal. */
const hungUpCode = 129;
/** The first close code of lab-api itself. The service is away with the others. */
const firstOwnCode = 4000;
/** The longest side of a terminal that the service accepts. */
const longestSide = 1_000;

/** The service would open the terminal, and the WebSocket did not reach it. */
const withoutSocket = new ServiceError(426, new Headers(), {
  detail: 'no WebSocket came through: a proxy in front of the service must pass on the header Upgrade',
});

/** A terminal without a size says 0, and a pipe nothing: the service chooses then. */
const side = (given: number | undefined): number | undefined =>
  given ? Math.min(given, longestSide) : undefined;

/**
 * Writes output of the node. In the raw mode of Node, a terminal still adds a carriage return to each line feed, but programs
 * such as vi(1) move down with a bare one: `ESC D` (IND, ECMA-48) does only that.
 */
function outputWriter(): (bytes: Uint8Array) => void {
  if (!process.stdout.isTTY) return (bytes) => void process.stdout.write(bytes);
  let before = '';
  return (bytes) => {
    const text = Buffer.from(bytes).toString('latin1');
    const moved = (before + text).replaceAll(/(?<!\r)\n/g, '\u001bD');
    process.stdout.write(moved.slice(before.length), 'latin1');
    before = text.endsWith('\r') ? '\r' : '';
  };
}

async function open(client: LabApiClient, lab: string, node: string): Promise<Terminal> {
  const size = { columns: side(process.stdout.columns), rows: side(process.stdout.rows) };
  try {
    return await client.node(lab, node).terminal(size, outputWriter());
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'upgrade-required') throw withoutSocket;
    if (error.code === 'instance-not-found')
      complain('a lab comes before the node, and "lab labs" lists the labs');
    throw error;
  }
}

/** Connects this terminal to the terminal of the node. Returns how that ended; undefined if the user left. */
async function join(terminal: Terminal): Promise<TerminalEnd | undefined> {
  const { stdin, stdout } = process;
  const keys = new LeaveKeys();
  const resize = (): void => {
    const [columns, rows] = [side(stdout.columns), side(stdout.rows)];
    if (columns !== undefined && rows !== undefined) terminal.resize({ columns, rows });
  };
  const left = new Promise<undefined>((resolve) => {
    const leave = (): void => resolve(undefined);
    stdin.on('data', (bytes: Buffer) => {
      const passed = keys.pass(bytes);
      if (passed === undefined) leave();
      else terminal.write(passed);
    });
    // This terminal is gone.
    stdin.once('end', leave);
    stdin.once('error', leave);
  });
  // Node restores the mode of the terminal whenever the process exits, and for SIGINT and SIGTERM; not for this signal.
  process.once('SIGHUP', () => process.exit(hungUpCode));
  stdout.on('resize', resize);
  stdin.setRawMode(true);
  try {
    return await Promise.race([terminal.ended, left]);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    terminal.close();
  }
}

function exitCodeOf(end: TerminalEnd | undefined): number {
  if (end?.kind === 'exit') return end.exitCode ?? (end.signal === null ? 1 : 128 + end.signal);
  // The prompt of the node is on this line.
  process.stderr.write('\n');
  if (end === undefined) return hungUpCode;
  complain(end.reason === '' ? 'the connection was lost' : `the terminal was closed: ${end.reason}`);
  return end.code < firstOwnCode ? unavailableCode : 1;
}

async function connect(lab: string, node: string, command: Command): Promise<number> {
  if (!process.stdin.isTTY)
    throw new UsageError('standard input is not a terminal: "lab exec" runs a command without one');
  const client = await clientFor(command);
  return exitCodeOf(await join(await open(client, lab, node)));
}

/** A command of its own: on this machine, all that follows `lab connect` is for the lab CLI. */
export async function connectOnServer(args: readonly string[], globals: readonly string[]): Promise<void> {
  const command = withServerOptions(new Command('lab connect'))
    .usage('[options] <lab> <node> [--] [command...]')
    .argument('[words...]', 'id of the lab (see lab labs), node, and a command as for lab exec')
    .addHelpText('after', '\nType Enter, ~ and . to leave a node that does not answer.')
    .passThroughOptions()
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
    .action(async ([lab, node, ...given]: string[]) => {
      const words = given[0] === '--' ? given.slice(1) : given;
      if (words.length > 0) return (await import('./exec.ts')).execOnServer(args, globals);
      await endWith(command, async () => {
        if (lab === undefined || node === undefined)
          throw new UsageError('give a lab and a node: lab connect LAB NODE ("lab labs" lists them)');
        return connect(lab, node, command);
      });
      // The service may be away, and not close its end of the connection.
      process.exit();
    });
  await command.parseAsync([...globals, ...args], { from: 'user' });
}
