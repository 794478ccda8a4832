import { Badge, Box, Code, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import Anser from 'anser';
import type { ExecInNodesResult, NodesAnswer } from '../../../../../../src/client/api-types.ts';
import { nameRanges } from '../../../../../../src/lib/text/name-ranges.ts';
import styles from '../node/node.module.css';

const endings = {
  exited: 'ended',
  timeout: 'timed out',
  canceled: 'the service stopped',
  failed: 'not run',
} as const;

/** Coloured text on a tint of the same colour is hard to read. */
const badge = { label: { color: 'var(--mantine-color-text)' } };

const countText = (count: number): string => `${count} ${count === 1 ? 'node' : 'nodes'}`;

function Answer({ answer, isOdd }: { readonly answer: NodesAnswer; readonly isOdd: boolean }) {
  const { nodes, exitCode, reason, output, truncated, error } = answer;
  const names = nameRanges(nodes);
  const isGood = exitCode === 0;
  return (
    <Paper component="li" withBorder p="xs" miw={0}>
      <Group justify="space-between" gap="xs" mb={6}>
        <Text fw={600} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {names}
        </Text>
        <Group gap="xs">
          {isOdd && (
            <Badge color="yellow" styles={badge}>
              differs
            </Badge>
          )}
          <Badge
            color={isGood ? 'green' : 'red'}
            styles={badge}
            className="numbers"
            leftSection={
              isGood ? <IconCircleCheck size={14} aria-hidden /> : <IconCircleX size={14} aria-hidden />
            }
          >
            {exitCode === null ? endings[reason] : `exit code ${exitCode}`}
          </Badge>
          <Text size="xs" c="dimmed" className="numbers">
            {countText(nodes.length)}
          </Text>
        </Group>
      </Group>
      {truncated && (
        <Text size="xs" c="dimmed">
          The end was dropped: the output is too long.
        </Text>
      )}
      {error === null ? (
        <Box
          component="pre"
          className={styles['output'] ?? ''}
          // So that it scrolls by keyboard.
          tabIndex={0}
          role="group"
          aria-label={`Output of ${names}`}
        >
          {output === '' ? '(no output)' : Anser.ansiToText(output)}
        </Box>
      ) : (
        <Text size="sm">{error.detail}</Text>
      )}
    </Paper>
  );
}

/** The form is often at the edge of the window, and the answers are below it. */
const show = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

/** Answers side by side: the usual one first, and those that differ from it. */
export function Answers({ line, result }: { readonly line: string; readonly result: ExecInNodesResult }) {
  const { nodes, answers } = result;
  const differing = answers.length === 1 ? 'all the same' : `${answers.length} different answers`;
  return (
    <Stack gap="xs">
      <Text size="sm" role="status" ref={show}>
        <Code style={{ overflowWrap: 'anywhere' }}>{line}</Code> in {countText(nodes.length)}
        {nodes.length > 1 && `: ${differing}`}
      </Text>
      <SimpleGrid
        component="ol"
        cols={{ base: 1, md: answers.length === 1 ? 1 : 2 }}
        spacing="xs"
        className={styles['runs'] ?? ''}
        aria-label="Answers, those of most nodes first"
      >
        {answers.map((answer, index) => (
          <Answer
            key={answer.nodes[0]}
            answer={answer}
            isOdd={index > 0 && answer.nodes.length < (answers[0]?.nodes.length ?? 0)}
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}
