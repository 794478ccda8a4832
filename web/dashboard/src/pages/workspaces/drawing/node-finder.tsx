import { CloseButton, Group, Paper } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { nodeBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import type { Drawing } from '../../../parts/drawing/drawing.ts';
import { NodeSearch } from '../../../parts/picture/node-search.tsx';
import { useFindBox } from '../../../parts/picture/viewport.tsx';
import type { Selection } from './selection.ts';
import classes from './drawing-canvas.module.css';

interface NodeFinderProps {
  readonly drawing: Drawing;
  readonly onSelect: (selection: Selection) => void;
  readonly onClose: () => void;
}

/** Selects a node by its name, and shows it in the middle of the view. */
export function NodeFinder({ drawing, onSelect, onClose }: NodeFinderProps) {
  const show = useFindBox();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <Paper withBorder shadow="md" className={classes['picker']} role="dialog" aria-label="Find a node">
      <Group gap={4} wrap="nowrap">
        <NodeSearch
          names={drawing.nodes.map(({ name }) => name)}
          flex={1}
          ref={field}
          comboboxProps={{ withinPortal: false }}
          onFind={(name) => {
            onClose();
            onSelect({ nodes: [name], links: [] });
            show(nodeBoxId(name));
          }}
          onKeyDown={(event) => event.key === 'Escape' && onClose()}
        />
        <CloseButton aria-label="Close the search" onClick={onClose} size="lg" />
      </Group>
    </Paper>
  );
}
