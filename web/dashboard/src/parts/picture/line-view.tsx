import type { EdgeProps } from '@xyflow/react';
import { Fragment, memo } from 'react';
import { pathOf } from '../../../../../src/labs/picture/outlines.ts';
import type { PlacedText, Point } from '../../../../../src/labs/picture/picture.ts';
import { straightPath } from '../../../../../src/labs/picture/place.ts';
import { labelLineHeight } from '../../../../../src/labs/picture/text-size.ts';
import { thinnest, type LineEdge, type LineTraffic } from './flow-graph.ts';
import { ProblemMark } from './box-view.tsx';
import { middleOf } from './middle-of.ts';
import classes from './picture.module.css';

/** Measured positions are not exact. */
const tolerance = 1.5;

const isAt = (box: Point, x: number, y: number): boolean =>
  Math.abs(box.x - x) < tolerance && Math.abs(box.y - y) < tolerance;

/** The spaces are not drawn: without them, its words would be one word for screen readers. */
function EndText({
  text: { at, angle, above, below },
  lift,
}: {
  readonly text: PlacedText;
  /** Half of the width that the line has more than usual. */
  readonly lift: number;
}) {
  return (
    <g transform={`translate(${at.x} ${at.y}) rotate(${angle})`}>
      <text className={`${classes['text']} ${classes['interface']}`} y={-3.5 - lift}>
        {above}
      </text>{' '}
      {below.map((words, index) => (
        <Fragment key={words}>
          <text className={classes['text']} y={(index + 1) * labelLineHeight - 1.5}>
            {words}
          </text>{' '}
        </Fragment>
      ))}
    </g>
  );
}

/** Below the line, which may be thick. */
function RateText({ traffic: { words, width }, points }: { traffic: LineTraffic; points: readonly Point[] }) {
  const { at, angle } = middleOf(points);
  return (
    <g transform={`translate(${at.x} ${at.y}) rotate(${angle})`}>
      <text className={`${classes['text']} ${classes['rate']}`} y={width / 2 + 9}>
        {words}
      </text>
    </g>
  );
}

/** A line with the interface names and addresses at its ends. While a box at its end is dragged, it is straight and without text. */
export const LineView = memo(function LineView(props: EdgeProps<LineEdge>) {
  const { data, sourceX, sourceY, targetX, targetY } = props;
  if (data === undefined) return null;
  const { points, texts, shift, from, to, traffic, problem } = data;
  const isPlaced = isAt(from, sourceX, sourceY) && isAt(to, targetX, targetY);
  const shown = isPlaced
    ? points
    : straightPath({ ...from, x: sourceX, y: sourceY }, { ...to, x: targetX, y: targetY }, shift);
  const path = pathOf(shown);
  const lift = traffic ? (traffic.width - thinnest) / 2 : 0;
  return (
    <>
      {problem !== undefined && <title>{problem}</title>}
      <path
        className={classes['line']}
        d={path}
        style={traffic && { ['--width' as string]: `${traffic.width.toFixed(1)}px` }}
      />
      <path className={classes['reach']} d={path} />
      {isPlaced && texts.map((text) => <EndText key={`${text.at.x} ${text.at.y}`} text={text} lift={lift} />)}
      {problem !== undefined && <ProblemMark at={middleOf(shown).at} />}
      {traffic && <RateText traffic={traffic} points={shown} />}
    </>
  );
});
