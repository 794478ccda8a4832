import { Alert, Button, Group, NumberInput, Stack, Switch, TextInput } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useRef, useState, type FormEvent, type KeyboardEvent, type ReactNode } from 'react';
import { wantsShell, wordsOf } from './words.ts';
import styles from '../node.module.css';

export interface Command {
  readonly line: string;
  readonly words: [string, ...string[]];
  readonly timeoutSeconds: number;
}

/** The commands typed anywhere in this page, oldest first. */
const typed: string[] = [];

/** The arrow keys go through the typed commands, as in a shell. */
function useHistory(line: string, setLine: (line: string) => void) {
  const [back, setBack] = useState(0);
  const draft = useRef('');
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    const next = Math.min(Math.max(back + (event.key === 'ArrowUp' ? 1 : -1), 0), typed.length);
    if (back === 0) draft.current = line;
    setBack(next);
    setLine(next === 0 ? draft.current : (typed.at(-next) ?? ''));
  };
  const keep = (done: string): void => {
    if (typed.at(-1) !== done) typed.push(done);
    setBack(0);
  };
  return { onKeyDown, keep };
}

interface CommandFormProps {
  readonly label: string;
  readonly isRunning: boolean;
  readonly onRun: (command: Command) => void;
  readonly onCancel: () => void;
  /** Fields in front of the command. */
  readonly children?: ReactNode;
}

/** Asks for a command, its time limit, and whether a shell reads it. */
export function CommandForm({ label, isRunning, onRun, onCancel, children }: CommandFormProps) {
  const [line, setLine] = useState('');
  const [isInShell, setInShell] = useState(false);
  const [seconds, setSeconds] = useState<number | string>(60);
  const [problem, setProblem] = useState<string>();
  const { onKeyDown, keep } = useHistory(line, setLine);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isRunning) return;
    const found = isInShell && line.trim() !== '' ? { words: ['sh', '-c', line] } : wordsOf(line);
    if ('problem' in found) return setProblem(found.problem);
    const [program = '', ...rest] = found.words;
    setProblem(undefined);
    setLine('');
    keep(line);
    onRun({ line, words: [program, ...rest], timeoutSeconds: Number(seconds) || 60 });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        {children}
        <TextInput
          label={label}
          description={
            !isInShell && /[|<>;&$*`]/.test(line)
              ? 'Without a shell, | > $ * and the like are plain characters: turn on "In a shell".'
              : 'The arrow keys recall earlier commands.'
          }
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
              onClick={onCancel}
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
  );
}
