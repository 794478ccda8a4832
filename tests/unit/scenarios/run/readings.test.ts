import { describe, expect, it } from '@jest/globals';
import { Readings } from '../../../../src/scenarios/run/readings.ts';

const periodMs = 20;
const startMs = 1_000_000;

const sentMs = (sequence: number): number => startMs + sequence * periodMs;

/** Probes from the first to the last, without those that are lost. */
function readings(count: number, isLost: (sequence: number) => boolean = () => false): Readings {
  const made = new Readings(periodMs, startMs);
  for (let sequence = 0; sequence < count; sequence += 1)
    if (!isLost(sequence)) made.add({ sequence, sentMs: sentMs(sequence) });
  return made;
}

const between =
  (from: number, to: number) =>
  (sequence: number): boolean =>
    sequence >= from && sequence < to;

describe('the loss of a stream', () => {
  it('is none while every probe is answered', () => {
    const loss = readings(100).lossIn(sentMs(10), sentMs(60));
    expect(loss).toEqual({ sent: 50, lost: 0, gaps: [], backMs: null, isAnswered: true });
  });

  it.each([
    ['one second', 50],
    ['a tenth of a second', 5],
    ['one probe', 1],
  ])('is as long as the outage: %s', (_name, lost) => {
    const { gaps, ...loss } = readings(300, between(100, 100 + lost)).lossIn(sentMs(90), sentMs(200));
    expect(loss).toEqual({ sent: 110, lost, backMs: sentMs(100 + lost), isAnswered: true });
    expect(gaps).toEqual([{ fromMs: sentMs(100), lost }]);
  });

  it('counts several gaps, and each by itself', () => {
    const isLost = (sequence: number): boolean => between(20, 30)(sequence) || between(40, 42)(sequence);
    const { lost, gaps, backMs } = readings(100, isLost).lossIn(sentMs(0), sentMs(90));
    expect({ lost, backMs }).toEqual({ lost: 12, backMs: sentMs(42) });
    expect(gaps.map((gap) => gap.lost)).toEqual([10, 2]);
  });

  it('has only the part of a gap that is in the window', () => {
    const { sent, lost } = readings(100, between(20, 40)).lossIn(sentMs(30), sentMs(50));
    expect({ sent, lost }).toEqual({ sent: 20, lost: 10 });
  });

  it('does not end while nothing comes back, nor by a reply after the window', () => {
    const silent = readings(20).lossIn(sentMs(10), sentMs(60));
    expect(silent).toMatchObject({ sent: 50, lost: 40, backMs: null, isAnswered: false });
    const later = readings(100, between(20, 70)).lossIn(sentMs(10), sentMs(60));
    expect(later).toMatchObject({ sent: 50, lost: 40, backMs: null, isAnswered: false });
  });

  it('is everything when no probe was ever answered', () => {
    const loss = new Readings(periodMs, startMs).lossIn(startMs, startMs + 1_000);
    expect(loss).toMatchObject({ sent: 50, lost: 50, isAnswered: false });
  });

  it('is no answer where no probe was sent', () => {
    expect(readings(50).lossIn(sentMs(10) + 1, sentMs(11))).toMatchObject({ sent: 0, isAnswered: false });
  });

  it('counts no reply twice, and none as lost because it came late', () => {
    const made = readings(50, between(20, 22));
    for (const sequence of [21, 20, 21, 5]) made.add({ sequence, sentMs: sentMs(sequence) });
    expect(made.lossIn(sentMs(0), sentMs(50))).toMatchObject({ sent: 50, lost: 0 });
  });

  it('is the same when what was before is forgotten, in the middle of a gap too', () => {
    const made = readings(200, between(90, 110));
    const window = [sentMs(100), sentMs(150)] as const;
    const before = made.lossIn(...window);
    made.forget(sentMs(100));
    expect(made.lossIn(...window)).toEqual(before);
    expect(before).toMatchObject({ sent: 50, lost: 10 });
  });
});
