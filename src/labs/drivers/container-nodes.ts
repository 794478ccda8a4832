/** The ways into nodes that are containers of Docker, each with a network namespace that has the name of the container. */
import type { NodeAddress, NodeDriver } from './node-driver.ts';

/** `-n`: sudo must not wait for a password. */
const asRoot = (): readonly string[] => (process.getuid?.() === 0 ? [] : ['sudo', '-n']);

/** `containerOf` gives the container that a node is; the second word tells a person what else can be done. */
export function containerNodes(
  containerOf: (node: NodeAddress, instead: string) => string,
): Pick<NodeDriver, 'inside' | 'inNetwork' | 'log'> {
  return {
    inside: (node) => [
      'docker',
      'exec',
      '--interactive',
      containerOf(node, 'open a terminal, or run "netlab exec" as a job'),
    ],
    inNetwork: (node) => [
      ...asRoot(),
      'ip',
      'netns',
      'exec',
      containerOf(node, 'its interfaces are not reached from here'),
    ],
    log: (node, { follow, tail }) => [
      'docker',
      'logs',
      ...(follow ? ['--follow'] : []),
      ...(tail === undefined ? [] : ['--tail', String(tail)]),
      containerOf(node, 'its console has no log here'),
    ],
  };
}
