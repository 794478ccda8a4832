/** Runs the faults of a scenario, one after the other, and measures what each does to the streams. */
import { setTimeout as delay } from 'node:timers/promises';
import { deferred } from '../../lib/async/deferred.ts';
import type { Fault } from '../../labs/model/fault.ts';
import type { PlannedFault, ScenarioPlan } from '../model/scenario-plan.ts';
import type { FaultReport, FlowPath, StreamLoss } from '../model/scenario-report.ts';
import { seconds } from '../model/report-words.ts';
import { settledMs, type Probe } from './probe.ts';
import type { Loss } from './readings.ts';
import { Refused, type ServiceLink } from './service-link.ts';

const lookMs = 100;
/** A job that is canceled has 10 s to end, unless told otherwise. */
const healLimitMs = 3_000;
/** Between two runs of the tests: they take processor time that the probes need. */
const testPauseMs = 2_000;
const maxGaps = 100;
/** The service heals a fault that much later, should the scenario not do it. Two runs of tests and the paths take half of it. */
const spareSeconds = 180;
/** There is no lab any more in which a next fault could be set. */
const labIsGone: readonly string[] = ['instance-not-found', 'lab-not-up'];

/** It cannot go on; the message is for a person. */
class ScenarioStopped extends Error {
  override readonly name = 'ScenarioStopped';
}

interface RunDeps {
  readonly plan: ScenarioPlan;
  readonly probes: readonly Probe[];
  /** The paths of all streams; none unless they are asked for. */
  readonly pathsNow: () => Promise<readonly FlowPath[]>;
  readonly link: Pick<ServiceLink, 'ask' | 'lost'>;
  /** Aborted when it is canceled. */
  readonly canceled: AbortSignal;
  readonly say: (line: string) => void;
  /** Called after each fault. */
  readonly note: (report: FaultReport) => void;
}

function lossOf({ stream }: Probe, loss: Loss, sinceMs: number): StreamLoss {
  const { sent, lost, gaps, backMs, isAnswered } = loss;
  return {
    stream: stream.name,
    periodMs: stream.periodMs,
    sent,
    lost,
    outageMs: lost * stream.periodMs,
    longestGapMs: gaps.reduce((most, gap) => Math.max(most, gap.lost), 0) * stream.periodMs,
    recoveredAfterMs: backMs === null ? null : Math.round(backMs - sinceMs),
    isAnswered,
    gaps: gaps.slice(0, maxGaps).map((gap) => ({ fromMs: Math.round(gap.fromMs - sinceMs), lost: gap.lost })),
  };
}

interface Held {
  readonly setMs?: number;
  /** When its time was over: what is measured ends here, before the last tests and the paths. */
  readonly endMs?: number;
  readonly paths?: readonly FlowPath[];
  readonly refusal?: string;
  /** Of the tests that must pass while the fault stays. */
  readonly failures?: readonly string[];
}

export class ScenarioRun {
  readonly #deps: RunDeps;
  /** Rejects when the scenario is canceled. */
  readonly #untilCanceled: Promise<never>;

  constructor(deps: RunDeps) {
    this.#deps = deps;
    const { promise, reject } = deferred<never>();
    this.#untilCanceled = promise;
    promise.catch(() => undefined);
    deps.canceled.addEventListener('abort', () => reject(deps.canceled.reason as Error), { once: true });
  }

  /** @throws ScenarioStopped; AbortError when it is canceled. All faults are healed then, unless the service is away. */
  async run(): Promise<void> {
    const { plan, say } = this.#deps;
    const tests = plan.steadyTests.length > 0 ? ', and the tests pass' : '';
    say(`waiting until all flows are without loss for ${seconds(plan.steadyMs)}${tests}`);
    const startMs = Date.now();
    const why = await this.#whyNotSteady('before the first fault', startMs);
    if (why !== undefined) {
      // In the form of a verdict, so that CI systems show it.
      say(`FAIL steady state (${seconds(Date.now() - startMs)}): ${why}`);
      throw new ScenarioStopped(why);
    }
    for (const [index, fault] of plan.faults.entries()) {
      say(`[${index + 1}/${plan.faults.length}] ${fault.name}`);
      await this.#break(fault);
    }
  }

