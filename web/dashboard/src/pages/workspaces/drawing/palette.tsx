import { Button, Stack, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { DeviceChoice } from './device-choices.ts';
import { Described, Refusal, TextField } from './text-field.tsx';
import { useRefusal } from './use-draft.ts';

interface Props {
  readonly devices: readonly DeviceChoice[];
  /** Returns the reason of a refusal. */
  readonly onAdd: (device: string) => string | undefined;
}

/** The devices of this server: a press adds a node. */
export function Palette({ devices, onAdd }: Props) {
  const { problem, note } = useRefusal('palette');
  const more = devices.filter(({ isUsual }) => !isUsual);
  return (
    <Stack component="section" gap="xs" aria-label="Add a node">
      <Title order={3} size="h6">
        Add a node
      </Title>
      {devices
        .filter(({ isUsual }) => isUsual)
        .map(({ name, description }) => (
          <Button
            key={name}
            variant="default"
            size="compact-md"
            h="auto"
            miw={0}
            styles={{ label: { whiteSpace: 'normal' } }}
            py={4}
            justify="start"
            ta="start"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => note(onAdd(name))}
          >
            <Described value={name} description={description} />
          </Button>
        ))}
      <Refusal problem={problem} />
      {more.length > 0 && (
        <TextField
          label="Another kind of node"
          owner="palette"
          text=""
          placeholder="search, and press Enter"
          suggestions={more.map(({ name, description }) => ({ value: name, description }))}
          onCommit={onAdd}
        />
      )}
    </Stack>
  );
}
