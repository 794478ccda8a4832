/** One file of the journal. */
import { describe, expect, test } from '@jest/globals';
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FeedState } from '../../../src/events/feed-state.ts';
import { eventJob } from '../../../src/events/job-steps.ts';
import type { Change } from '../../../src/events/model/event.ts';
import {
  eventId,
  eventLine,
  findEvent,
  parseEventId,
  readEvents,
  readState,
  segmentAt,
  segmentNamed,
  stateLines,
  type Segment,
} from '../../../src/events/segment.ts';
import { sampleId, sampleJob } from '../../support/sample-job.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const at = '2026-01-02T03:04:05.000Z';
const note = (version: string): Change => ({ event: 'service', data: { change: 'started', at, version } });
const lab = { instance: 'default', cli: 'netlab', directory: '/a', status: { nodes: {} } };

/** A file that begins with these jobs and labs, and has these events, the first of them 10. */
function segmentWith(changes: readonly Change[], state = new FeedState()): Segment {
  const segment = segmentAt(mkdtempSync(path.join(root, 'events-')), 'abcdef01', 10);
  const lines = [...stateLines(state), ...changes.map((change, index) => eventLine(10 + index, change))];
  writeFileSync(segment.file, lines.join(''));
  return segment;
}

describe('names', () => {
  test('of files tell the feed and the first number', () => {
    const segment = segmentAt('/events', 'abcdef01', 17);
    expect(segment).toEqual({ file: '/events/abcdef01.000000000000017.jsonl', feed: 'abcdef01', first: 17 });
    expect(segmentNamed('/events', path.basename(segment.file))).toEqual(segment);
  });

  test.each([
    'damaged',
    'abcdef0.17.jsonl',
    'abcdef012.17.jsonl',
    'ABCDEF01.17.jsonl',
    'abcdef01..jsonl',
    'abcdef01.1234567890123456.jsonl',
    'abcdef01.17.jsonl.tmp',
    'x-abcdef01.17.jsonl',
    'abcdef01.17xjsonl',
  ])('%s is not ours', (name) => expect(segmentNamed('/events', name)).toBeUndefined());

  test('of events tell the same', () => {
    expect(eventId('abcdef01', 17)).toBe('abcdef01-17');
    expect(parseEventId('abcdef01-17')).toEqual({ feed: 'abcdef01', number: 17 });
    expect(parseEventId('abcdef01-123456789012345')).toEqual({
      feed: 'abcdef01',
      number: 123_456_789_012_345,
    });
  });

  test.each([
    '',
    'abcdef01',
    'abcdef01-',
    'abcdef01-x',
    'abcdef0-1',
    'abcdef01-1x',
    'xabcdef01-1',
    'abcdef01-1234567890123456',
  ])('%j is no id', (id) => expect(parseEventId(id)).toBeUndefined());
});

describe('a file', () => {
  test('tells how things stand after its last event', async () => {
    const before = new FeedState();
    before.jobs.set(sampleId(1), eventJob(sampleJob({ state: 'running' })));
    before.labs.set('default', lab);
    before.remember(sampleId(1));
    const job = eventJob(sampleJob({ id: sampleId(2) }));
    const made: Change = { event: 'job', data: { change: 'created', at, job } };
    const ended: Change = {
      event: 'job',
      data: { change: 'state', at, job: eventJob(sampleJob({ state: 'failed' })) },
    };
    const segment = segmentWith([made, ended], before);
    const { state, last, tail } = await readState(segment, 10_000);
    expect([...state.jobs.values()]).toEqual([job]);
    expect([...state.labs.values()]).toEqual([lab]);
    expect(state.recent).toEqual([1, 2].map(sampleId));
    expect(last).toBe(11);
    expect(tail).toEqual([
      { number: 10, id: 'abcdef01-10', change: made, size: eventLine(10, made).length - 1 },
      { number: 11, id: 'abcdef01-11', change: ended, size: eventLine(11, ended).length - 1 },
    ]);
  });

  test('without an event ends before its first', async () => {
    expect(await readState(segmentWith([]), 1_000)).toMatchObject({ last: 9, tail: [] });
  });

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
  test.each([
    ['nonsense\n', 'has a line that is none of ours'],
    ['{"number":12}\n', 'has a line that is none of ours'],
    ['{"number":1.5,"change":{}}\n', 'has a line that is none of ours'],
    ['x'.repeat(5_000_000), 'never ends'],
  ])('with a line of another kind (case %#)', async (text, sentence) => {
    const segment = segmentWith([note('1')]);
    appendFileSync(segment.file, text);
    const reading = readState(segment, 1_000);
    await expect(reading).rejects.toThrow(segment.file);
    await expect(reading).rejects.toMatchObject({
      name: 'DamagedSegment',
      message: expect.stringContaining(sentence),
    });
  });

  test('without a head, or with that of another version', async () => {
    const segment = segmentWith([]);
    writeFileSync(segment.file, eventLine(10, note('1')));
    await expect(readState(segment, 1_000)).rejects.toThrow('has no head');
    writeFileSync(segment.file, '');
    await expect(readState(segment, 1_000)).rejects.toThrow('has no head');
    writeFileSync(segment.file, '{"file":"lab-api events","version":2,"recent":[]}\n');
    await expect(readState(segment, 1_000)).rejects.toThrow('none of ours');
  });

  test('or gone, or a link', async () => {
    const segment = segmentWith([]);
    const link = `${segment.file}.link`;
    symlinkSync(segment.file, link);
    await expect(readEvents({ ...segment, file: link }, 0)).rejects.toThrow();
    rmSync(segment.file);
    await expect(readEvents(segment, 0)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