  async #break(fault: PlannedFault): Promise<void> {
    const { plan, probes, note, pathsNow } = this.#deps;
    const pathsBefore = await this.#unlessCanceled(pathsNow());
    const askMs = Date.now();
    for (const { readings } of probes) readings.forget(askMs - plan.steadyMs);
    const held = await this.#hold(fault);
    const { setMs = askMs, endMs = Date.now(), refusal, failures = [], paths = [] } = held;
    await this.#heal(fault);
    const healedMs = Date.now();
    const whyNotSteady = await this.#whyNotSteady(`after the heal of ${fault.name}`, healedMs);
    const steadyMs = Date.now() - settledMs;
    const streams = refusal === undefined ? this.#lossIn(setMs, endMs) : [];
    const reasons = [
      ...(refusal === undefined ? this.#reasonsOf(fault, streams, { setMs, healMs: endMs }) : [refusal]),
      ...failures,
      ...(whyNotSteady === undefined ? [] : [whyNotSteady]),
    ];
    note({
      fault: fault.name,
      verdict: reasons.length === 0 ? 'passed' : 'failed',
      reasons,
      setAt: new Date(setMs).toISOString(),
      heldMs: endMs - setMs,
      healedMs: whyNotSteady === undefined ? steadyMs - endMs : null,
      limitMs: fault.limitMs,
      streams,
      pathsBefore,
      paths,
      afterHeal: refusal === undefined ? this.#lossIn(healedMs, steadyMs) : [],
    });
    if (whyNotSteady !== undefined) throw new ScenarioStopped(whyNotSteady);
  }

