/** Finds headings in the output of lab CLIs; the lines below a heading can be folded. */
import { plainText } from './ansi.ts';

/** 1 for a step of the lab CLI, 2 for an Ansible play, 3 for an Ansible task; 0 for no heading. */
export type Level = 0 | 1 | 2 | 3;

const headings: readonly (readonly [Level, RegExp])[] = [
  [2, /^PLAY (?:\[.*\]|RECAP) \*+$/],
  [3, /^(?:TASK|RUNNING HANDLER) \[.*\] \*+$/],
  // The way netlab prints Ansible tasks.
  [3, /^# .+ \*{3,}$/],
  // A test of `validate`: its name and description.
  [1, /^\[[a-z0-9_][\w.-]*\] +\S/],
  // "Creating nodes: 3 of 11" is progress within a step, not a heading.
  [
    1,
    /^(?:Checking|Cleanup|Collecting|Configuring|Creating|Deploying|Executing|Removing|Results of|Starting|Stopping|Validating) [^:]*$/,
  ],
];

/** The first bytes of possible headings, so that other lines need not be decoded: their first letters, `[`, `#` and ESC. */
const firstBytes: ReadonlySet<number> = new Set(new TextEncoder().encode('PTRCDESV[#\u001B'));

export function mayBeHeading(firstByte: number | undefined): boolean {
  return firstByte !== undefined && firstBytes.has(firstByte);
}

/** Headings are short: longer lines are skipped. */
const longest = 400;

export function levelOf(line: string): Level {
  if (line.length > longest) return 0;
  const text = plainText(line);
  return headings.find(([, pattern]) => pattern.test(text))?.[0] ?? 0;
}

interface Leveled {
  readonly level: Level;
  readonly offset: number;
}

/** The index after the last row of the group with the heading at `index`. */
export function groupEnd(rows: readonly Leveled[], index: number): number {
  const own = rows[index]?.level ?? 0;
  if (own === 0) return index + 1;
  let end = index + 1;
  while (end < rows.length) {
    const level = rows[end]?.level ?? 0;
    if (level !== 0 && level <= own) break;
    end += 1;
  }
  return end;
}

/** The indexes of the visible rows when the groups with headings at these offsets are folded; undefined for all rows. */
export function seenRows(
  rows: readonly Leveled[],
  folded: ReadonlySet<number>,
): readonly number[] | undefined {
  if (folded.size === 0) return undefined;
  const seen: number[] = [];
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index];
    seen.push(index);
    if (row && row.level !== 0 && folded.has(row.offset)) index = groupEnd(rows, index) - 1;
  }
  return seen;
}

const clockTime = /(?:^|[T\s[])([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:[.,](\d{1,3}))?/;
const dayMs = 24 * 3600 * 1000;

function clockMs(line: string): number | undefined {
  const match = clockTime.exec(line);
  if (!match) return undefined;
  const [, hours, minutes, seconds, fraction = '0'] = match;
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (whole + Number(`0.${fraction}`)) * 1000;
}

/** The duration of a group in ms: from a sentence in it, or from the times at the beginning of its lines. */
export function timeTaken(lines: readonly string[]): number | undefined {
  const plain = lines.map(plainText);
  const told = plain.map((line) => / in (\d+(?:\.\d+)?) seconds?$/.exec(line)?.[1]).findLast(Boolean);
  if (told !== undefined) return Number(told) * 1000;
  const times = plain.map(clockMs).filter((time) => time !== undefined);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined || times.length < 2) return undefined;
  return (last - first + dayMs) % dayMs;
}
