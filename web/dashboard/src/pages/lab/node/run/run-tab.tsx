import {
  Alert,
  Badge,
  Button,
  Code,
  Group,
  NumberInput,
  Paper,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import Anser from 'anser';
import { useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import { useStore } from '../../../../api/store.ts';
import { Empty } from '../../../../parts/empty.tsx';
import { ProblemNotice } from '../../../../parts/problem-notice.tsx';
import { durationText } from '../../../../parts/duration-text.ts';
import { useNow } from '../../../../parts/time.tsx';
import { EndBox } from '../end-box.tsx';
import { keptOf, ofNode } from '../kept.ts';
import { RunSession, type Run } from './run-session.ts';
import { wantsShell, wordsOf } from './words.ts';
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

/** The arrow keys go through the typed commands, as in a shell. */
function useHistory(session: RunSession, line: string, setLine: (line: string) => void) {
  const [back, setBack] = useState(0);
  const draft = useRef('');
  const onKeyDown = (event: KeyboardEvent): void => {
    const { history } = session;
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    const next = Math.min(Math.max(back + (event.key === 'ArrowUp' ? 1 : -1), 0), history.length);
    if (back === 0) draft.current = line;
    setBack(next);
    setLine(next === 0 ? draft.current : (history.at(-next) ?? ''));
  };
  return { onKeyDown, reset: () => setBack(0) };
}

export function RunTab({ lab, node }: { readonly lab: string; readonly node: string }) {
  const [session] = useState(() => ofNode(keptOf(lab).runs, node, () => new RunSession(lab, node)));
  const runs = useStore(session.runs);
  const [line, setLine] = useState('');
  const [isInShell, setInShell] = useState(false);
  const [seconds, setSeconds] = useState<number | string>(60);
  const [problem, setProblem] = useState<string>();
  const { onKeyDown, reset } = useHistory(session, line, setLine);
  const isRunning = runs[0]?.state.kind === 'running';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isRunning) return;
    const found = isInShell && line.trim() !== '' ? { words: ['sh', '-c', line] } : wordsOf(line);
    if ('problem' in found) return setProblem(found.problem);
    const [program = '', ...rest] = found.words;
    setProblem(undefined);
    setLine('');
    reset();
    void session.start({ line, words: [program, ...rest], timeoutSeconds: Number(seconds) || 60 });
  };
  return (
    <Stack gap="sm">
      <form onSubmit={submit}>
        <Stack gap="xs">
          <TextInput
            label={`Command for ${node}`}
            description="The arrow keys recall earlier commands."
            placeholder="ip route"
            classNames={{ input: styles['line'] ?? '' }}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={line}
            error={problem}
            onChange={(event) => setLine(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          <Group gap="md" align="center">
            <Button
              type="submit"
              size="sm"
              disabled={isRunning}
              leftSection={<IconPlayerPlay size={16} aria-hidden />}
            >
              Run
            </Button>
            {isRunning && (
              <Button
                size="sm"
                variant="default"
                leftSection={<IconPlayerStop size={16} aria-hidden />}
                onClick={() => session.end()}
              >
                Cancel
              </Button>
            )}
            <Switch
              label="In a shell (sh -c)"
              checked={isInShell}
              onChange={(event) => setInShell(event.currentTarget.checked)}
            />
            <NumberInput
              aria-label="Time limit in seconds"
              value={seconds}
              onChange={setSeconds}
              min={1}
              max={3600}
              suffix=" s at most"
              w={130}
              size="xs"
            />
          </Group>
          {!isInShell && wantsShell(line) && (
            <Alert color="yellow" variant="light" p="xs">
              Pipes, redirections and variables need a shell: switch it on, or the program gets them as plain
              words.
            </Alert>
          )}
        </Stack>
      </form>
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
