import { AppError } from '../../lib/app-error.ts';
import { isMapping, type Mapping } from '../../lib/mapping.ts';
import type { LabStatus } from '../status/lab-status.ts';

const listedMax = 20;

/**
 * Returns the node from the topology document of the lab.
 * @throws AppError `instance-not-found`, `node-not-found`, or `lab-not-up`; and what the status throws.
 */
export async function findNode(
  status: Pick<LabStatus, 'instance' | 'nodeEntriesOf'>,
  lab: string,
  node: string,
): Promise<Mapping> {
  const { body } = await status.instance(lab, 'json', { fresh: false });
  const nodes = status.nodeEntriesOf(body);
  if (nodes === undefined)
    throw new AppError('lab-not-up', `the lab ${lab} is not up, so its nodes cannot be entered`);
  const entry = Object.hasOwn(nodes, node) ? nodes[node] : undefined;
  if (isMapping(entry)) return entry;
  const names = Object.keys(nodes);
  const list = `${names.slice(0, listedMax).join(', ')}${names.length > listedMax ? ', …' : ''}`;
  throw new AppError('node-not-found', `the lab ${lab} has no node "${node}"; its nodes are ${list}`);
}
