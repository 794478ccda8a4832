import { TagsInput } from '@mantine/core';
import { identifierFormat, identifierHelp } from '../../../../../../src/engine/topology/identifier-format.ts';
import type { Drawing, Edit } from '../../../parts/drawing/drawing.ts';
import { fieldLook } from './text-field.tsx';
import { useRefusal } from './use-draft.ts';

interface Props {
  readonly drawing: Drawing;
  /** The groups that all of them are in are shown. */
  readonly nodes: readonly string[];
  readonly onEdit: (edit: Edit) => string | undefined;
}

/** The groups of nodes; a name that is typed makes a group. */
export function GroupsField({ drawing, nodes, onEdit }: Props) {
  const { problem, note } = useRefusal(nodes.join(' '));
  const membersOf = (group: string): readonly string[] =>
    drawing.groups.find(({ name }) => name === group)?.members ?? [];
  const shown = drawing.groups
    .filter(({ members }) => nodes.every((node) => members.includes(node)))
    .map(({ name }) => name);
  const add = (group: string): string | undefined => {
    if (!identifierFormat.test(group)) return `the name of a group ${identifierHelp}`;
    if (drawing.nodes.some(({ name }) => name === group)) return `a node has the name ${group} already`;
    return onEdit({ kind: 'set-group', group, members: [...new Set([...membersOf(group), ...nodes])] });
  };
  const leave = (group: string): string | undefined => {
    const members = membersOf(group).filter((name) => !nodes.includes(name));
    return onEdit({ kind: 'set-group', group, members });
  };
  const change = (wanted: readonly string[]): string | undefined => {
    const [added] = wanted.filter((group) => !shown.includes(group));
    const [left] = shown.filter((group) => !wanted.includes(group));
    if (added !== undefined) return add(added);
    return left === undefined ? undefined : leave(left);
  };
  return (
    <TagsInput
      {...fieldLook}
      label="Groups"
      description="Choose one, or type a new name and press Enter."
      data={drawing.groups.map(({ name }) => name)}
      openOnFocus={false}
      value={shown}
      error={problem}
      onChange={(wanted) => note(change(wanted))}
    />
  );
}
