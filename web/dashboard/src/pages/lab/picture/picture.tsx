import { Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Lab, LabTopology } from '../../../../../../src/client/api-types.ts';
import { graphOf } from '../../../../../../src/labs/picture/graph-of.ts';
import { keyedLinks } from '../../../../../../src/labs/picture/positions.ts';
import { drawnState } from '../../../../../../src/labs/picture/words.ts';
import { useMay } from '../../../api/queries.ts';
import { Empty } from '../../../parts/empty.tsx';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { Question } from '../../../parts/question.tsx';
import { LinkDialog } from '../faults/link-dialog.tsx';
import { FirstPicture } from '../first-picture.tsx';
import { Canvas } from './canvas.tsx';
import { TrafficDialog } from './traffic-table.tsx';
import { useAddress } from '../../../parts/use-address.ts';
import { useKeptLayout } from '../../../parts/picture/use-kept-layout.ts';
import { PictureFrame } from '../../../parts/picture/viewport.tsx';
import { boxesMax, usePlaced } from '../../../parts/picture/use-placed.ts';
import { useTraffic } from './use-traffic.ts';

interface PictureProps {
  readonly lab: Lab;
  readonly topology: LabTopology;
  /** The name of the node with the open drawer. */
  readonly chosen: string | undefined;
  readonly onOpen: (name: string) => void;
  readonly isWide: boolean;
  readonly onWide: () => void;
}

/** Asks before it deletes the layout, because all users share it. */
function ForgetQuestion({
  moved,
  onForget,
  onClose,
}: {
  readonly moved: number;
  readonly onForget: () => void;
  readonly onClose: () => void;
}) {
  return (
    <Question
      title="Reset the layout?"

      yes="Reset the layout"
      onClose={onClose}
      onYes={onForget}
    >
      <Text size="sm">
        This deletes {moved === 1 ? 'the place of one box' : `the places of ${moved} boxes`} that users have
        moved, for all users of this lab.
      </Text>
    </Question>
  );
}

function Laid({ lab, topology, ...rest }: PictureProps) {
  const may = useMay(lab);
  const [asks, setAsks] = useState(false);
  const { get, change } = useAddress();
  const traffic = useTraffic(lab);
  const links = useMemo(() => keyedLinks(topology.links), [topology]);
  const { given, move, forget, mayMove } = useKeptLayout('lab', lab.id, links);
  const drawn = useMemo(() => ({ topology, graph: graphOf(topology) }), [topology]);
  const size = drawn.graph.boxes.length;
  const { placement, error } = usePlaced(size > boxesMax ? undefined : drawn, given);
  const states = useMemo(
    () => new Map(lab.nodes.map(({ name, state, ready }) => [name, drawnState(state, ready)])),
    [lab.nodes],
  );
  if (size > boxesMax)
    return (
      <Empty title="This lab is too large for a picture">
        It has {size} nodes and networks; a picture has at most {boxesMax}. The table below lists all nodes.
      </Empty>
    );
  if (error) return <ProblemNotice error={error} title="The picture cannot be laid out" />;
  if (!placement) return <FirstPicture id={lab.id} topology={topology} />;
  const moved = Object.keys(given ?? {}).length;
  const mayBreak = may('putLinkFault');
  const link = topology.links.find(({ id }) => id === get('link'));
  const open = (id: string): void => change({ link: id }, true);
  const close = (): void => change({ link: undefined });
  const isMovable = may('replaceLabLayout') && mayMove;
  return (
    <>
      <Canvas
        {...rest}
        lab={lab.id}
        placement={placement}
        states={states}
        faults={lab.faults}
        traffic={traffic}
        onLink={mayBreak || traffic.isOn ? open : undefined}
        onMove={isMovable ? move : undefined}
        onForget={isMovable && moved > 0 ? () => setAsks(true) : undefined}
      />
      {link && mayBreak && <LinkDialog lab={lab} link={link} traffic={traffic} onClose={close} />}
      {link && !mayBreak && <TrafficDialog link={link} traffic={traffic} onClose={close} />}
      {asks && (
        <ForgetQuestion
          moved={moved}
          onClose={() => setAsks(false)}
          onForget={() => {
            setAsks(false);
            forget();
          }}
        />
      )}
    </>
  );
}

/** The picture of a lab: its nodes, links and states. */
export function Picture(props: PictureProps) {
  return (
    <PictureFrame>
      <Laid {...props} />
    </PictureFrame>
  );
}
