import type { NodeProps } from '@xyflow/react';
import { memo, type CSSProperties } from 'react';
import type { NodeState } from '../../../../../../src/client/api-types.ts';
import { networkTexts } from '../../../../../../src/labs/picture/graph-of.ts';
import { octagonPoints } from '../../../../../../src/labs/picture/outlines.ts';
import type { DeviceNode, NetworkNode } from './flow-graph.ts';
import classes from './picture.module.css';

interface Sized {
  readonly width: number;
  readonly height: number;
}

/** As in the pictures of the service: a router has round ends, a host corners, a bridge cut ones. */
function Outline({ role, width, height }: Sized & { readonly role: string | null }) {
  const inset = { x: 1, y: 1, width: width - 2, height: height - 2 };
  if (role === 'bridge')
    return (
      <polygon
        className={classes['outline']}
        points={octagonPoints({ ...inset, x: width / 2, y: height / 2 })}
      />
    );
  const rx = role === 'router' ? 23 : role === 'host' ? 3 : 12;
  return <rect className={classes['outline']} {...inset} rx={rx} />;
}

/** A tick in a disc, a cross in a square, a question in a ring: states are told apart without colours. */
export function StateMark({ state }: { readonly state: NodeState }) {
  return (
    <svg className={classes['mark']} data-state={state} viewBox="-10 -10 20 20" aria-hidden>
      {state === 'up' && (
        <>
          <circle r="8" />
          <path d="M-3.4 0.2L-0.9 2.8L3.6-2.6" />
        </>
      )}
      {state === 'down' && (
        <>
          <rect x="-8" y="-8" width="16" height="16" rx="3" />
          <path d="M-3-3L3 3M3-3L-3 3" />
        </>
      )}
      {state === 'unknown' && (
        <>
          <circle r="7" />
          <path d="M-2.2-1.6A2.2 2.2 0 1 1 0 0.9M0 3.4V3.5" />
        </>
      )}
    </svg>
  );
}

/** How large the name may be when the picture is small: as large as its box lets it. */
function largeName(name: string, width: number): CSSProperties {
  const size = Math.max(13, Math.min(26, (width - 12) / (name.length * 0.62)));
  return { ['--large' as string]: `${size}px` };
}

/**
 * Lines end in the middle of a box, and are seen from its border on. React Flow finds such places by these words; its own
 * component for them is for people who draw lines by hand, and two in each of 300 boxes take most of the time of a first look.
 */
const ends = <div className={`source target ${classes['end']}`} data-handlepos="top" />;

export const DeviceView = memo(function DeviceView({
  data: { node, state },
  width = 0,
  height = 0,
}: NodeProps<DeviceNode>) {
  return (
    <div className={classes['device']} data-role={node.role ?? 'other'} data-state={state}>
      <svg className={classes['shape']} width={width} height={height} aria-hidden>
        <Outline role={node.role} width={width} height={height} />
      </svg>
      <span className={classes['name']} style={largeName(node.name, width)}>
        {node.name}
      </span>{' '}
      {node.device !== null && <span className={classes['kind']}>{node.device}</span>}
      <StateMark state={state} />
      {ends}
    </div>
  );
});

export const NetworkView = memo(function NetworkView({ data: { link } }: NodeProps<NetworkNode>) {
  return (
    <div className={classes['network']} title={link.type}>
      {networkTexts(link).map((text) => (
        <span key={text}>{text}</span>
      ))}
      {ends}
    </div>
  );
});
