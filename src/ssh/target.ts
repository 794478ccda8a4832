/** The node that a user name of SSH stands for: `r1.default`. */
import type { NodeName } from '../labs/nodes/lab-node.ts';

/** Names of nodes have no dot; those of labs may. Undefined for a user name without the two parts. */
export function targetOf(userName: string): NodeName | undefined {
  const dot = userName.indexOf('.');
  const [node, lab] = [userName.slice(0, dot), userName.slice(dot + 1)];
  return dot === -1 || node === '' || lab === '' ? undefined : { node, lab };
}
