import { AppError } from '../../lib/app-error.ts';
import { isMapping, type Mapping } from '../../lib/mapping.ts';
import type { LabStatus } from '../status/lab-status.ts';

const listedMax = 20;

/** Of the document of one lab; undefined for a lab that is not up: its document is its entry in the list of all. */
function nodesIn(document: Buffer): Mapping | undefined {
  const parsed: unknown = JSON.parse(document.toString('utf8'));
  const nodes = isMapping(parsed) ? parsed['nodes'] : undefined;
  return isMapping(nodes) ? nodes : undefined;
}

/**
 * What the document of the lab says of the node.
 * @throws AppError `instance-not-found`, `node-not-found`, or `lab-not-up`; and what the status throws.
 */
export async function findNode(
  status: Pick<LabStatus, 'instance'>,
  lab: string,
  node: string,
): Promise<Mapping> {
  const { body } = await status.instance(lab, 'json', { fresh: false });
  const nodes = nodesIn(body);
  if (nodes === undefined)
    throw new AppError('lab-not-up', `the lab ${lab} is not up: nobody gets into its nodes`);
  const entry = Object.hasOwn(nodes, node) ? nodes[node] : undefined;
  if (isMapping(entry)) return entry;
  const names = Object.keys(nodes);
  const list = `${names.slice(0, listedMax).join(', ')}${names.length > listedMax ? ', …' : ''}`;
  throw new AppError('node-not-found', `the lab ${lab} has no node "${node}"; its nodes are ${list}`);
}
