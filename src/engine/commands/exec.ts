/** `lab exec`: a command inside a node, on the caller's terminal. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { isatty } from 'node:tty';
import { claimDirectory } from '../state/claim.ts';
import type { EngineContext } from '../core/context.ts';
import { EngineError } from '../core/engine-error.ts';
import { inForeground } from '../system/foreground.ts';
import { isNamespace, namespaceFile } from '../system/kernel.ts';
import { chooseLab, readRecord, type NodeRecord } from '../state/lab-record.ts';

export interface ExecOptions {
  readonly node: string;
  readonly command: readonly string[];
  readonly instance?: string;
}

/**
 * In namespaces of its own the command sees the node's name as that of the machine, the names of the nodes in /etc/hosts
 * and the interfaces of the node in /sys; nothing of that is left anywhere afterwards. Without the right to mount, it still runs. `slave`, because
 * with `private` the command would keep every namespace of the lab alive.
 */
const prepare = `hostname "$1" 2>/dev/null || :
mount --bind "$2" /etc/hosts 2>/dev/null || :
mount -t sysfs sysfs /sys 2>/dev/null || :
shift 2
command -v "$1" >/dev/null || { printf 'Fatal error in lab exec: there is no program "%s"\\n' "$1" >&2; exit 127; }
exec "$@"`;

/**
 * What is sent to us alone and meant for the command. At a terminal, Ctrl-C goes to both of us: passed on, it would be
 * a second one, which makes many programs end at once.
 */
function forwardedSignals(): NodeJS.Signals[] {
  const isAtTerminal = [0, 1, 2].some((fd) => isatty(fd));
  return ['SIGTERM', 'SIGHUP', ...(isAtTerminal ? [] : (['SIGINT'] as const))];
}

/** The node, when it is there in the kernel. */
export function findNode(context: EngineContext, nodes: readonly NodeRecord[], name: string): NodeRecord {
  const node = nodes.find((entry) => entry.name === name);
  if (node === undefined) {
    const known = nodes.slice(0, 20).map((entry) => entry.name);
    const list = `${known.join(', ')}${nodes.length > known.length ? ', …' : ''}`;
    throw new EngineError(`there is no node ${name} in the lab; its nodes are ${list || 'not known'}`);
  }
  if (!context.seesKernel || !isNamespace(context.runDir, node.namespace)) {
    throw new EngineError(
      `the node ${name} is missing: its namespace ${node.namespace} is gone; "lab up" makes it anew`,
    );
  }
  return node;
}

/** Runs the command; the result is its exit code (128 + number for a signal), 127 when there is no such program. */
export async function exec(context: EngineContext, options: ExecOptions): Promise<number> {
  const { instance } = await chooseLab(context, options.instance);
  const node = findNode(context, await readRecord(context.home, instance), options.node);
  const hosts = path.join(claimDirectory(context.runDir, instance), 'hosts');
  const args = [
    `--net=${namespaceFile(context.runDir, node.namespace)}`,
    'unshare',
    '--uts',
    '--mount',
    '--propagation',
    'slave',
    'sh',
    '-c',
    prepare,
    'lab-exec',
    node.name,
    hosts,
    ...options.command,
  ];
  context.interrupted.throwIfAborted();
  // In our own process group: Ctrl-C at a terminal goes to the command, which decides, and we report how it ended.
  const child = spawn('nsenter', args, { stdio: 'inherit' });
  return (await inForeground(child, 'nsenter', forwardedSignals())).exitCode;
}
