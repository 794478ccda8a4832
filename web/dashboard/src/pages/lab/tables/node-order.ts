/** Sorts and filters the table of nodes. */
import { drawnState, stateWords } from '../../../../../../src/labs/picture/words.ts';
import type { LabNode } from '../../../../../../src/client/api-types.ts';

export type Column = 'name' | 'device' | 'address' | 'state' | 'since';

export interface Order {
  readonly column: Column;
  readonly isDescending: boolean;
}

/** `h2` before `h10`, and `10.0.0.9` before `10.0.0.10`. */
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
/** Nodes with problems come first. */
const urgency = { down: 0, late: 1, unknown: 2, up: 3 } as const;

const shownState = ({ state, ready }: LabNode) => drawnState(state, ready);

function compare(a: LabNode, b: LabNode, column: Column): number {
  if (column === 'state') return urgency[shownState(a)] - urgency[shownState(b)];
  return collator.compare(a[column] ?? '', b[column] ?? '');
}

/** The nodes with the text in their name, device, address or state, sorted; unknown values come last. */
export function arranged(
  nodes: readonly LabNode[],
  { column, isDescending }: Order,
  filter: string,
): LabNode[] {
  const wanted = filter.trim().toLowerCase();
  const has = (node: LabNode): boolean =>
    [node.name, node.device, node.address, stateWords[shownState(node)]].some(
      (text) => text?.toLowerCase().includes(wanted) ?? false,
    );
  const turn = isDescending ? -1 : 1;
  return nodes.filter(has).toSorted((a, b) => {
    if (a[column] === null || b[column] === null)
      return Number(a[column] === null) - Number(b[column] === null);
    return turn * compare(a, b, column) || collator.compare(a.name, b.name);
  });
}
