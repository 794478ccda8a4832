import { Button, Stack, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { DeviceChoice } from './device-choices.ts';
import { Described, Refusal, TextField } from './text-field.tsx';
import { useDeviceDrag } from './use-device-drag.tsx';
import { useRefusal } from './use-draft.ts';
import type { DropAt } from './use-drop.ts';

interface Props {
  readonly devices: readonly DeviceChoice[];
  /** Whether it is open until the user closes it. */
  readonly isNeeded: boolean;
  /** Returns the reason of a refusal. */
  readonly onAdd: (device: string) => string | undefined;
  readonly onDrop: DropAt;
}

type DevicesProps = Pick<Props, 'devices' | 'onAdd'> & Pick<ReturnType<typeof useDeviceDrag>, 'handlers'>;

function Devices({ devices, onAdd, handlers }: DevicesProps) {
  const { problem, note } = useRefusal('palette');
  const more = devices.filter(({ isUsual }) => !isUsual);
  return (
    <Stack gap="xs">
      <Text size="xs" c="dimmed" visibleFrom="sm">
        Press a device to add a node, or drag it to its place.
      </Text>
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
            {...handlers(name)}
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

/** The devices of this server: a press adds a node at a free place, a drag at the place where it ends. */
export function Palette({ devices, isNeeded, onAdd, onDrop }: Props) {
  const [chosen, choose] = useState<boolean>();
  const isOpen = chosen ?? isNeeded;
  // A dropped node is selected: the palette stays open for the next one.
  const { handlers, ghost } = useDeviceDrag(() => choose(true), onDrop);
  return (
    <Stack component="section" gap={4} aria-label="Devices to add">
      <Button
        variant="subtle"
        size="compact-sm"
        justify="start"
        leftSection={
          isOpen ? <IconChevronDown size={14} aria-hidden /> : <IconChevronRight size={14} aria-hidden />
        }
        aria-expanded={isOpen}
        onClick={() => choose(!isOpen)}
      >
        Devices to add
      </Button>
      {isOpen && <Devices devices={devices} onAdd={onAdd} handlers={handlers} />}
      {ghost}
    </Stack>
  );
}