  /** Why a fault breaks the rule, for each stream that does. */
  #reasonsOf(
    { limitMs }: PlannedFault,
    streams: readonly StreamLoss[],
    { setMs, healMs }: { readonly setMs: number; readonly healMs: number },
  ): readonly string[] {
    const heldMs = healMs - setMs;
    const { probes, plan } = this.#deps;
    const most = limitMs === null ? '' : `, at most ${seconds(limitMs)}`;
    return probes.flatMap((probe, index) => {
      const loss = streams[index];
      if (loss === undefined) return [];
      const { stream, outageMs, isAnswered } = loss;
      if (!isAnswered)
        return [`${stream} was still without traffic when the fault was healed after ${seconds(heldMs)}`];
      if (limitMs !== null)
        return outageMs > limitMs ? [`${stream} was ${seconds(outageMs)} without traffic${most}`] : [];
      const endMs = Math.min(plan.steadyMs, heldMs / 2);
      if (this.#isQuiet(probe, healMs - endMs, healMs)) return [];
      return [`${stream} still lost probes in the last ${seconds(endMs)} before the heal`];
    });
  }

  /** Sets the fault and waits; tells when that was, or why it could not be set. @throws as `run`, healed. */
  async #hold(fault: PlannedFault): Promise<Held> {
    const { plan, canceled } = this.#deps;
    const set = await this.#set(fault);
    if (set.refusal !== undefined) return set;
    try {
      const doneMs = Date.now();
      let failures: readonly string[] | undefined;
      while (failures?.length !== 0 && Date.now() < doneMs + plan.holdMs) {
        await delay(failures === undefined ? lookMs : testPauseMs, undefined, { signal: canceled });
        this.#assertProbes();
        if (fault.isSudden && this.#isSteady(doneMs)) failures = await this.#failures(plan.expectedTests);
      }
      const endMs = Date.now();
      failures ??= await this.#failures(plan.expectedTests);
      const paths = await this.#unlessCanceled(this.#deps.pathsNow());
      return { ...set, endMs, failures, paths };
    } catch (error) {
      await this.#healInTime(fault);
      throw error;
    }
  }

  async #set(fault: PlannedFault): Promise<Held> {
    const { plan, link } = this.#deps;
    const ttlSeconds = Math.ceil(plan.holdMs / 1_000) + spareSeconds;
    const set: Fault[] = [];
    try {
      for (const part of fault.parts)
        set.push((await link.ask({ ask: 'set', fault: { ...part, ttlSeconds } })) as Fault);
      return { setMs: Math.min(...set.map(({ setAt }) => Date.parse(setAt))) };
    } catch (error) {
      if (!(error instanceof Refused)) {
        await this.#healInTime(fault);
        throw error;
      }
      if (labIsGone.includes(error.code)) throw new ScenarioStopped(`the lab is gone: ${error.message}`);
      return { refusal: `it could not be set: ${error.message}` };
    }
  }

  /** For a scenario that ends now: what is left is healed by the service, when the job has ended. Never rejects. */
  async #healInTime(fault: PlannedFault): Promise<void> {
    const healed = this.#heal(fault).catch(() => undefined);
    await Promise.race([healed, delay(healLimitMs, undefined, { ref: false })]);
  }

  async #heal({ parts }: Pick<PlannedFault, 'parts'>): Promise<void> {
    try {
      for (const { link, node } of parts.toReversed())
        await this.#deps.link.ask({ ask: 'heal', target: { link, node } });
    } catch (error) {
      if (error instanceof Refused)
        throw new ScenarioStopped(`a fault could not be healed: ${error.message}`);
      throw error;
    }
  }

  /** Waits for the steady state; undefined when it comes in time. */
  async #whyNotSteady(when: string, sinceMs: number): Promise<string | undefined> {
    const { plan, canceled } = this.#deps;
    let failures: readonly string[] | undefined;
    while (Date.now() < sinceMs + plan.withinMs + settledMs) {
      await delay(lookMs, undefined, { signal: canceled });
      this.#assertProbes();
      if (!this.#isSteady(sinceMs)) {
        failures = undefined;
        continue;
      }
      failures = await this.#failures(plan.steadyTests);
      if (failures.length === 0) return undefined;
      await delay(testPauseMs, undefined, { signal: canceled });
    }
    const within = `within ${seconds(plan.withinMs)}`;
    if (failures !== undefined) return `${when}, tests did not pass ${within}: ${failures.join('; ')}`;
    const lossy = this.#lossIn(sinceMs, Date.now() - settledMs).filter(({ lost }) => lost > 0);
    const names = lossy.map(({ stream, lost, sent }) => `${stream} (${lost} of ${sent} probes lost)`);
    return `${when}, the flows were not without loss ${within}: ${names.join(', ') || 'no probe was sent'}`;
  }

  /** Runs tests of the lab; a sentence for each that failed. @throws AbortError; as the service. */
  async #failures(names: readonly string[]): Promise<readonly string[]> {
    if (names.length === 0) return [];
    return (await this.#unlessCanceled(this.#deps.link.ask({ ask: 'tests', names }))) as readonly string[];
  }

  async #unlessCanceled<T>(result: Promise<T>): Promise<T> {
    return Promise.race([result, this.#untilCanceled]);
  }

  /** Whether all streams have been without loss for as long as is asked for. */
  #isSteady(sinceMs: number): boolean {
    const { plan, probes } = this.#deps;
    const toMs = Date.now() - settledMs;
    const fromMs = toMs - plan.steadyMs;
    if (fromMs < sinceMs) return false;
    return probes.every((probe) => this.#isQuiet(probe, fromMs, toMs));
  }

  /** Whether a stream lost no more in that time than counts as none. */
  #isQuiet({ readings }: Probe, fromMs: number, toMs: number): boolean {
    const { sent, lost } = readings.lossIn(fromMs, toMs);
    return sent > 0 && (lost / sent) * 100 <= this.#deps.plan.lossPercent;
  }

  #lossIn(fromMs: number, toMs: number): readonly StreamLoss[] {
    return this.#deps.probes.map((probe) => lossOf(probe, probe.readings.lossIn(fromMs, toMs), fromMs));
  }

  /** @throws ScenarioStopped. */
  #assertProbes(): void {
    if (this.#deps.link.lost) throw this.#deps.link.lost;
    const why = this.#deps.probes.map(({ whyEnded }) => whyEnded).find((one) => one !== undefined);
    if (why !== undefined) throw new ScenarioStopped(why);
  }
}
