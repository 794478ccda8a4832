/** The answer of the server to a search for an address, a prefix, an AS, a module or a device: below the search of the labs. */
import { Anchor, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { SearchMatch, SearchResult } from '../../../../../src/client/api-types.ts';
import { ServiceError } from '../../../../../src/client/service-error.ts';
import { client, labPath } from '../../api/service.ts';
import { LabLink } from '../../parts/links.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';

/** Typing goes on. */
const pauseMs = 300;

/** Whether the list of labs, which knows names alone, cannot answer: addresses, prefixes, `as:65001`, `module:ospf`. */
export function isForServer(text: string): boolean {
  return /[.:]|^as\s?\d/i.test(text.trim());
}

/** The answer, once the user pauses; undefined without one. */
export function useSearch(text: string) {
  const [asked] = useDebouncedValue(text.trim(), pauseMs);
  return useQuery({
    queryKey: ['labs', 'search', asked],
    queryFn: async () => client.search(asked),
    enabled: isForServer(asked) && isForServer(text),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

const matchWords: Readonly<Record<string, string>> = {
  has: 'has it',
  inside: 'inside',
  contains: 'contains it',
};

const thingWords: Readonly<Record<string, string>> = {
  as: 'AS',
  management: 'management address',
};

function NodeLink({ lab, node }: { readonly lab: string; readonly node: string }) {
  return (
    <Anchor
      component={Link}
      href={`${labPath(lab)}?node=${encodeURIComponent(node)}`}
      inherit
      underline="always"
    >
      {node}
    </Anchor>
  );
}

/** The node and interface; of a link, its ends. */
function Where({ lab, node, interface: name, endpoints }: SearchMatch) {
  const ends = node === null ? endpoints : [{ node, interface: name }];
  return ends.map((end, index) => (
    <span key={`${end.node} ${end.interface}`}>
      {index > 0 && ', '}
      <NodeLink lab={lab} node={end.node} /> {end.interface}
    </span>
  ));
}

function Matches({ matches }: Pick<SearchResult, 'matches'>) {
  return (
    <Table.ScrollContainer minWidth={0}>
      <Table aria-label="Found in labs" verticalSpacing={6} style={{ overflowWrap: 'anywhere' }}>
        <Table.Thead>
          <Table.Tr>
            {['Lab', 'Where', 'Value'].map((heading) => (
              <Table.Th key={heading}>{heading}</Table.Th>
            ))}
            <Table.Th visibleFrom="xs">Match</Table.Th>
            <Table.Th visibleFrom="xs">What</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {matches.map((found, index) => (
            <Table.Tr key={index}>
              <Table.Td>
                <LabLink id={found.lab} />
              </Table.Td>
              <Table.Td>
                <Where {...found} />
              </Table.Td>
              <Table.Td ff="monospace">{found.value}</Table.Td>
              <Table.Td visibleFrom="xs">{matchWords[found.match] ?? found.match}</Table.Td>
              <Table.Td visibleFrom="xs">{thingWords[found.thing] ?? found.thing}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Remarks({ truncated, matches, incomplete, missingHosts = [], missingClis = [] }: SearchResult) {
  const missing = [...missingHosts, ...missingClis];
  const remarks = [
    ...(truncated ? [`There are more than these ${matches.length}: search for less.`] : []),
    ...incomplete.map(({ lab, reason }) => `The topology of ${lab} was not searched: ${reason}`),
    ...(missing.length > 0 ? [`No answer from ${missing.join(', ')}: matches may be missing.`] : []),
  ];
  return remarks.map((remark) => (
    <Text key={remark} size="sm" c="dimmed">
      {remark}
    </Text>
  ));
}

export function FoundInLabs({ search }: { readonly search: ReturnType<typeof useSearch> }) {
  const { data, error } = search;
  // As long as an address is typed, it is none.
  if (error instanceof ServiceError && error.code === 'invalid-request')
    return (
      <Text size="sm" c="dimmed" role="status">
        {error.message.replace(/^q: /, '')}
      </Text>
    );
  if (error) return <ProblemNotice error={error} title="The labs cannot be searched" />;
  if (data === undefined || data.query.kind === 'name') return null;
  return (
    <Paper withBorder p="sm" component="section" aria-labelledby="found-in-labs">
      <Stack gap="xs">
        <Title order={2} size="h4" id="found-in-labs">
          In labs: {data.query.value}
        </Title>
        {data.matches.length > 0 ? (
          <Matches matches={data.matches} />
        ) : (
          <Text size="sm" role="status">
            Nothing was found.
          </Text>
        )}
        <Remarks {...data} />
      </Stack>
    </Paper>
  );
}
