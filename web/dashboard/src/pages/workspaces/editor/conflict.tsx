import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconGitMerge } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { lineDifferences, type DifferingLine } from './line-differences.ts';
import classes from './code-editor.module.css';
import { Dialog } from '../../../parts/dialog.tsx';

interface Props {
  readonly path: string;
  readonly mine: string;
  /** The text on the server; undefined when the file was removed. */
  readonly theirs: string | undefined;
  readonly isSaving: boolean;
  readonly onTakeTheirs: () => void;
  readonly onKeepMine: () => void;
}

function Side({
  label,
  lines,
  kind,
}: {
  readonly label: string;
  readonly lines: readonly DifferingLine[];
  readonly kind: 'mine' | 'theirs';
}) {
  const changed = lines.filter(({ isOwn }) => isOwn).length;
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        {label}{' '}
        <Text span size="sm" c="dimmed" fw={400}>
          {changed === 1 ? '1 line differs' : `${changed} lines differ`}
        </Text>
      </Text>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region must be reachable by keyboard */}
      <div className={classes['side']} role="region" aria-label={label} tabIndex={0}>
        {lines.map(({ number, text, isOwn }) => (
          <div key={number} className={classes['line']} data-is={isOwn ? kind : 'both'}>
            <span>{number}</span>
            <span aria-hidden>{isOwn ? (kind === 'mine' ? '+' : '−') : ' '}</span>
            <span>{text}</span>
          </div>
        ))}
      </div>
    </Stack>
  );
}

function Both({
  path,
  mine,
  theirs,
  isSaving,
  onTakeTheirs,
  onKeepMine,
  onClose,
}: Props & {
  readonly theirs: string;
  readonly onClose: () => void;
}) {
  const { one, other } = useMemo(() => lineDifferences(theirs, mine), [theirs, mine]);
  return (
    <Dialog opened onClose={onClose} size="min(1200px, 100%)" title={`Two versions of ${path}`}>
      <Stack>
        <div className={classes['both']}>
          <Side label="Their version on the server" lines={one} kind="theirs" />
          <Side label="My unsaved version" lines={other} kind="mine" />
        </div>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Continue editing
          </Button>
          <Button variant="default" onClick={onTakeTheirs}>
            Take theirs
          </Button>
          <Button color="red" loading={isSaving} onClick={onKeepMine}>
            Overwrite with mine{' '}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Another user has changed the file since it was read: asks which version to keep. */
export function Conflict(props: Props) {
  const { path, theirs, isSaving, onTakeTheirs, onKeepMine } = props;
  const [isComparing, setComparing] = useState(false);
  const title = theirs === undefined ? `${path} was removed` : `Another user has changed ${path}`;
  return (
    <Alert
      color="orange"
      variant="outline"
      radius={0}
      icon={<IconGitMerge aria-hidden />}
      title={title}
      role="alert"
    >
      <Text size="sm">
        {theirs === undefined
          ? 'Your text is still here. "Save mine" creates the file again.'
          : 'Your text is still here, but not saved. Choose which version to keep.'}
      </Text>
      <Group gap="xs" mt="xs">
        {theirs !== undefined && (
          <Button size="xs" variant="default" onClick={() => setComparing(true)}>
            Compare
          </Button>
        )}
        <Button size="xs" variant="default" onClick={onTakeTheirs}>
          {theirs === undefined ? 'Discard mine' : 'Take theirs'}
        </Button>
        <Button size="xs" variant="default" loading={isSaving} onClick={onKeepMine}>
          {theirs === undefined ? 'Save mine' : 'Overwrite with mine'}
        </Button>
      </Group>
      {isComparing && theirs !== undefined && (
        <Both {...props} theirs={theirs} onClose={() => setComparing(false)} />
      )}
    </Alert>
  );
}
