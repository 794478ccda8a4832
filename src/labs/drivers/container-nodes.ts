/** Access to nodes that are Docker containers, each with a network namespace named after the container. */
import { sessionVariable, type NodeAddress, type NodeDriver, type WantedTerminal } from './node-driver.ts';

/** `-n`: sudo must not ask for a password. */
const asRoot = (): readonly string[] => (process.getuid?.() === 0 ? [] : ['sudo', '-n']);

/** The command line of a terminal in a container. */
export function terminalIn(
  container: string,
  { session, term, program }: WantedTerminal,
  shell: readonly string[],
): readonly string[] {
  const marks = ['--env', `${sessionVariable}=${session}`, '--env', `TERM=${term}`];
  return ['docker', 'exec', '--interactive', '--tty', ...marks, container, ...(program ?? shell)];
}

/** `containerOf` returns the container of a node; for any other node, its error can suggest `instead`. */
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
