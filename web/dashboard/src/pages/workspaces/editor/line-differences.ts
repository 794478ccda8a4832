/** Compares two texts line by line. */

export interface DifferingLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** Whether the other text does not have this line. */
  readonly isOwn: boolean;
}

/** A table of this size takes some milliseconds; for a larger one, all lines in between count as different. */
const cellsMax = 4_000_000;

const sharedAtStart = (one: readonly string[], other: readonly string[]): number => {
  const end = Math.min(one.length, other.length);
  let count = 0;
  while (count < end && one[count] === other[count]) count += 1;
  return count;
};

/** The length of the longest common subsequence from each position on. */
function commonLengths(one: readonly string[], other: readonly string[]): Uint32Array {
  const width = other.length + 1;
  const table = new Uint32Array((one.length + 1) * width);
  const at = (row: number, column: number): number => table[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row -= 1)
    for (let column = other.length - 1; column >= 0; column -= 1)
      table[row * width + column] =
        one[row] === other[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  return table;
}

/** The indexes of the common lines, in order. */
function commonLines(
  one: readonly string[],
  other: readonly string[],
): { own: Set<number>; others: Set<number> } {
  const [own, others] = [new Set<number>(), new Set<number>()];
  if (one.length * other.length > cellsMax) return { own, others };
  const width = other.length + 1;
  const table = commonLengths(one, other);
  let [row, column] = [0, 0];
  while (row < one.length && column < other.length) {
    if (one[row] === other[column]) {
      own.add(row);
      others.add(column);
      row += 1;
      column += 1;
    } else if ((table[(row + 1) * width + column] ?? 0) >= (table[row * width + column + 1] ?? 0)) row += 1;
    else column += 1;
  }
  return { own, others };
}

/** The lines of both texts; lines of only one text are marked. */
export function lineDifferences(
  one: string,
  other: string,
): { readonly one: readonly DifferingLine[]; readonly other: readonly DifferingLine[] } {
  const [first, second] = [one.split(/\r?\n/), other.split(/\r?\n/)];
  const start = sharedAtStart(first, second);
  const end = sharedAtStart(first.slice(start).toReversed(), second.slice(start).toReversed());
  const middle = (lines: readonly string[]): readonly string[] => lines.slice(start, lines.length - end);
  const { own, others } = commonLines(middle(first), middle(second));
  const marked = (lines: readonly string[], common: ReadonlySet<number>): DifferingLine[] =>
    lines.map((text, index) => ({
      number: index + 1,
      text,
      isOwn: index >= start && index < lines.length - end && !common.has(index - start),
    }));
  return { one: marked(first, own), other: marked(second, others) };
}
