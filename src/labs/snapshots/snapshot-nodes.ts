/** The configurations of nodes, as a snapshot keeps and compares them. */
import type { NodeConfiguration } from '../nodes/lab-nodes.ts';
import type { ComparedNode } from './compare.ts';
import type { SnapshotNode } from './snapshot.ts';

/** Other names could be no names of files, or lead elsewhere. */
const nodeNamePattern = /^\w[\w.-]{0,127}$/;

function nodeOf({ node, bytes, failure }: NodeConfiguration): SnapshotNode {
  if (bytes !== undefined && !nodeNamePattern.test(node))
    return { node, kept: 'failed', size: null, reason: 'the name of the node can be no name of a file' };
  if (failure === undefined) return { node, kept: 'configuration', size: bytes.length, reason: null };
  return { node, kept: failure.isNone ? 'none' : 'failed', size: null, reason: failure.reason };
}

/** Two nodes whose names differ in letter case alone cannot both have a file. */
export function keptNodes(read: readonly NodeConfiguration[]): readonly SnapshotNode[] {
  const taken = new Set<string>();
  return read.map(nodeOf).map((one) => {
    if (one.kept !== 'configuration') return one;
    const folded = one.node.toLowerCase();
    const isClash = taken.has(folded);
    taken.add(folded);
    const reason = 'the name of another node differs in letter case alone';
    return isClash ? { ...one, kept: 'failed', size: null, reason } : one;
  });
}

/** The nodes of a lab that runs, for a comparison. */
export function nodesOf(read: readonly NodeConfiguration[]): readonly ComparedNode[] {
  return read.map((one) => ({
    ...nodeOf(one),
    text: async () => Promise.resolve(one.bytes?.toString('utf8') ?? ''),
  }));
}
