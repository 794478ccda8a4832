/** `lab exec`, `lab connect` and `lab capture`: a command inside a node, on the user's terminal. */
import { spawn } from 'node:child_process';
import { isatty } from 'node:tty';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { chooseLab } from '../state/choose-lab.ts';
import { readNodeRecords, type NodeRecord } from '../state/node-records.ts';
import { argumentsInNode } from '../system/node-command.ts';
import { waitInForeground } from '../system/run-program.ts';
import { findNode } from './find-node.ts';

interface ExecOptions {
  readonly node: string;
  readonly command: readonly string[];
  readonly instance?: string;
}

/**
 * The signals that go on to the command. Not SIGINT at a terminal: there, Ctrl-C reaches the command directly, and
 * many programs end at once on a second SIGINT.
 */
function forwardedSignals(): NodeJS.Signals[] {
  const isAtTerminal = [0, 1, 2].some((fd) => isatty(fd));
  return ['SIGTERM', 'SIGHUP', ...(isAtTerminal ? [] : (['SIGINT'] as const))];
}

/** The exit code of a shell for a missing program (POSIX, XCU 2.8.2). */
export const noProgram = 127;

/** Runs `nsenter` with these arguments, on the user's terminal; returns the exit code of the command. */
async function runOnTerminal(args: readonly string[]): Promise<number> {
  // In the process group of the engine, so that Ctrl-C at a terminal reaches the command: the command reacts, and the
  // engine reports its exit code.
  const child = spawn('nsenter', args, { stdio: 'inherit' });
  return (await waitInForeground(child, 'nsenter', forwardedSignals())).exitCode;
}

/** Runs the command; returns its exit code (128 + number for a signal), 127 if the program is missing. */
export async function execCommand(context: EngineContext, options: ExecOptions): Promise<number> {
  const { instance } = await chooseLab(context, options.instance);
  const node = findNode(context, await readNodeRecords(context.home, instance), options.node);
  const args = argumentsInNode(context, instance, { node, command: options.command });
  context.interrupted.throwIfAborted();
  return runOnTerminal(args);
}

interface ConnectOptions {
  readonly node: string;
  /** Empty for a shell. */
  readonly command: readonly string[];
  readonly instance?: string;
}

/** Runs bash if the node has it, else sh. */
const shell = ['sh', '-c', 'command -v bash >/dev/null && exec bash; exec sh'];

/** `lab connect`: a shell in a node, on the user's terminal, or a command as with `lab exec`. */
export async function connectCommand(context: EngineContext, options: ConnectOptions): Promise<number> {
  const { command } = options;
  return execCommand(context, { ...options, command: command.length === 0 ? shell : command });
}

interface CaptureOptions {
  readonly node: string;
  readonly ifname: string;
  /** Arguments for `tcpdump`; if none of them is an option, they are a filter. */
  readonly args: readonly string[];
  readonly instance?: string;
}

/** The defaults of netlab (netsim/defaults/netlab.yml, capture.command_args), used if no option is given. */
const usualArguments = ['--immediate-mode', '-l', '-vv'];

/**
 * `lab capture`: `tcpdump` in a node, on the user's terminal. Messages go to standard error, because `-w -` writes
 * packets to standard output.
 */
export async function captureCommand(context: EngineContext, options: CaptureOptions): Promise<number> {
  const { node, ifname, args, instance } = options;
  const hasOptions = args.some((word) => word.startsWith('-'));
  const command = ['tcpdump', '-i', ifname, ...(hasOptions ? [] : usualArguments), ...args];
  context.err(`Starting packet capture on ${node}/${ifname}: ${command.join(' ')}\n`);
  return execCommand(context, { node, command, ...(instance !== undefined && { instance }) });
}

interface ExecNodesOptions {
  readonly nodes: string;
  readonly command: readonly string[];
  readonly instance?: string;
}

const isPattern = (word: string): boolean => /[*?[]/.test(word);

/** A shell pattern as a regular expression. Names of nodes have letters, digits, `_` and `-` only. */
function expressionOf(pattern: string): RegExp {
  const source = pattern
    .replaceAll(/[^\w*?[\]!-]/g, '')
    .replaceAll('[!', '[^')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  try {
    return new RegExp(`^${source}$`);
  } catch {
    return /$^/;
  }
}

function fitting(word: string, nodes: readonly NodeRecord[]): readonly NodeRecord[] {
  if (word.toLowerCase() === 'all') return nodes;
  const found = nodes.filter((node) =>
    isPattern(word) ? expressionOf(word).test(node.name) : node.name === word || node.device === word,
  );
  if (found.length > 0) return found;
  throw new EngineError(
    isPattern(word)
      ? `Wildcard node specification ${word} does not match any nodes`
      : `${word} is not a glob or a valid node or device name`,
  );
}

/**
 * The nodes that a text such as `h1,r*` selects, without duplicates, in the order of the text. The text has names,
 * patterns, devices and `all`, as in netlab (netsim/cli/_nodeset.py).
 * @throws EngineError about a part of the text that selects no node.
 */
function chooseNodes(text: string, nodes: readonly NodeRecord[]): readonly NodeRecord[] {
  return [...new Set(text.split(',').flatMap((word) => fitting(word, nodes)))];
}

const rule = '='.repeat(80);

/** Returns the exit code of the first node in which the command failed, else 0. */
export async function execNodesCommand(context: EngineContext, options: ExecNodesOptions): Promise<number> {
  const { command } = options;
  const { instance } = await chooseLab(context, options.instance);
  const nodes = await readNodeRecords(context.home, instance);
  const words = command.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ');
  let result = 0;
  for (const { name } of chooseNodes(options.nodes, nodes)) {
    const node = findNode(context, nodes, name);
    context.interrupted.throwIfAborted();
    context.out(`${rule}\n${name}: executing ${words}\n${rule}\n`);
    const exitCode = await runOnTerminal(argumentsInNode(context, instance, { node, command }));
    // The empty line is netlab's: the last line of the command's output may have no line feed.
    context.out(`\n${name}: exit code ${exitCode}\n`);
    context.interrupted.throwIfAborted();
    result ||= exitCode;
  }
  return result;
}
