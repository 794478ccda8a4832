import { useComputedColorScheme } from '@mantine/core';
import { Background, Panel, ReactFlow } from '@xyflow/react';
import { useMemo } from 'react';
import { graphOf } from '../../../../../src/labs/picture/graph-of.ts';
import type { Drawing } from '../drawing/drawing.ts';
import { labTopologyOf } from '../drawing/lab-topology-of.ts';
import { Empty } from '../empty.tsx';
import { Loading } from '../loading.tsx';
import { ProblemNotice } from '../problem-notice.tsx';
import { boxesOf, linesOf, type BoxNode, type LineEdge } from './flow-graph.ts';
import { boxesMax, usePlaced } from './use-placed.ts';
import { PictureFrame, Far, flowLook, useFit, ZoomTools } from './viewport.tsx';

interface DrawingPictureProps {
  readonly drawing: Drawing;
  /** Its name for screen readers. */
  readonly label: string;
}

const nothingGiven = {};

/** A topology with its graph, of a drawing. */
export function useDrawn(drawing: Drawing) {
  return useMemo(() => {
    const topology = labTopologyOf(drawing);
    return { topology, graph: graphOf(topology) };
  }, [drawing]);
}

export function TooLarge({ size }: { readonly size: number }) {
  return (
    <Empty title="This topology is too large for a picture">
      It has {size} nodes and networks; a picture has at most {boxesMax}.
    </Empty>
  );
}

function Laid({ drawing, label }: DrawingPictureProps) {
  const drawn = useDrawn(drawing);
  const size = drawn.graph.boxes.length;
  const { placement, error } = usePlaced(size > boxesMax ? undefined : drawn, nothingGiven);
  const scheme = useComputedColorScheme();
  const touch = useFit(placement);
  const nodes = useMemo(() => {
    const boxes = placement ? boxesOf(placement, undefined, []) : [];
    return boxes.map((box): BoxNode => ({ ...box, ariaRole: 'img' }));
  }, [placement]);
  const edges = useMemo(() => (placement ? linesOf(placement) : []), [placement]);
  if (size > boxesMax) return <TooLarge size={size} />;
  if (error) return <ProblemNotice error={error} title="The picture cannot be laid out" />;
  if (!placement) return <Loading h="100%" />;
  return (
    <Far>
      <ReactFlow<BoxNode, LineEdge>
        {...flowLook}
        aria-label={label}
        nodes={nodes}
        edges={edges}
        nodesDraggable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        preventScrolling={false}
        onMove={touch}
        colorMode={scheme}
      >
        <Background gap={24} size={1} />
        <Panel position="bottom-right">
          <ZoomTools />
        </Panel>
      </ReactFlow>
    </Far>
  );
}

/** A drawing to look at. Its place gives it a height. */
export function DrawingPicture(props: DrawingPictureProps) {
  return (
    <PictureFrame>
      <Laid {...props} />
    </PictureFrame>
  );
}
