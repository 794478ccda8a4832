/**
 * One file of the journal: `FEED.NUMBER.jsonl`, NUMBER being the least that an event in it may have. Its first lines say
 * how things stood before its first event, so that a start reads the newest file only; each further line is an event.
 */
import path from 'node:path';
import * as z from 'zod';
import { openPlainFile } from '../lib/files/plain-file.ts';
import { FeedState } from './feed-state.ts';
import { RecentEvents } from './recent-events.ts';
import {
  changeSchema,
  eventJobSchema,
  eventLabSchema,
  type Change,
  type FeedEvent,
  labKey,
} from './model/event.ts';

export interface Segment {
  readonly file: string;
  readonly feed: string;
  readonly first: number;
}

const namePattern = /^([a-z0-9]{8})\.(\d{1,15})\.jsonl$/;

export function segmentAt(directory: string, feed: string, first: number): Segment {
  return { file: path.join(directory, `${feed}.${String(first).padStart(15, '0')}.jsonl`), feed, first };
}

/** Undefined for a file of another name, which is not ours. */
export function segmentNamed(directory: string, name: string): Segment | undefined {
  const [, feed, first] = namePattern.exec(name) ?? [];
  return feed === undefined ? undefined : { file: path.join(directory, name), feed, first: Number(first) };
}

export function eventId(feed: string, number: number): string {
  return `${feed}-${number}`;
}

/** Undefined for a text that is no id of ours. */
export function parseEventId(id: string): { readonly feed: string; readonly number: number } | undefined {
  const [, feed, number] = /^([a-z0-9]{8})-(\d{1,15})$/.exec(id) ?? [];
  return feed === undefined ? undefined : { feed, number: Number(number) };
}

/** Raise the version when a line means something else than it did: such a journal is begun anew. */
const headSchema = z.object({
  file: z.literal('lab-api events'),
  version: z.literal(1),
  recent: z.array(z.string()).readonly(),
});
const lineSchema = z.union([
  z.object({ number: z.int(), change: changeSchema }),
  z.object({ job: eventJobSchema }),
  z.object({ lab: eventLabSchema }),
  headSchema,
]);

function eventBeginning(number: number): string {
  return `{"number":${number},`;
}

export function eventLine(number: number, change: Change): string {
  return `${eventBeginning(number)}"change":${JSON.stringify(change)}}\n`;
}

/** The first lines of a file. */
export function* stateLines({ jobs, labs, recent }: FeedState): Generator<string> {
  yield `${JSON.stringify({ file: 'lab-api events', version: 1, recent } satisfies z.infer<typeof headSchema>)}\n`;
  for (const job of jobs.values()) yield `${JSON.stringify({ job })}\n`;
  for (const lab of labs.values()) yield `${JSON.stringify({ lab })}\n`;
}

/** The text says something that we never wrote, or is longer than anything that we wrote. */
class DamagedSegment extends Error {
  override readonly name = 'DamagedSegment';
}

const chunkBytes = 64 * 1024;
const longestLine = 1024 * 1024;

interface Lines {
  readonly lines: readonly string[];
  /** In bytes, behind the last of the lines. */
  readonly nextOffset: number;
}

/** Complete lines from `offset` on, a few at a time; none at the end. Text without a line end is not a line. */
async function readLines(file: string, offset: number): Promise<Lines> {
  const opened = await openPlainFile(file);
  if (opened.kind !== 'found') throw opened.error;
  try {
    for (let length = chunkBytes; ; length *= 4) {
      const { buffer, bytesRead } = await opened.handle.read(Buffer.alloc(length), 0, length, offset);
      const end = buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1;
      if (end > 0 || bytesRead < length) {
        const lines = buffer.toString('utf8', 0, end).split('\n').slice(0, -1);
        return { lines, nextOffset: offset + end };
      }
      if (length > longestLine) throw new DamagedSegment(`a line of ${file} never ends`);
    }
  } finally {
    await opened.handle.close();
  }
}

type Line = z.infer<typeof lineSchema>;

function parseLine(line: string, file: string): Line {
  try {
    return lineSchema.parse(JSON.parse(line));
  } catch (error) {
    throw new DamagedSegment(`${file} has a line that is none of ours`, { cause: error });
  }
}

type EventLine = Extract<Line, { readonly change: Change }>;

function eventOf({ number, change }: EventLine, feed: string, line: string): FeedEvent {
  return { number, id: eventId(feed, number), change, size: line.length };
}

interface Part {
  readonly events: readonly FeedEvent[];
  readonly nextOffset: number;
  readonly isEnd: boolean;
}

/** Some events from `offset` on. @throws Error when the file is gone or cannot be read, DamagedSegment. */
export async function readEvents({ file, feed }: Segment, offset: number): Promise<Part> {
  const { lines, nextOffset } = await readLines(file, offset);
  const events = lines.flatMap((line) => {
    const parsed = parseLine(line, file);
    return 'change' in parsed ? [eventOf(parsed, feed, line)] : [];
  });
  return { events, nextOffset, isEnd: lines.length === 0 };
}

/**
 * The offset of the part of the file that has the event of this number; undefined if there is none. The caller skips the
 * events before it. Compares texts without parsing, because it searches whole files. @throws as `readEvents`.
 */
export async function findEvent({ file }: Segment, number: number): Promise<number | undefined> {
  const beginning = eventBeginning(number);
  for (let offset = 0; ;) {
    const { lines, nextOffset } = await readLines(file, offset);
    if (lines.length === 0) return undefined;
    if (lines.some((line) => line.startsWith(beginning))) return offset;
    offset = nextOffset;
  }
}

interface State {
  readonly state: FeedState;
  /** Number of the last event. */
  readonly last: number;
  /** The last events, as many as were asked for. */
  readonly tail: readonly FeedEvent[];
}

function takeLine(line: Line, state: FeedState): void {
  if ('change' in line) state.apply(line.change);
  else if ('job' in line) state.jobs.set(line.job.id, line.job);
  else if ('lab' in line) state.labs.set(labKey(line.lab), line.lab);
  else for (const id of line.recent) state.remember(id);
}

/** How things stand after the last event of the file. @throws as `readEvents`. */
export async function readState({ file, feed, first }: Segment, tailBytes: number): Promise<State> {
  const state = new FeedState();
  const tail = new RecentEvents(tailBytes);
  let last = first - 1;
  let hasHead = false;
  for (let offset = 0; ;) {
    const { lines, nextOffset } = await readLines(file, offset);
    if (lines.length === 0) break;
    for (const line of lines) {
      const parsed = parseLine(line, file);
      hasHead ||= 'recent' in parsed;
      takeLine(parsed, state);
      if (!('change' in parsed)) continue;
      tail.add(eventOf(parsed, feed, line));
      last = parsed.number;
    }
    offset = nextOffset;
  }
  if (!hasHead) throw new DamagedSegment(`${file} has no head`);
  return { state, last, tail: tail.all };
}
