/** Whether a node that runs can be worked with: its routing daemons answer, or SSH, or Docker finds it healthy. */
import net from 'node:net';
import { AppError } from '../../lib/app-error.ts';
import { deferred } from '../../lib/async/deferred.ts';
import { after } from '../../lib/async/disposal.ts';
import { isLinux } from '../drivers/container-configuration.ts';
import { collectExec } from '../nodes/exec.ts';
import { LabNode, type LabNodeDeps, type NodeName } from '../nodes/lab-node.ts';
import { noLimit } from '../nodes/node-places.ts';
import type { ListedNode } from '../status/lab-list.ts';

export interface NodeReady {
  /** Null when nothing tells. */
  readonly ready: boolean | null;
  /** Why it is not ready, or why that is unknown: a sentence for a person. Null for a node that is ready. */
  readonly reason: string | null;
  /** It was not checked yet. */
  readonly isUnseen?: true;
}

export const isReady: NodeReady = { ready: true, reason: null };
export const notReady = (reason: string): NodeReady => ({ ready: false, reason });
export const untold = (reason: string): NodeReady => ({ ready: null, reason });

/** The output of a shell script that ran in the node; undefined when it gave no answer in time. @throws AppError when the node was not reached. */
export type RunInNode = (script: string) => Promise<string | undefined>;

const scriptMs = 10_000;
const maxOutputBytes = 4 * 1024;

/** Runs scripts in nodes, beside the sessions of users and their limit. */
export function scriptRunner(deps: LabNodeDeps, signal: AbortSignal): (name: NodeName) => RunInNode {
  return (name) => async (script) => {
    const request = { command: ['sh', '-c', script], timeoutMs: scriptMs, stdin: '' };
    const exec = await new LabNode({ ...deps, places: noLimit }, name).exec(request, signal);
    const { output, reason } = await collectExec(exec, maxOutputBytes);
    return reason === 'exited' ? output : undefined;
  };
}

/** Prints the command line of watchfrr(8), which names the daemons that it starts, and those that answer vtysh(1). */
const askFrr = `for name in /proc/[0-9]*/comm; do
  if [ "$(cat "$name" 2>/dev/null)" = watchfrr ]; then
    printf 'wanted %s\\n' "$(tr '\\0' ' ' <"\${name%comm}cmdline")"
    printf 'answering %s\\n' "$(vtysh -c 'show daemons' 2>/dev/null)"
    exit
  fi
done`;

/** Words of runc and crun. */
const hasNoShell = /executable file (?:`sh` )?not found|no such file or directory/i;

const daemonName = /^(?:zebra|[a-z0-9]+d)$/;

function wordsAfter(output: string, title: string): readonly string[] {
  const line = output.split('\n').find((one) => one.startsWith(`${title} `)) ?? '';
  return line.split(/\s+/).slice(1);
}

/** FRR by what the script printed. A node without FRR is ready as soon as it is up, unless it is to have it. */
export function frrReady(output: string, device: string | null): NodeReady {
  const wanted = wordsAfter(output, 'wanted').filter((word) => daemonName.test(word));
  if (wanted.length === 0) return device === 'frr' ? notReady('FRR does not run') : isReady;
  const answering = new Set(wordsAfter(output, 'answering'));
  const silent = wanted.filter((name) => !answering.has(name));
  if (silent.length === 0) return isReady;
  return notReady(`${silent.join(', ')} of FRR ${silent.length === 1 ? 'does' : 'do'} not answer`);
}

const sshPort = 22;
const sshMs = 3_000;

/** Whether a server of SSH greets there (RFC 4253, section 4.2). */
export async function greetsWithSsh(host: string, port = sshPort): Promise<boolean> {
  const socket = net.connect({ host, port });
  const greeted = deferred<boolean>();
  const stopTimer = after(sshMs, () => greeted.resolve(false));
  let heard = '';
  socket.on('data', (bytes) => {
    heard += bytes.toString('latin1');
    if (heard.length >= 4) greeted.resolve(heard.startsWith('SSH-'));
  });
  socket.on('error', () => greeted.resolve(false));
  socket.on('close', () => greeted.resolve(false));
  try {
    return await greeted.promise;
  } finally {
    stopTimer();
    socket.destroy();
  }
}

async function linuxReady({ device }: ListedNode, run: RunInNode): Promise<NodeReady> {
  try {
    const output = await run(askFrr);
    return output === undefined ? notReady('it does not answer') : frrReady(output, device);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'lab-not-up') return notReady('it is down');
    // An image without a shell has nothing to ask.
    return hasNoShell.test(error.message) ? untold(error.message) : notReady(error.message);
  }
}

/** A node that is up. `health` is the word of Docker for its container; undefined when its image has no health check. */
export async function probeNode(
  node: ListedNode,
  health: string | undefined,
  run: RunInNode,
): Promise<NodeReady> {
  if (health !== undefined) return health === 'healthy' ? isReady : notReady(`Docker says: ${health}`);
  if (node.container !== null && isLinux(node.device)) return linuxReady(node, run);
  if (node.address === null) return untold('it has no address to ask');
  return (await greetsWithSsh(node.address)) ? isReady : notReady(`SSH does not answer at ${node.address}`);
}
