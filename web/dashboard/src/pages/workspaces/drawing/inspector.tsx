/** The form beside a drawing, for what is selected in it. */
import { Button, Fieldset, Group, List, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconCopy, IconInfoCircle, IconTrash } from '@tabler/icons-react';
import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import type { Drawing, DrawnLink, DrawnNode, Span } from '../../../parts/drawing/drawing.ts';
import type { FormProps } from './form-field.tsx';
import { addNode, namesOfCopies } from './free-names.ts';
import { LinkForm } from './link-form.tsx';
import { NodeForm } from './node-form.tsx';
import { Palette } from './palette.tsx';
import type { PlacedProblem } from './placed-problems.ts';
import { everythingIn, nothingSelected, selectionWords, type Selection } from './selection.ts';
import { SeveralForm } from './several-form.tsx';
import { Refusal } from './text-field.tsx';
import { useDevices } from './use-devices.ts';
import { useFollowedLink } from './use-followed-link.ts';
import type { DropAt } from './use-drop.ts';
import { useRefusal } from './use-draft.ts';

interface Props extends Omit<FormProps, 'language' | 'devices'> {
  readonly selected: Selection;
  readonly problems: readonly PlacedProblem[];
  readonly onKey: (event: KeyboardEvent) => void;
  /** Drops a device of the palette at a place of the window. Undefined when the user may only look. */
  readonly onDrop: DropAt | undefined;
}

const icons = {
  error: <IconAlertTriangle size={14} color="var(--mantine-color-red-text)" role="img" aria-label="Error" />,
  warning: (
    <IconAlertTriangle size={14} color="var(--mantine-color-orange-text)" role="img" aria-label="Warning" />
  ),
  note: <IconInfoCircle size={14} aria-hidden />,
};

interface NotesProps {
  readonly title: string;
  readonly notes: readonly (Omit<PlacedProblem, 'severity'> & Partial<PlacedProblem>)[];
  readonly onShowText: (span: Span) => void;
}

