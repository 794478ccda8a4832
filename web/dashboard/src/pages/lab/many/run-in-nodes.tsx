import { Progress, Stack, TagsInput, Text } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import type { Lab } from '../../../../../../src/client/api-types.ts';
import { splitNames } from '../../../../../../src/lib/text/name-ranges.ts';
import { useLabTopology } from '../../../api/queries.ts';
import { useStore } from '../../../api/store.ts';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { CommandForm } from '../node/run/command-form.tsx';
import { Answers } from './answers.tsx';
import { ManySession } from './many-session.ts';

/** The words that the field of nodes offers, besides patterns. */
function useChoices({ id, nodes }: Lab): readonly string[] {
  const { data: topology } = useLabTopology(id);
  return useMemo(() => {
    const names = nodes.map(({ name }) => name);
    const groups = new Set(topology?.nodes.flatMap((node) => node.groups));
    return [...groups].map((group) => (names.includes(group) ? `group:${group}` : group)).concat(names);
  }, [nodes, topology]);
}

/** A form for a command in many nodes, and what came of the last one. It ends when the user leaves the page of the lab. */
export function RunInNodes({ lab }: { readonly lab: Lab }) {
  const [session] = useState(() => new ManySession(lab.id));
  useEffect(() => () => session.end(), [session]);
  const state = useStore(session.state);
  const [nodes, setNodes] = useState<string[]>([]);
  const choices = useChoices(lab);
  return (
    <Stack gap="sm">
      <CommandForm
        label="Command"
        isRunning={state.kind === 'running'}
        onRun={(command) => void session.start(nodes.flatMap(splitNames), command)}
        onCancel={() => session.end()}
      >
        <TagsInput
          label="Nodes"
          description="Names, groups, and patterns such as r*. Empty: all nodes."
          placeholder={nodes.length === 0 ? 'all nodes' : ''}
          data={[...choices]}
          limit={50}
          // A comma may stand in a range.
          splitChars={[' ']}
          clearable
          value={nodes}
          onChange={setNodes}
        />
      </CommandForm>
      {state.kind === 'running' && (
        <Stack gap={4} role="status">
          <Text size="sm" className="numbers">
            {state.total === null ? 'running' : `${state.done} of ${state.total} nodes are done`}
          </Text>
          <Progress
            size="sm"
            animated
            value={state.total === null ? 0 : (100 * state.done) / state.total}
            aria-label="Nodes that are done"
          />
        </Stack>
      )}
      {state.kind === 'canceled' && (
        <Text size="sm" c="dimmed" role="status">
          Canceled: the service ends the command in all nodes.
        </Text>
      )}
      {state.kind === 'failed' && <ProblemNotice error={state.error} title="The command did not run" />}
      {state.kind === 'ended' && <Answers line={state.line} result={state.result} />}
    </Stack>
  );
}
