import { ActionIcon, Box, Group, Menu, Text } from '@mantine/core';
import { IconLassoPolygon } from '@tabler/icons-react';
import { ViewportPortal } from '@xyflow/react';
import { useMemo, useState } from 'react';
import type { LabTopology } from '../../../../../src/client/api-types.ts';
import { nodeBoxId } from '../../../../../src/labs/picture/graph-of.ts';
import type { BoxNode } from './flow-graph.ts';
import { hullOf } from './hulls.ts';
import classes from './picture.module.css';

export interface NodeGroup {
  readonly name: string;
  readonly color: string;
  /** The IDs of its boxes. */
  readonly ids: ReadonlySet<string>;
}

/** The areas of more groups would overlap: the user chooses which are shown. */
const groupsAtOnce = 4;

const colors = ['cyan', 'grape', 'orange', 'teal', 'pink', 'lime', 'indigo', 'yellow'];

/** The groups of a topology. A group with all nodes would distinguish nothing. */
function groupsOf({ nodes }: LabTopology): NodeGroup[] {
  const names = [...new Set(nodes.flatMap(({ groups }) => groups))];
  return names
    .map((name) => nodes.filter(({ groups }) => groups.includes(name)).map((node) => nodeBoxId(node.name)))
    .map((ids, index) => ({
      name: names[index] ?? '',
      color: `var(--mantine-color-${colors[index % colors.length] ?? 'gray'}-6)`,
      ids: new Set(ids),
    }))
    .filter(({ ids }) => ids.size < nodes.length);
}

function Hull({ group, boxes }: { readonly group: NodeGroup; readonly boxes: readonly BoxNode[] }) {
  const members = boxes.filter(({ id }) => group.ids.has(id));
  if (members.length === 0) return null;
  const corners = hullOf(
    members.map(({ position, width = 0, height = 0 }) => ({ ...position, width, height })),
  );
  const points = corners.map(({ x, y }) => `${x},${y}`).join(' ');
  const top = corners.reduce((highest, corner) => (corner.y < highest.y ? corner : highest));
  return (
    <>
      <polygon className={classes['hull']} points={points} fill={group.color} stroke={group.color} />
      <text className={classes['group-name']} x={top.x} y={top.y - 28}>
        {group.name}
      </text>
    </>
  );
}

/** An area behind the nodes of each group. */
export function Hulls({ groups, boxes }: { groups: readonly NodeGroup[]; boxes: readonly BoxNode[] }) {
  return (
    <ViewportPortal>
      <svg className={classes['hulls']} aria-hidden>
        {groups.map((group) => (
          <Hull key={group.name} group={group} boxes={boxes} />
        ))}
      </svg>
    </ViewportPortal>
  );
}

/** Switches groups on and off; also the legend of their colours. */
export function GroupsMenu({
  groups,
  hidden,
  onToggle,
}: {
  readonly groups: readonly NodeGroup[];
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (name: string) => void;
}) {
  return (
    <Menu closeOnItemClick={false}>
      <Menu.Target>
        <ActionIcon size="lg" aria-label="Groups">
          <IconLassoPolygon size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown mah={400} style={{ overflowY: 'auto' }}>
        {groups.map(({ name, color, ids }) => (
          <Menu.Item
            key={name}
            role="menuitemcheckbox"
            aria-checked={!hidden.has(name)}
            onClick={() => onToggle(name)}
          >
            <Group gap="xs" wrap="nowrap">
              <Box
                className={classes['swatch']}
                bg={hidden.has(name) ? 'transparent' : color}
                bd={`1px solid ${color}`}
              />
              {name}
              <Text c="dimmed" size="xs" ml="auto">
                {ids.size}
              </Text>
            </Group>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The groups, with the visible ones. */
export function useGroups(topology: LabTopology) {
  const groups = useMemo(() => groupsOf(topology), [topology]);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const areShown = groups.length <= groupsAtOnce;
  const shown = groups.filter(({ name }) => toggled.has(name) !== areShown);
  const hidden = new Set(groups.filter((group) => !shown.includes(group)).map(({ name }) => name));
  const toggle = (name: string): void =>
    setToggled(
      (before) => new Set(before.has(name) ? [...before].filter((one) => one !== name) : [...before, name]),
    );
  return { groups, shown, hidden, toggle };
}