/** Sentences about places of the text. */
function Notes({ title, notes, onShowText }: NotesProps) {
  if (notes.length === 0) return null;
  return (
    <Stack component="section" gap={4} aria-label={title}>
      <Title order={3} size="h6">
        {title}
      </Title>
      <List size="xs" spacing={4} icon={icons.note}>
        {notes.map(({ message, span, severity }) => (
          <List.Item key={`${span.from} ${message}`} icon={icons[severity ?? 'note']}>
            {message}{' '}
            <Button
              size="compact-xs"
              variant="subtle"
              aria-label={`Show in the text: ${message}`}
              onClick={() => onShowText(span)}
            >
              Show in the text
            </Button>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

/** How many nodes have each device: `3 × frr, 2 × linux`. */
function devicesIn({ nodes }: Drawing): string {
  const tally = new Map<string, number>();
  for (const { device } of nodes) {
    const name = device ?? 'without a device';
    tally.set(name, (tally.get(name) ?? 0) + 1);
  }
  return [...tally].map(([name, count]) => `${count} × ${name}`).join(', ');
}

function Overview({ drawing, isReadOnly }: FormProps) {
  if (drawing.nodes.length === 0) return null;
  return (
    <Text size="xs" c="dimmed">
      {devicesIn(drawing)}.
      {!isReadOnly &&
        ' Select a node or a link to change it. To link a node, drag its round handle to another node.'}
    </Text>
  );
}

/** Copies and removes the selection. */
function Actions({ drawing, selected, onEdit, onSelect }: FormProps & { readonly selected: Selection }) {
  const { nodes, links } = selected;
  const { problem, note } = useRefusal([...nodes, ...links].join(' '));
  const attempt = (edit: Parameters<typeof onEdit>[0], after: Selection): void => {
    const refusal = onEdit(edit);
    note(refusal);
    if (refusal === undefined) onSelect(after);
  };
  const copy = (): void => {
    const copies = namesOfCopies(nodes, drawing);
    attempt({ kind: 'copy-nodes', copies }, { nodes: [...copies.values()], links: [] });
  };
  return (
    <Stack gap={4}>
      <Group gap="xs">
        {nodes.length > 0 && (
          <Button size="xs" variant="default" leftSection={<IconCopy size={14} aria-hidden />} onClick={copy}>
            Copy
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          c="var(--mantine-color-red-text)"
          leftSection={<IconTrash size={14} aria-hidden />}
          onClick={() => attempt({ kind: 'remove', nodes, links }, nothingSelected)}
        >
          Remove
        </Button>
      </Group>
      <Refusal problem={problem} />
    </Stack>
  );
}

interface Found {
  readonly title: string;
  readonly form: ReactNode;
  /** The part of the text that it is about; undefined for all. */
  readonly spans: readonly Span[] | undefined;
}

/** The form for the selection, as far as it is still there. */
function formFor(nodes: readonly DrawnNode[], links: readonly DrawnLink[], form: FormProps): Found {
  const [node] = nodes;
  const [link] = links;
  const spans = [...nodes, ...links].flatMap(({ span }) => (span === undefined ? [] : [span]));
  if (nodes.length + links.length > 1) {
    const several = nodes.length > 0 && <SeveralForm {...form} nodes={nodes} />;
    const title = selectionWords(everythingIn({ ...form.drawing, nodes, links }));
    return { title, form: several, spans };
  }
  if (node !== undefined)
    return { title: `Node ${node.name}`, form: <NodeForm {...form} node={node} />, spans };
  if (link !== undefined) {
    const title = `Link ${link.ends.map((end) => end.node).join(' – ')}`;
    return { title, form: <LinkForm {...form} link={link} />, spans };
  }
  const { drawing, isStale } = form;
  const none = isStale ? 'not drawn' : 'nothing yet';
  const title = `Topology: ${selectionWords(everythingIn(drawing)) || none}`;
  return { title, form: <Overview {...form} />, spans: undefined };
}

export function Inspector({ problems, onKey, onDrop, ...rest }: Props) {
  const { drawing, isReadOnly, isStale, onSelect, onShowText } = rest;
  const selected = useFollowedLink(rest.selected, drawing.links, onSelect);
  const form: FormProps = { ...rest, ...useDevices(drawing.format) };
  const section = useRef<HTMLDivElement>(null);
  const nodes = drawing.nodes.filter(({ name }) => selected.nodes.includes(name));
  const links = drawing.links.filter(({ id }) => selected.links.includes(id));
  const { title, form: content, spans } = formFor(nodes, links, form);
  const own = problems.filter(
    ({ span: { from } }) =>
      spans === undefined || isStale || spans.some((span) => span.from <= from && from <= span.to),
  );
  return (
    <Stack
      component="section"
      ref={section}
      gap="md"
      tabIndex={-1}
      aria-label="Properties"
      onKeyDown={onKey}
      style={{ outline: 'none' }}
    >
      {onDrop && (
        <Fieldset variant="unstyled" disabled={isStale} miw={0} p={0} m={0}>
          <Palette
            devices={form.devices}
            isNeeded={spans === undefined}
            onAdd={(device) => form.onEdit(addNode(device, drawing))}
            onDrop={onDrop}
          />
        </Fieldset>
      )}
      <Title order={2} size="h5" style={{ overflowWrap: 'anywhere' }}>
        {title}
      </Title>
      <Notes title="Problems" notes={own} onShowText={onShowText} />
      <Fieldset variant="unstyled" disabled={isStale} miw={0} p={0} m={0}>
        <Stack gap="md">
          {content}
          {spans === undefined && (
            <Notes title="Not in the drawing" notes={drawing.unseen} onShowText={onShowText} />
          )}
          {spans !== undefined && spans.length > 0 && !isReadOnly && (
            <Actions
              {...form}
              selected={everythingIn({ ...drawing, nodes, links })}
              onSelect={(next) => {
                onSelect(next);
                // The pressed button is gone.
                section.current?.focus();
              }}
            />
          )}
        </Stack>
      </Fieldset>
    </Stack>
  );
}
