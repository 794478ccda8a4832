import { ActionIcon, Button, Group, Popover, Tooltip } from '@mantine/core';
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconCopyPlus,
  IconKeyboard,
  IconLine,
  IconMarquee2,
  IconPlus,
  IconSitemap,
  IconTrash,
} from '@tabler/icons-react';
import { useStoreApi } from '@xyflow/react';
import type { MouseEvent, ReactNode } from 'react';
import { KeyTable } from '../../../parts/key-table.tsx';
import { toolLook, ZoomTools } from '../../../parts/picture/viewport.tsx';
import { Tool } from '../../../parts/tool.tsx';
import { Toolbar } from '../../../parts/toolbar.tsx';
import { isEmpty, type Selection } from './selection.ts';
import type { CanvasActions } from './use-canvas-actions.ts';
import classes from '../../../parts/picture/picture.module.css';

interface CanvasToolbarProps {
  /** Undefined when the user may only look. */
  readonly actions: CanvasActions | undefined;
  readonly selected: Selection;
  /** Whether a drag selects an area. */
  readonly isArea: boolean;
  readonly onArea: () => void;
  readonly children: ReactNode;
}

/** The keys of the drawing. */
function Help() {
  return (
    <Popover
      position="bottom-end"
      width={400}
      withinPortal
      shadow="md"
      // Escape is handled where the focus is.
      trapFocus
      returnFocus
      // React Flow keeps presses of the mouse to itself.
      clickOutsideEvents={['pointerdown']}
    >
      <Tooltip label="Keys of the drawing">
        <Popover.Target>
          <ActionIcon size="lg" aria-label="Keys of the drawing">
            <IconKeyboard size={18} aria-hidden />
          </ActionIcon>
        </Popover.Target>
      </Tooltip>
      <Popover.Dropdown
        mah="70vh"
        style={{ overflowY: 'auto' }}
        tabIndex={0}
        aria-label="Keys of the drawing"
      >
        <KeyTable only="Drawing of a topology" />
      </Popover.Dropdown>
    </Popover>
  );
}

function Edits({ actions, selected }: { readonly actions: CanvasActions; readonly selected: Selection }) {
  const { add, link, copy, remove, undo, redo, arrange } = actions;
  const hasNodes = selected.nodes.length > 0;
  const { getState } = useStoreApi();
  /** After a click, the keys are for the drawing again, such as the one that takes the edit back. */
  const focusDrawing = ({ detail }: MouseEvent): void => {
    if (detail > 0) getState().domNode?.focus({ preventScroll: true });
  };
  return (
    <Group gap={0} onClick={focusDrawing}>
      <Tooltip label="Add a node (N)">
        <Button
          variant="subtle"
          size="compact-md"
          px={6}
          leftSection={<IconPlus size={18} aria-hidden />}
          aria-label="Add a node"
          onClick={() => add()}
        >
          Node
        </Button>
      </Tooltip>
      <Tool
        {...toolLook}
        label="Link"
        tip={hasNodes ? 'Link to… (L)' : 'Select a node to link it (L)'}
        Icon={IconLine}
        disabled={!hasNodes}
        onClick={() => link(selected.nodes)}
      />
      <Tool
        {...toolLook}
        label="Copy"
        tip="Copy the selected nodes (C)"
        Icon={IconCopyPlus}
        disabled={!hasNodes}
        onClick={() => copy(selected.nodes)}
      />
      <Tool
        {...toolLook}
        label="Delete"
        tip="Delete what is selected (Delete)"
        Icon={IconTrash}
        disabled={isEmpty(selected)}
        onClick={() => remove(selected)}
      />
      <Tool
        {...toolLook}
        label="Undo"
        tip="Undo (Ctrl Z)"
        Icon={IconArrowBackUp}
        disabled={!undo}
        onClick={() => undo?.()}
      />
      <Tool
        {...toolLook}
        label="Redo"
        tip="Redo (Ctrl Shift Z)"
        Icon={IconArrowForwardUp}
        disabled={!redo}
        onClick={() => redo?.()}
      />
      <Tool
        {...toolLook}
        label="Arrange"
        tip="Arrange all nodes; Undo gives their places back"
        Icon={IconSitemap}
        onClick={arrange}
      />
    </Group>
  );
}

export function CanvasToolbar({ actions, selected, isArea, onArea, children }: CanvasToolbarProps) {
  return (
    <Toolbar className={classes['bar'] ?? ''} label="Drawing">
      {actions && <Edits actions={actions} selected={selected} />}
      <Group gap={0} ml="auto" wrap="wrap">
        {children}
        <Tool
          {...toolLook}
          label="Select an area"
          tip="Select an area (or drag with Shift)"
          Icon={IconMarquee2}
          aria-pressed={isArea}
          {...(isArea && { c: 'var(--mantine-primary-color-filled)' })}
          onClick={onArea}
        />
        <ZoomTools />
        <Help />
      </Group>
    </Toolbar>
  );
}
