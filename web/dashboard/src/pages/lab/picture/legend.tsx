import { Group } from '@mantine/core';
import type { LabTopology, NodeState } from '../../../../../../src/client/api-types.ts';
import { StateMark } from './box-view.tsx';
import type { States } from './flow-graph.ts';
import classes from './picture.module.css';

/** How many nodes are in each state: also the key to the marks. */
export function Legend({ states, topology }: { readonly states: States; readonly topology: LabTopology }) {
  const counts = new Map<NodeState, number>();
  for (const { name } of topology.nodes) {
    const state = states.get(name) ?? 'unknown';
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return (
    <Group className={`${classes['legend']} numbers`} gap="sm" role="status" aria-label="States of the nodes">
      {(['up', 'down', 'unknown'] as const).map(
        (state) =>
          (counts.get(state) ?? 0) > 0 && (
            <Group key={state} gap={4} wrap="nowrap">
              <StateMark state={state} />
              {counts.get(state)} {state}
            </Group>
          ),
      )}
    </Group>
  );
}
