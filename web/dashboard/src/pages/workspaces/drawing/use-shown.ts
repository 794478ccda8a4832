import { useReducedMotion } from '@mantine/hooks';
import { useReactFlow, useStoreApi } from '@xyflow/react';
import { useEffect, useEffectEvent } from 'react';
import { linkBoxId, nodeBoxId } from '../../../../../../src/labs/picture/graph-of.ts';
import type { Point } from '../../../../../../src/labs/picture/picture.ts';
import type { BoxNode, LineEdge } from '../../../parts/picture/flow-graph.ts';
import { middleOf } from '../../../parts/picture/middle-of.ts';
import type { Selection } from './selection.ts';

/** Brings a node or a link into the middle of the view when it is out of sight. The focus stays where it is. */
export function useShown(sought: Selection | undefined): void {
  const { getNode, getEdges, flowToScreenPosition, getZoom, setCenter } = useReactFlow<BoxNode, LineEdge>();
  const { getState } = useStoreApi();
  const isStill = useReducedMotion();
  const placeOf = ({ nodes, links }: Selection): Point | undefined => {
    const [id] = [...nodes.map(nodeBoxId), ...links.map(linkBoxId)];
    const line = getEdges().find(({ data }) => data !== undefined && links.includes(data.link.id));
    return getNode(id ?? '')?.position ?? (line?.data && middleOf(line.data.points).at);
  };
  const show = useEffectEvent((part: Selection) => {
    const at = placeOf(part);
    const room = getState().domNode?.getBoundingClientRect();
    if (!at || !room) return;
    const { x, y } = flowToScreenPosition(at);
    const isSeen = x > room.left && x < room.right && y > room.top && y < room.bottom;
    if (!isSeen) void setCenter(at.x, at.y, { zoom: getZoom(), duration: isStill ? 0 : 250 });
  });
  useEffect(() => {
    if (sought) show(sought);
  }, [sought]);
}
