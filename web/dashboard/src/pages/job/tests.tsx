import { Stack, Table, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { TestsResult } from '../../../../../src/client/api-types.ts';
import { Columns } from '../../parts/columns.tsx';
import { Outcome, testCounts } from '../../parts/outcome.tsx';

/** The page shows the reason above the messages, and does not repeat it there. */
function withoutFirst(messages: readonly string[], one: string | null): readonly string[] {
  const at = one === null ? -1 : messages.indexOf(one);
  return at < 0 ? messages : messages.toSpliced(at, 1);
}

function Messages({ test: { reason, messages } }: { readonly test: TestsResult['tests'][number] }) {
  return (
    <>
      {reason !== null && (
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {reason}
        </Text>
      )}
      {withoutFirst(messages, reason).map((message, at) => (
        <Text key={at} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
      ))}
    </>
  );
}

/** The results of the tests of `validate`. On narrow screens, nodes and messages are below the name of the test. */
export function Tests({ result }: { readonly result: TestsResult }) {
  const { complete, truncated, tests } = result;
  const isNarrow = useMediaQuery('(max-width: 36em)', undefined, { getInitialValueInEffect: false });
  return (
    <Stack gap="sm">
      <Text size="sm">
        {testCounts(result)}
        {!complete && '. The tests did not finish'}
        {truncated && '. The list is not complete: the artifact junit.xml has all tests'}
      </Text>
      <Table.ScrollContainer minWidth={0}>
        <Table verticalSpacing={4}>
          <Columns
            names={['Outcome', 'Test', ...(isNarrow ? [] : ['Nodes', 'Message']), 'Time']}
            numbers={['Time']}
          />
          <Table.Tbody>
            {tests.map((test, index) => (
              // Test names may repeat, and their order does not change.
              <Table.Tr key={`${test.name} ${index}`} style={{ verticalAlign: 'top' }}>
                <Table.Td>
                  <Outcome outcome={test.outcome} />
                </Table.Td>
                <Table.Td>
                  <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
                    {test.name}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {test.description}
                  </Text>
                  {isNarrow && (
                    <>
                      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                        {test.nodes.join(', ')}
                      </Text>
                      <Messages test={test} />
                    </>
                  )}
                </Table.Td>
                {!isNarrow && (
                  <>
                    <Table.Td>{test.nodes.join(', ')}</Table.Td>
                    <Table.Td>
                      <Messages test={test} />
                    </Table.Td>
                  </>
                )}
                <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                  {test.seconds === null ? '' : `${test.seconds.toFixed(1)} s`}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
