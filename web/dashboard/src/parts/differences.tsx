import { Badge, Code, Group, Stack, Text } from '@mantine/core';
import type { Differences, NodeDifference } from '../../../../src/client/api-types.ts';
import { Age } from './time.tsx';

function NodeChange({ difference }: { readonly difference: NodeDifference }) {
  const { node, change, diff, reason } = difference;
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text fw={600}>{node}</Text>
        <Badge variant="default" tt="none">
          {change}
        </Badge>
      </Group>
      {reason !== null && <Text size="sm">{reason}</Text>}
      {diff !== null && (
        <Code block tabIndex={0} role="region" aria-label={`Changes of ${node}`} mah={400}>
          {diff}
        </Code>
      )}
    </Stack>
  );
}

function Side({ side: { snapshot, at } }: { readonly side: Differences['before'] }) {
  if (snapshot === null) return 'the lab as it runs now';
  return (
    <>
      <Code>{snapshot}</Code>, which was made <Age at={at} />,
    </>
  );
}

/** How the configurations of the nodes differ, node by node. */
export function Changes({ differences }: { readonly differences: Differences }) {
  const { before, after, nodes } = differences;
  const others = nodes.filter(({ change }) => change !== 'same');
  return (
    <Stack>
      <Text size="sm">
        From <Side side={before} /> to <Side side={after} />:
      </Text>
      {others.length === 0 && <Text>No configuration has changed.</Text>}
      {others.map((difference) => (
        <NodeChange key={difference.node} difference={difference} />
      ))}
    </Stack>
  );
}
