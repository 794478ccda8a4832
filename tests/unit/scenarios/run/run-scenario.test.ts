/** The course and the verdicts of a scenario, with probes whose losses are made up. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Question } from '../../../../src/scenarios/model/link-messages.ts';
import type { PlannedFault, ScenarioPlan } from '../../../../src/scenarios/model/scenario-plan.ts';
import type { FaultReport } from '../../../../src/scenarios/model/scenario-report.ts';
import { ScenarioRun } from '../../../../src/scenarios/run/run-scenario.ts';
import { Refused } from '../../../../src/scenarios/run/service-link.ts';

const periodMs = 10;
const stream = { name: 'a → b IPv4', from: 'a', address: '10.0.0.2', source: null, periodMs };
const part = {
  link: '1',
  node: null,
  kind: 'down',
  process: null,
  impairment: null,
  ttlSeconds: undefined,
} as const;
const fault: PlannedFault = { name: 'a-b down', parts: [part], limitMs: null, isSudden: true };
const plan = {
  title: '',
  streams: [stream],
  holdMs: 1_500,
  steadyMs: 200,
  withinMs: 1_000,
  lossPercent: 0,
  captures: [],
  paths: null,
  steadyTests: [],
  expectedTests: [],
};

let asked: string[];
let reports: FaultReport[];
let lines: string[];
/** When the first fault was set, and when it was healed. */
let setMs: number;
let healedMs: number;
let canceled: AbortController;
let lost: Error | undefined;
/** Whether a probe is lost that is sent at that time. */
let isLost: (ms: number) => boolean;
let answer: (question: Question) => Error | undefined;
/** Of the tests of the lab. */
let failures: () => readonly string[] | Promise<readonly string[]>;

