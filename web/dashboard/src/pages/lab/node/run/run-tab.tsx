import { Badge, Code, Group, Paper, Stack, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import Anser from 'anser';
import { useState } from 'react';
import { useStore } from '../../../../api/store.ts';
import { Empty } from '../../../../parts/empty.tsx';
import { ProblemNotice } from '../../../../parts/problem-notice.tsx';
import { durationText } from '../../../../parts/duration-text.ts';
import { useNow } from '../../../../parts/time.tsx';
import { EndBox } from '../end-box.tsx';
import { keptOf, ofNode } from '../kept.ts';
import { CommandForm } from './command-form.tsx';
import { RunSession, type Run } from './run-session.ts';
import styles from '../node.module.css';

const endings = { timeout: 'timed out', canceled: 'the service stopped' } as const;

function RunState({ run }: { readonly run: Run }) {
  const now = useNow();
  const { state, startedMs } = run;
  if (state.kind === 'running')
    return (
      <Badge color="blue" className="numbers">
        running · {durationText(now - startedMs)}
      </Badge>
    );
  if (state.kind === 'canceled') return <Badge color="gray">canceled</Badge>;
  if (state.kind === 'failed') return null;
  const { exitCode, reason, durationMs } = state.end;
  const isGood = exitCode === 0;
  return (
    <Badge
      color={isGood ? 'green' : 'red'}
      className="numbers"
      leftSection={isGood ? <IconCircleCheck size={14} aria-hidden /> : <IconCircleX size={14} aria-hidden />}
    >
      {reason === 'exited' ? `exit code ${exitCode ?? 'unknown'}` : `killed: ${endings[reason]}`} ·{' '}
      {durationText(durationMs)}
    </Badge>
  );
}

function OneRun({ run }: { readonly run: Run }) {
  return (
    <Paper component="li" withBorder p="xs">
      <Group justify="space-between" gap="xs" mb={run.output === '' ? 0 : 6}>
        <Code style={{ overflowWrap: 'anywhere' }}>{run.line}</Code>
        <RunState run={run} />
      </Group>
      {run.isCut && (
        <Text size="xs" c="dimmed">
          The beginning was dropped: the output is too long.
        </Text>
      )}
      {run.output !== '' && (
        <EndBox
          className={styles['output']}
          label={`Output of ${run.line}`}
          text={Anser.ansiToText(run.output)}
        />
      )}
      {run.state.kind === 'failed' && <ProblemNotice error={run.state.error} />}
    </Paper>
  );
}

export function RunTab({ lab, node }: { readonly lab: string; readonly node: string }) {
  const [session] = useState(() => ofNode(keptOf(lab).runs, node, () => new RunSession(lab, node)));
  const runs = useStore(session.runs);
  return (
    <Stack gap="sm">
      <CommandForm
        label={`Command for ${node}`}
        isRunning={runs[0]?.state.kind === 'running'}
        onRun={(command) => void session.start(command)}
        onCancel={() => session.end()}
      />
      {runs.length === 0 ? (
        <Empty title="No commands yet">
          The program gets the words as typed; its output appears here as it is printed.
        </Empty>
      ) : (
        <Stack component="ol" gap="xs" className={styles['runs'] ?? ''} aria-label="Commands, newest first">
          {runs.map((run) => (
            <OneRun key={run.id} run={run} />
          ))}
        </Stack>
      )}
    </Stack>
  );
}
