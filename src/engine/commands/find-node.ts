import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import type { NodeRecord } from '../state/node-records.ts';
import { isNamespace } from '../system/namespace-files.ts';

const listedMax = 20;

/**
 * The node of that name.
 * @throws EngineError when the lab has no such node, or when the node's namespace does not exist in the kernel.
 */
export function findNode(context: EngineContext, nodes: readonly NodeRecord[], name: string): NodeRecord {
  const node = nodes.find((entry) => entry.name === name);
  if (node === undefined) {
    const known = nodes.slice(0, listedMax).map((entry) => entry.name);
    const list = `${known.join(', ')}${nodes.length > known.length ? ', …' : ''}`;
    throw new EngineError(`there is no node ${name} in the lab; its nodes are ${list || 'unknown'}`);
  }
  if (!context.seesKernel || !isNamespace(context.runDir, node.namespace)) {
    throw new EngineError(
      `the node ${name} is missing: its namespace ${node.namespace} is gone; "lab up" starts the lab again`,
    );
  }
  return node;
}
