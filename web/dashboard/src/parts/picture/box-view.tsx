import type { NodeProps } from '@xyflow/react';
import { memo, type CSSProperties } from 'react';
import type { DrawnState } from '../../../../../src/labs/picture/words.ts';
import type { Point } from '../../../../../src/labs/picture/picture.ts';
import { networkTexts } from '../../../../../src/labs/picture/graph-of.ts';
import { octagonPoints } from '../../../../../src/labs/picture/outlines.ts';
import type { DeviceNode, NetworkNode } from './flow-graph.ts';
import classes from './picture.module.css';

interface Sized {
  readonly width: number;
  readonly height: number;
}

/** The same shapes as in the pictures of the service: routers are rounded, hosts square, bridges octagonal. */
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

/** A tick in a disc, the hands of a clock in a ring, a cross in a square, a question mark in a ring: states differ without colours. */
export function StateMark({ state }: { readonly state: DrawnState }) {
  return (
    <svg className={classes['mark']} data-state={state} viewBox="-10 -10 20 20" aria-hidden>
      {state === 'up' && (
        <>
          <circle r="8" />
          <path d="M-3.4 0.2L-0.9 2.8L3.6-2.6" />
        </>
      )}
      {state === 'late' && (
        <>
          <circle r="7.5" />
          <path d="M0-4V0L3 1.8" />
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

/** An exclamation mark in a triangle. Without a place, it stands at the corner of its box. */
export function ProblemMark({ at }: { readonly at?: Point }) {
  return (
    <svg
      className={classes['problem']}
      {...(at && { x: at.x - 11, y: at.y - 11 })}
      width="22"
      height="22"
      viewBox="-11 -11 22 22"
      aria-hidden
    >
      <path d="M0-8L8.5 7H-8.5Z" />
      <path d="M0-3V2M0 4.4V4.5" />
    </svg>
  );
}

/** The font size of the name when the picture is small: as large as the box allows. */
function largeName(name: string, width: number): CSSProperties {
  const size = Math.max(13, Math.min(26, (width - 12) / (name.length * 0.62)));
  return { ['--large' as string]: `${size}px` };
}

/**
 * Lines end in the middle of a box. React Flow finds these handles by their classes, once the box is measured; before, it has those
 * of `boxesOf`. Its own component is made for drawing lines by hand, and two of them in each of 300 boxes take most of the time of
 * the first drawing.
 */
const ends = <div className={`source target ${classes['end']}`} data-handlepos="top" />;

export const DeviceView = memo(function DeviceView({
  data: { node, state, fault, problem },
  width = 0,
  height = 0,
}: NodeProps<DeviceNode>) {
  return (
    <div
      className={classes['device']}
      data-role={node.role ?? 'other'}
      data-state={state}
      data-broken={fault !== undefined || undefined}
      data-wrong={problem !== undefined || undefined}
      title={problem}
    >
      <svg className={classes['shape']} width={width} height={height} aria-hidden>
        <Outline role={node.role} width={width} height={height} />
      </svg>
      <span className={classes['name']} style={largeName(node.name, width)}>
        {node.name}
      </span>{' '}
      {(fault ?? node.device) !== null && <span className={classes['kind']}>{fault ?? node.device}</span>}
      {state && <StateMark state={state} />}
      {problem !== undefined && <ProblemMark />}
      {ends}
    </div>
  );
});

export const NetworkView = memo(function NetworkView({ data: { link, problem } }: NodeProps<NetworkNode>) {
  return (
    <div
      className={classes['network']}
      data-wrong={problem !== undefined || undefined}
      title={problem ?? link.type}
    >
      {networkTexts(link).map((text) => (
        <span key={text}>{text}</span>
      ))}
      {problem !== undefined && <ProblemMark />}
      {ends}
    </div>
  );
});
