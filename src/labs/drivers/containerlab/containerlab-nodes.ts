/** The nodes of containerlab: containers, whose network namespaces have their names (https://containerlab.dev/manual/network/). */
import { AppError } from '../../../lib/app-error.ts';
import { containerNodes, terminalIn } from '../container-nodes.ts';
import type { NodeAddress, NodeDriver } from '../node-driver.ts';

/** @throws AppError `not-supported` for a node that is a bridge of this machine, say. */
function containerOf({ node, entry }: NodeAddress): string {
  const { container } = entry;
  if (typeof container === 'string' && container !== '') return container;
  throw new AppError('not-supported', `${node} is no container`);
}

/** What the kinds call the command line of their devices (https://containerlab.dev/manual/kinds/); all others have a shell. */
const shells = new Map<unknown, readonly string[]>([
  ['nokia_srlinux', ['sr_cli']],
  ['srl', ['sr_cli']],
  ['arista_ceos', ['Cli']],
  ['ceos', ['Cli']],
  ['juniper_crpd', ['cli']],
  ['crpd', ['cli']],
]);

/** The best shell that there is. */
const anyShell = ['sh', '-c', 'command -v bash >/dev/null && exec bash -il; exec sh -il'] as const;

const nodes = containerNodes(containerOf);

export const containerlabNodes: NodeDriver = {
  ...nodes,
  terminal: async (address, session) => {
    const shell = shells.get(address.entry['kind']) ?? anyShell;
    const command = terminalIn(containerOf(address), session, shell);
    return Promise.resolve({ command, inside: nodes.inside(address) });
  },
};
