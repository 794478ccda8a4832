import { Badge, Code, Group, Stack, Text, Title } from '@mantine/core';
import type { OutputsResult } from '../../../../../src/client/api-types.ts';
import { plainText } from './log/ansi.ts';

/** What a command printed in each node. */
export function Outputs({ result }: { readonly result: OutputsResult }) {
  return (
    <Stack gap="md">
      {!result.complete && (
        <Text size="sm">The command did not come to its end: there may be nodes that are not listed.</Text>
      )}
      {result.nodes.map(({ node, output, truncated, exitCode }) => (
        <section key={node}>
          <Group gap="xs" mb={4}>
            <Title order={2} size="h5">
              {node}
            </Title>
            {exitCode !== null && (
              <Badge variant="light" color={exitCode === 0 ? 'green' : 'red'} tt="none">
                exit code {exitCode}
              </Badge>
            )}
          </Group>
          <Code block tabIndex={0}>
            {output === '' ? 'nothing was printed' : output.split('\n').map(plainText).join('\n')}
          </Code>
          {truncated && (
            <Text size="xs" c="dimmed">
              There is more of it in the log.
            </Text>
          )}
        </section>
      ))}
    </Stack>
  );
}
