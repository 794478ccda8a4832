import { IconActivity } from '@tabler/icons-react';
import { nodeBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import { GroupsMenu, useGroups } from '../../../parts/picture/groups.tsx';
import { Far, toolLook, useFindBox, useFit } from '../../../parts/picture/viewport.tsx';
import { Tool } from '../../../parts/tool.tsx';
import { Flow, type FlowProps } from './flow.tsx';
import { Toolbar } from './toolbar.tsx';

interface CanvasProps extends Omit<FlowProps, 'onTouch' | 'groups'> {
  /** Undefined when nothing was moved, or the user may not change the layout. */
  readonly onForget: (() => void) | undefined;
  readonly onWide: () => void;
}

/** The picture with its toolbar. */
export function Canvas({ onForget, onWide, ...props }: CanvasProps) {
  const { lab, placement, isWide, traffic } = props;
  const { topology, graph } = placement;
  const touch = useFit(graph);
  const { groups, shown, hidden, toggle } = useGroups(topology);
  const findBox = useFindBox();
  const find = (name: string): void => {
    touch(new MouseEvent('find'));
    findBox(nodeBoxId(name));
  };
  return (
    <>
      <Toolbar
        lab={lab}
        names={topology.nodes.map(({ name }) => name)}
        onFind={find}
        isWide={isWide}
        onWide={onWide}
        onForget={onForget}
      >
        <Tool
          {...toolLook}
          label="Traffic"
          Icon={IconActivity}
          aria-pressed={traffic.isOn}
          {...(traffic.isOn && { c: 'var(--mantine-primary-color-filled)' })}
          onClick={traffic.toggle}
        />
        {groups.length > 0 && <GroupsMenu groups={groups} hidden={hidden} onToggle={toggle} />}
      </Toolbar>
      <Far>
        <Flow {...props} onTouch={touch} groups={shown} />
      </Far>
    </>
  );
}
