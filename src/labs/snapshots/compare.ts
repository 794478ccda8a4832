/** Compares the configurations of nodes: those of two snapshots, or of a snapshot and a lab that runs. */
import { setTimeout } from 'node:timers/promises';
import { createTwoFilesPatch } from 'diff';
import type { SnapshotNode } from './snapshot.ts';
import { withoutVolatile } from './volatile-lines.ts';

/** `unknown`: a configuration is there that could not be read. */
export const nodeChanges = ['same', 'changed', 'added', 'removed', 'unknown'] as const;

export interface NodeDifference {
  readonly node: string;
  readonly change: (typeof nodeChanges)[number];
  /** Unified (diff(1), `-u`); null where there is none, or none that can be shown. */
  readonly diff: string | null;
  /** Why there is no answer, or no diff: a sentence. */
  readonly reason: string | null;
}

/** A node with its configuration, which is read when it is needed. */
export interface ComparedNode extends Pick<SnapshotNode, 'node' | 'kept' | 'reason'> {
  readonly text: () => Promise<string>;
}

export interface Side {
  /** In the header of each diff. */
  readonly label: string;
  readonly nodes: readonly ComparedNode[];
}

/** A diff of two texts that have little in common takes the square of their length: after this time there is none. */
const msPerNode = 100;
/** Of all diffs, in characters. */
const longestDiffs = 4 * 1024 * 1024;

/**
 * Nodes of `before` first, then those that are new. Each takes a tenth of a second at most, and after each, other requests have as
 * much time. @throws the reason of `signal` when it is aborted; what reading a configuration throws.
 */
export async function compareNodes(
  before: Side,
  after: Side,
  signal: AbortSignal,
): Promise<readonly NodeDifference[]> {
  const [earlier, later] = [before, after].map(({ nodes }) => new Map(nodes.map((one) => [one.node, one])));
  const differences: NodeDifference[] = [];
  let length = 0;
  for (const node of new Set([...(earlier?.keys() ?? []), ...(later?.keys() ?? [])])) {
    // The client has gone, or the service stops.
    signal.throwIfAborted();
    const startedMs = performance.now();
    const labels = [`${node} ${before.label}`, `${node} ${after.label}`] as const;
    const found = await compared(node, [earlier?.get(node), later?.get(node)], labels);
    await setTimeout(performance.now() - startedMs);
    length += found.diff?.length ?? 0;
    const isTooLong = length > longestDiffs && found.diff !== null;
    differences.push(
      isTooLong ? { ...found, diff: null, reason: 'the differences are too long to show' } : found,
    );
  }
  return differences;
}

type Pair = readonly [ComparedNode | undefined, ComparedNode | undefined];

async function compared(
  node: string,
  [before, after]: Pair,
  labels: readonly [string, string],
): Promise<NodeDifference> {
  const none = { node, diff: null, reason: null };
  const failed = [before, after].find((one) => one?.kept === 'failed');
  if (failed) return { ...none, change: 'unknown', reason: failed.reason };
  const texts = [await textOf(before), await textOf(after)] as const;
  const change = changeOf(texts, [before, after]);
  if (texts[0] === texts[1]) return { ...none, change };
  const diff = createTwoFilesPatch(...labels, texts[0] ?? '', texts[1] ?? '', undefined, undefined, {
    context: 3,
    timeout: msPerNode,
  });
  if (diff === undefined)
    return { ...none, change, reason: 'the two have too little in common for a diff: compare them yourself' };
  return { ...none, change, diff: diff.replace(/^=+\n/, '') };
}

async function textOf(node: ComparedNode | undefined): Promise<string | undefined> {
  return node?.kept === 'configuration' ? withoutVolatile(await node.text()) : undefined;
}

/** A node that has come or gone is a change, with a configuration or without. */
function changeOf(
  [earlier, later]: readonly [string | undefined, string | undefined],
  [before, after]: Pair,
): NodeDifference['change'] {
  if (before === undefined || (earlier === undefined && later !== undefined)) return 'added';
  if (after === undefined || (later === undefined && earlier !== undefined)) return 'removed';
  return earlier === later ? 'same' : 'changed';
}
