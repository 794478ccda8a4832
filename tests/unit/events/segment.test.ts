/** One file of the journal. */
import { describe, expect, test } from '@jest/globals';
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FeedState } from '../../../src/events/feed-state.ts';
import type { Change } from '../../../src/events/model/event.ts';
import {
  eventLine,
  findEvent,
  readEvents,
  readState,
  segmentAt,
  stateLines,
  type Segment,
} from '../../../src/events/segment.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const at = '2026-01-02T03:04:05.000Z';
const note = (version: string): Change => ({ event: 'service', data: { change: 'started', at, version } });

/** A file that begins with these jobs and labs, and has these events, the first of them 10. */
function segmentWith(changes: readonly Change[], state = new FeedState()): Segment {
  const segment = segmentAt(mkdtempSync(path.join(root, 'events-')), 'abcdef01', 10);
  const lines = [...stateLines(state), ...changes.map((change, index) => eventLine(10 + index, change))];
  writeFileSync(segment.file, lines.join(''));
  return segment;
}

describe('a file', () => {
  test('keeps only the last events in memory', async () => {
    const { tail, last } = await readState(segmentWith(Array.from({ length: 50 }, () => note('1'))), 500);
    expect(last).toBe(59);
    expect(tail.at(-1)?.number).toBe(59);
    expect(tail.length).toBeLessThan(10);
  });

  test('is read in parts, from anywhere to its end', async () => {
    const count = 1_500;
    const segment = segmentWith(
      Array.from({ length: count }, (_, index) => note(`${index} ${'€'.repeat(40)}`)),
    );
    const numbers: number[] = [];
    let parts = 0;
    for (let offset = 0; ; parts += 1) {
      const part = await readEvents(segment, offset);
      numbers.push(...part.events.map(({ number }) => number));
      offset = part.nextOffset;
      if (part.isEnd) break;
    }
    expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index + 10));
    expect(parts).toBeGreaterThan(3);
    for (const number of [10, 700, 1_509]) {
      const offset = (await findEvent(segment, number)) ?? -1;
      const { events } = await readEvents(segment, offset);
      expect(events.map((event) => event.number)).toContain(number);
    }
    expect(await findEvent(segment, 9)).toBeUndefined();
    expect(await findEvent(segment, 151)).toBeDefined();
    expect(await findEvent(segment, 1_510)).toBeUndefined();
  });

  test('has what is behind its last line end not yet', async () => {
    const segment = segmentWith([note('1')]);
    const whole = await readEvents(segment, 0);
    const line = eventLine(11, note('2'));
    appendFileSync(segment.file, line.slice(0, -1));
    expect(await readEvents(segment, whole.nextOffset)).toEqual({
      events: [],
      nextOffset: whole.nextOffset,
      isEnd: true,
    });
    appendFileSync(segment.file, '\n');
    const next = await readEvents(segment, whole.nextOffset);
    expect(next).toMatchObject({ events: [{ number: 11 }], nextOffset: whole.nextOffset + line.length });
  });

  test('may have a line that is longer than a part', async () => {
    const segment = segmentWith([note('x'.repeat(300_000)), note('2')]);
    const head = await readEvents(segment, 0);
    const { events } = await readEvents(segment, head.nextOffset);
    expect([...head.events, ...events].map(({ number }) => number)).toEqual([10, 11]);
    expect((await readState(segment, 1_000_000)).last).toBe(11);
  });
});

describe('a file is damaged', () => {
  test('or gone, or a link', async () => {
    const segment = segmentWith([]);
    const link = `${segment.file}.link`;
    symlinkSync(segment.file, link);
    await expect(readEvents({ ...segment, file: link }, 0)).rejects.toThrow();
    rmSync(segment.file);
    await expect(readEvents(segment, 0)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