beforeEach(() => {
  [asked, reports, lines, lost] = [[], [], [], undefined];
  [setMs, healedMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  canceled = new AbortController();
  isLost = () => false;
  answer = () => undefined;
  failures = () => [];
});

/** As `Readings` has it, for a probe at each whole period. */
function lossIn(fromMs: number, toMs: number) {
  const gaps: { fromMs: number; lost: number }[] = [];
  let [sent, backMs, wasLost] = [0, null as number | null, false];
  for (let ms = Math.ceil(fromMs / periodMs) * periodMs; ms < toMs; ms += periodMs) {
    sent += 1;
    const last = gaps.at(-1);
    if (!isLost(ms)) backMs = wasLost ? ms : backMs;
    else if (wasLost && last) last.lost += 1;
    else gaps.push({ fromMs: ms, lost: 1 });
    if (isLost(ms)) backMs = null;
    wasLost = isLost(ms);
  }
  const all = gaps.reduce((sum, gap) => sum + gap.lost, 0);
  return { sent, lost: all, gaps, backMs, isAnswered: sent > 0 && (all === 0 || backMs !== null) };
}

async function run(faults: readonly PlannedFault[], changes: Partial<ScenarioPlan> = {}): Promise<void> {
  const ask = async (question: Question): Promise<unknown> => {
    asked.push(question.ask);
    const error = answer(question);
    if (error) throw error;
    if (question.ask === 'tests') return failures();
    if (question.ask === 'set') setMs = Math.min(setMs, Date.now());
    else healedMs = Math.min(healedMs, Date.now());
    return Promise.resolve({ setAt: new Date().toISOString() });
  };
  const probe = { stream, whyEnded: undefined, readings: { lossIn, forget: () => undefined } };
  await new ScenarioRun({
    plan: { ...plan, faults, ...changes },
    probes: [probe as never],
    pathsNow: async () =>
      Promise.resolve([{ stream: stream.name, hops: [asked.at(-1) ?? 'before'], isWhole: true }]),
    link: {
      ask,
      get lost() {
        return lost;
      },
    },
    canceled: canceled.signal,
    say: (line) => lines.push(line),
    note: (report) => reports.push(report),
  }).run();
}

/** From the fault until that long after it. */
const lostFor =
  (outageMs: number) =>
  (ms: number): boolean =>
    ms >= setMs && ms < setMs + outageMs && ms < healedMs;

describe('a fault', () => {
  it('passes when the traffic is back in time, and is healed early', async () => {
    isLost = lostFor(300);
    await run([{ ...fault, limitMs: 500 }]);
    expect(reports).toMatchObject([{ fault: 'a-b down', verdict: 'passed', reasons: [] }]);
    expect(reports[0]?.heldMs).toBeLessThan(plan.holdMs);
    expect(reports).toMatchObject([{ pathsBefore: [{ hops: ['before'] }], paths: [{ hops: ['set'] }] }]);
    expect(reports[0]?.streams[0]?.outageMs).toBeGreaterThan(200);
    expect(asked).toEqual(['set', 'heal']);
  });

  it.each([
    ['longer than allowed', 300, 100, /^a → b IPv4 was 0\.\d\d s without traffic, at most 0\.10 s$/],
    [
      'not back',
      10_000,
      500,
      /^a → b IPv4 was still without traffic when the fault was healed after 1\.\d\d s$/,
    ],
    ['not back, without a limit', 10_000, null, /^a → b IPv4 was still without traffic/],
  ])('fails when the traffic is %s', async (_name, outageMs, limitMs, reason) => {
    isLost = lostFor(outageMs);
    await run([{ ...fault, limitMs }]);
    expect(reports).toMatchObject([{ verdict: 'failed', reasons: [expect.stringMatching(reason)] }]);
  });

  it('fails when probes come back now and then, and no limit is given', async () => {
    isLost = (ms) => ms >= setMs && ms < healedMs && (ms / periodMs) % 3 !== 0;
    await run([fault]);
    const [reason] = reports[0]?.reasons ?? [];
    // The last probe may be one of those that were answered.
    expect(reason).toMatch(/still (lost probes in the last 0\.20 s before the heal|without traffic)/);
  });

  it('stays for the whole time when routers may notice it late', async () => {
    await run([{ ...fault, isSudden: false }]);
    expect(reports).toMatchObject([{ verdict: 'passed' }]);
    expect(reports[0]?.heldMs).toBeGreaterThanOrEqual(plan.holdMs);
  });

  it('that cannot be set fails, is healed all the same, and the next one is run', async () => {
    let sets = 0;
    answer = ({ ask }) => {
      sets += ask === 'set' ? 1 : 0;
      return ask === 'set' && sets === 1
        ? new Refused({ code: 'not-supported', message: 'no nft' })
        : undefined;
    };
    await run([fault, { ...fault, name: 'other' }]);
    expect(reports).toMatchObject([
      { verdict: 'failed', reasons: ['it could not be set: no nft'], streams: [], afterHeal: [] },
      { fault: 'other', verdict: 'passed' },
    ]);
    expect(asked).toEqual(['set', 'heal', 'set', 'heal']);
  });
});

describe('the tests of the lab', () => {
  const tested = { steadyTests: ['steady'], expectedTests: ['expected'], withinMs: 1_000 };

  it('are run in the steady state, and when the flows are back', async () => {
    await run([fault], tested);
    expect(reports).toMatchObject([{ verdict: 'passed' }]);
    expect(asked).toEqual(['tests', 'set', 'tests', 'heal', 'tests']);
  });

  it('are run again until they pass, as long as the fault stays', async () => {
    failures = () => (asked.filter((ask) => ask === 'tests').length < 3 ? ['the test expected failed'] : []);
    await run([fault], { ...tested, steadyTests: [], holdMs: 10_000 });
    expect(reports).toMatchObject([{ verdict: 'passed' }]);
    expect(asked).toEqual(['set', 'tests', 'tests', 'tests', 'heal']);
    expect(reports[0]?.heldMs).toBeLessThan(10_000);
  });

  it('fail the fault when they never pass', async () => {
    failures = () => ['the test expected failed: r1'];
    await run([{ ...fault, isSudden: false }], { ...tested, steadyTests: [] });
    expect(reports).toMatchObject([{ verdict: 'failed', reasons: ['the test expected failed: r1'] }]);
  });

  it('keep the scenario from its first fault', async () => {
    failures = () => ['the test steady failed'];
    const sentence = 'before the first fault, tests did not pass within 1.00 s: the test steady failed';
    await expect(run([fault], tested)).rejects.toThrow(sentence);
    expect(asked).not.toContain('set');
  });

  it('do not delay its end when it is canceled', async () => {
    failures = async () => {
      canceled.abort();
      return new Promise(() => undefined);
    };
    await expect(run([fault], { ...tested, steadyTests: [] })).rejects.toMatchObject({ name: 'AbortError' });
    expect(asked).toEqual(['set', 'tests', 'heal']);
  });
});

describe('a scenario', () => {
  it('stops without a steady state, before any fault', async () => {
    isLost = () => true;
    await expect(run([fault])).rejects.toThrow(/^before the first fault/);
    expect(asked).toEqual([]);
    expect(lines.at(-1)).toMatch(
      /^FAIL steady state \(\d\.\d\d s\): before the first fault, the flows were not/,
    );
  });

  it('stops when the steady state does not come back', async () => {
    isLost = (ms) => ms >= setMs;
    const sentence = /^after the heal of a-b down, the flows were not without loss within 1\.00 s/;
    await expect(run([fault, fault])).rejects.toThrow(sentence);
    expect(reports).toMatchObject([{ verdict: 'failed', healedMs: null }]);
  });

  it.each([
    ['set', 'lab-not-up', 'the lab is gone: away'],
    ['heal', 'lab-cli-failed', 'a fault could not be healed: away'],
  ])('stops when %s is refused with %s', async (what, code, message) => {
    answer = ({ ask }) => (ask === what ? new Refused({ code, message: 'away' }) : undefined);
    await expect(run([fault, fault])).rejects.toThrow(message);
  });

  it('heals when it is canceled, and when the service is lost', async () => {
    answer = ({ ask }) => {
      if (ask === 'set') canceled.abort();
      return undefined;
    };
    await expect(run([fault])).rejects.toMatchObject({ name: 'AbortError' });
    expect(asked).toEqual(['set', 'heal']);
    asked = [];
    canceled = new AbortController();
    answer = ({ ask }) => {
      if (ask === 'set') lost = new Error('the service did not come back');
      return undefined;
    };
    await expect(run([fault])).rejects.toThrow('the service did not come back');
    expect(asked).toEqual(['set', 'heal']);
    expect(reports).toEqual([]);
  });
});
