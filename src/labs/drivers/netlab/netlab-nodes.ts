/** The nodes of netlab. Those that are containers are entered as netlab itself does it: with Docker, and `ip netns`. */
import { AppError } from '../../../lib/app-error.ts';
import { containerNodes, terminalIn } from '../container-nodes.ts';
import type { NodeAddress, NodeDriver } from '../node-driver.ts';

/**
 * The container that the node is. netlab's provider `clab` starts containers with containerlab, which gives the network
 * namespace of each the container's name (netsim/providers/clab/__init__.py, capture_command).
 * @throws AppError `not-supported` for any other node: a program in a virtual machine is reached through the command line
 * of its device, which reads words in a way of its own.
 */
function containerOf({ node, entry }: NodeAddress, what: string): string {
  const { provider, provider_name: container } = entry;
  if (provider === 'clab' && typeof container === 'string' && container !== '') return container;
  throw new AppError(
    'not-supported',
    `${node} is no container (its provider is ${typeof provider === 'string' ? provider : 'not known'}): ${what}`,
  );
}

/** The words of a list that Python has printed. */
function wordsOf(list: string): string[] {
  const words = [...list.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g)];
  return words.map(([, single, double]) => (single ?? double ?? '').replaceAll(/\\(.)/g, '$1'));
}

/** `DRY RUN: ['docker', 'exec', 'clab-demo-r1', 'bash', '-il']` (netsim/cli/connect.py, docker_connect). */
function shellOf(dryRun: string, container: string): readonly string[] | undefined {
  const [docker, exec, ...rest] = wordsOf(/^DRY RUN: \[(.*)\]$/m.exec(dryRun)?.[1] ?? '');
  const at = rest.indexOf(container);
  return docker === 'docker' && exec === 'exec' && at >= 0 && at < rest.length - 1
    ? rest.slice(at + 1)
    : undefined;
}

const nodes = containerNodes(containerOf);

export const netlabNodes: NodeDriver = {
  ...nodes,
  terminal: async (address, session, look) => {
    const { cli, lab, node, entry } = address;
    const connect = [cli, 'connect', '--instance', lab];
    if (entry['provider'] !== 'clab') return { command: [...connect, node], inside: [] };
    const container = containerOf(address, '');
    // Which shell its devices have is known to netlab alone.
    const shell = shellOf(await look([...connect, '--dry-run', node]), container);
    if (shell === undefined) return { command: [...connect, node], inside: [] };
    return { command: terminalIn(container, session, shell), inside: nodes.inside(address) };
  },
};
