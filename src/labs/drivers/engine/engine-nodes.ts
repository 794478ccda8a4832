/** The nodes of the bundled engine: network namespaces, in which programs of this machine run. */
import { AppError } from '../../../lib/app-error.ts';
import type { NodeAddress, NodeDriver } from '../node-driver.ts';

/** Not `exec`, which takes several nodes, and would take one that is called `all` for every one. */
const inside = ({ cli, lab, node }: NodeAddress): readonly string[] => [
  cli,
  'connect',
  '--instance',
  lab,
  node,
  '--',
];

export const engineNodes: NodeDriver = {
  inside,
  inNetwork: inside,
  log: ({ node }) => {
    throw new AppError(
      'not-supported',
      `${node} is a network namespace of the bundled engine: nothing runs in it by itself, so there is no log`,
    );
  },
  // Its processes are of this machine. They get to know of the end of the terminal; not all of them care.
  terminal: ({ cli, lab, node }) =>
    Promise.resolve({ command: [cli, 'connect', '--instance', lab, node], inside: [] }),
};
