import { CloseButton, Group, Paper, Select } from '@mantine/core';
import { useEffect, useMemo, useRef } from 'react';
import type { Drawing } from '../../../parts/drawing/drawing.ts';
import { linkChoices, type LinkTarget } from './link-targets.ts';
import classes from './drawing-canvas.module.css';

interface LinkPickerProps {
  readonly drawing: Drawing;
  readonly nodes: readonly string[];
  readonly onLink: (nodes: readonly string[], target: LinkTarget) => void;
  readonly onClose: () => void;
}

/** Chooses the other end of a new link from a list. */
export function LinkPicker({ drawing, nodes, onLink, onClose }: LinkPickerProps) {
  const choices = useMemo(() => linkChoices(drawing, nodes), [drawing, nodes]);
  const all = [...choices.values()].flat();
  const label = `Link ${nodes.length > 3 ? `${nodes.length} nodes` : nodes.join(', ')} to…`;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The list has to be there first: its first item is selected when the field gets the focus.
    const frame = requestAnimationFrame(() => field.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  const data = [...choices].map(([group, items]) => ({
    group,
    items: items.map(({ id, label: text }) => ({ value: id, label: text })),
  }));
  return (
    <Paper withBorder shadow="md" className={classes['picker']} role="dialog" aria-label={label}>
      <Group gap={4} wrap="nowrap" align="end">
        <Select
          label={label}
          placeholder="A node, link or network"
          size="sm"
          flex={1}
          searchable
          ref={field}
          comboboxProps={{ keepMounted: true, withinPortal: false }}
          withScrollArea={false}
          styles={{ options: { maxHeight: 260, overflowY: 'auto' } }}
          limit={100}
          data={data}
          value={null}
          selectFirstOptionOnChange
          selectFirstOptionOnDropdownOpen
          nothingFoundMessage="There is nothing of that name to link to"
          onChange={(value) => {
            const choice = all.find(({ id }) => id === value);
            if (choice) onLink(nodes, choice.target);
            onClose();
          }}
          onKeyDown={(event) => event.key === 'Escape' && onClose()}
        />
        <CloseButton aria-label="Close the list" onClick={onClose} size="lg" />
      </Group>
    </Paper>
  );
}
