/** Runs the faults of a scenario, one after the other, and measures what each does to the streams. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from '../../labs/model/fault.ts';
import type { PlannedFault, ScenarioPlan } from '../model/scenario-plan.ts';
import type { FaultReport, StreamLoss } from '../model/scenario-report.ts';
import { seconds } from '../model/report-words.ts';
import { settledMs, type Probe } from './probe.ts';
import type { Loss } from './readings.ts';
import { Refused, type ServiceLink } from './service-link.ts';

const lookMs = 200;
const maxGaps = 100;
/** The service heals a fault that much later, should the scenario not do it. */
const spareSeconds = 60;
/** There is no lab any more in which a next fault could be set. */
const labIsGone: readonly string[] = ['instance-not-found', 'lab-not-up'];

/** It cannot go on; the message is for a person. */
class ScenarioStopped extends Error {
  override readonly name = 'ScenarioStopped';
}

interface RunDeps {
  readonly plan: ScenarioPlan;
  readonly probes: readonly Probe[];
  readonly link: Pick<ServiceLink, 'ask'>;
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
    longestGapMs: Math.max(0, ...gaps.map((gap) => gap.lost)) * stream.periodMs,
    recoveredAfterMs: backMs === null ? null : Math.round(backMs - sinceMs),
    isAnswered,
    gaps: gaps.slice(0, maxGaps).map((gap) => ({ fromMs: Math.round(gap.fromMs - sinceMs), lost: gap.lost })),
  };
}

/** Why a fault breaks the rule, for each stream that does. */
function reasonsOf(limitMs: number | null, streams: readonly StreamLoss[]): readonly string[] {
  return streams.flatMap(({ stream, outageMs, isAnswered }) => {
    const most = limitMs === null ? '' : `, at most ${seconds(limitMs)}`;
    if (!isAnswered)
      return [`${stream} was ${seconds(outageMs)} without traffic and not back before the heal${most}`];
    if (limitMs === null || outageMs <= limitMs) return [];
    return [`${stream} was ${seconds(outageMs)} without traffic${most}`];
  });
}

export class ScenarioRun {
  readonly #deps: RunDeps;

  constructor(deps: RunDeps) {
    this.#deps = deps;
  }

  /** @throws ScenarioStopped; AbortError when it is canceled. All faults are healed then, unless the service is away. */
  async run(): Promise<void> {
    const { plan, say } = this.#deps;
    say(`waiting until all flows are without loss for ${seconds(plan.steadyMs)}`);
    const startMs = Date.now();
    if (!(await this.#steady(startMs)))
      throw new ScenarioStopped(this.#whyNotSteady('before the first fault', startMs));
    for (const [index, fault] of plan.faults.entries()) {
      say(`[${index + 1}/${plan.faults.length}] ${fault.name}`);
      await this.#break(fault);
    }
  }

  async #break(fault: PlannedFault): Promise<void> {
    const askMs = Date.now();
    for (const { readings } of this.#deps.probes) readings.forget(askMs - this.#deps.plan.steadyMs);
    const { setMs = askMs, refusal } = await this.#hold(fault);
    const healMs = Date.now();
    await this.#heal(fault);
    const isSteady = await this.#steady(healMs);
    const endMs = Date.now() - settledMs;
    const streams = this.#lossIn(setMs, healMs);
    const reasons = refusal === undefined ? reasonsOf(fault.limitMs, streams) : [refusal];
    const notBack = isSteady ? [] : [this.#whyNotSteady('after the heal', healMs)];
    const all = [...reasons, ...notBack];
    this.#deps.note({
      fault: fault.name,
      verdict: all.length === 0 ? 'passed' : 'failed',
      reasons: all,
      setAt: new Date(setMs).toISOString(),
      heldMs: healMs - setMs,
      healedMs: isSteady ? endMs - healMs : null,
      limitMs: fault.limitMs,
      streams,
      afterHeal: this.#lossIn(healMs, endMs),
    });
    if (!isSteady) throw new ScenarioStopped(this.#whyNotSteady(`after the heal of ${fault.name}`, healMs));
  }

  /** Sets the fault and waits; tells when that was, or why it could not be set. @throws as `run`, healed. */
  async #hold({
    parts,
    isSudden,
  }: PlannedFault): Promise<{ readonly setMs?: number; readonly refusal?: string }> {
    const { plan, link, canceled } = this.#deps;
    const ttlSeconds = Math.ceil(plan.holdMs / 1_000) + spareSeconds;
    try {
      const set: Fault[] = [];
      for (const part of parts)
        set.push((await link.ask({ ask: 'set', fault: { ...part, ttlSeconds } })) as Fault);
      const setMs = Math.min(...set.map(({ setAt }) => Date.parse(setAt)));
      const doneMs = Date.now();
      while (Date.now() < doneMs + plan.holdMs) {
        await delay(lookMs, undefined, { signal: canceled });
        this.#assertProbes();
        if (this.#isSteady(doneMs) && (isSudden || this.#hasLost(setMs))) break;
      }
      return { setMs };
    } catch (error) {
      await this.#heal({ parts }).catch(() => undefined);
      if (!(error instanceof Refused)) throw error;
      if (labIsGone.includes(error.code)) throw new ScenarioStopped(`the lab is gone: ${error.message}`);
      return { refusal: `it could not be set: ${error.message}` };
    }
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

  /** Whether it comes to that in time. */
  async #steady(sinceMs: number): Promise<boolean> {
    const { plan, canceled } = this.#deps;
    while (!this.#isSteady(sinceMs)) {
      if (Date.now() >= sinceMs + plan.withinMs + settledMs) return false;
      await delay(lookMs, undefined, { signal: canceled });
      this.#assertProbes();
    }
    return true;
  }

  /** Whether all streams have been without loss for as long as is asked for. */
  #isSteady(sinceMs: number): boolean {
    const { plan, probes } = this.#deps;
    const toMs = Date.now() - settledMs;
    const fromMs = toMs - plan.steadyMs;
    if (fromMs < sinceMs) return false;
    return probes.every(({ readings }) => {
      const { sent, lost } = readings.lossIn(fromMs, toMs);
      return sent > 0 && (lost / sent) * 100 <= plan.lossPercent;
    });
  }

  #hasLost(sinceMs: number): boolean {
    const toMs = Date.now() - settledMs;
    return this.#deps.probes.some(({ readings }) => readings.lossIn(sinceMs, toMs).lost > 0);
  }

  #lossIn(fromMs: number, toMs: number): readonly StreamLoss[] {
    return this.#deps.probes.map((probe) => lossOf(probe, probe.readings.lossIn(fromMs, toMs), fromMs));
  }

  #whyNotSteady(when: string, sinceMs: number): string {
    const lossy = this.#lossIn(sinceMs, Date.now() - settledMs).filter(({ lost }) => lost > 0);
    const names = lossy.map(({ stream, lost, sent }) => `${stream} (${lost} of ${sent} probes lost)`);
    const within = seconds(this.#deps.plan.withinMs);
    return `${when}, the flows were not without loss within ${within}: ${names.join(', ') || 'no probe was sent'}`;
  }

  /** @throws ScenarioStopped. */
  #assertProbes(): void {
    const why = this.#deps.probes.map(({ whyEnded }) => whyEnded).find((one) => one !== undefined);
    if (why !== undefined) throw new ScenarioStopped(why);
  }
}
