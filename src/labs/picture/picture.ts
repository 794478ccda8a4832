/** `picture/` makes a picture of a topology: `graph-of` says what is drawn, `lay-out` (in a thread of its own) where, `draw-svg` how. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A node, or a network that is no line between two nodes: one with a single node, or with more than two. */
export interface Box extends Size {
  /** `n:` and the name of a node, or `l:` and the id of a link. */
  readonly id: string;
  /** How far it is from a host: what is far is drawn on the left. Undefined where that says nothing. */
  readonly rank: number | undefined;
}

/** The texts at an end of a line: one above and one below it, so that both are read along the line. */
export interface EndText {
  readonly above: string;
  readonly below: readonly string[];
}

/** A line between two boxes. */
export interface Line {
  /** The ids of boxes. */
  readonly from: string;
  readonly to: string;
  /** Undefined where nothing is to be said: where a line meets a network. */
  readonly fromText: EndText | undefined;
  readonly toText: EndText | undefined;
}

export interface Graph {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

/** Where the middles of boxes are, by their ids. */
export type Positions = Readonly<Record<string, Point>>;

export interface PlacedText extends EndText {
  /** The middle of the text, on the line. */
  readonly at: Point;
  /** Degrees clockwise; between -90 and 90, so that nothing stands on its head. */
  readonly angle: number;
}

export interface PlacedLine {
  readonly points: readonly Point[];
  readonly texts: readonly PlacedText[];
}

/** Where everything is; boxes and lines stand in the order of the graph. */
export interface Placed extends Size {
  /** The middles of the boxes, with their sizes: one with many lines grows. */
  readonly boxes: readonly (Point & Size)[];
  readonly lines: readonly PlacedLine[];
}
