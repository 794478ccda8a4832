import type { LabTopology } from '../labs/drivers/topology.ts';
import { msOf, type Scenario } from '../labs/model/scenario.ts';
import { invalidField } from '../lib/app-error.ts';
import type { ScenarioPlan } from './model/scenario-plan.ts';
import { planFaults } from './plan-faults.ts';
import { planStreams } from './plan-streams.ts';

/** With fewer probes in a window, a flow without traffic may look as one with some. */
const minProbes = 10;
/** Every reply is kept until its fault is over. */
const maxHoldMs = 600_000;

/** @throws AppError `invalid-request` that names the field. */
export function planScenario(topology: LabTopology, scenario: Scenario): ScenarioPlan {
  const { title, flows, steady, hold = '30s' } = scenario;
  const plan = {
    title: title ?? '(no title)',
    streams: planStreams(topology, flows),
    faults: planFaults(topology, scenario),
    holdMs: msOf(hold),
    steadyMs: msOf(steady?.for ?? '3s'),
    withinMs: msOf(steady?.within ?? '60s'),
    lossPercent: steady?.loss ?? 0,
  };
  const leastMs = minProbes * Math.max(...plan.streams.map(({ periodMs }) => periodMs));
  const least = `must be at least ${leastMs}ms: ${minProbes} probes of the slowest flow`;
  if (plan.steadyMs < leastMs) throw invalidField('scenario.steady.for', least);
  if (plan.holdMs < leastMs) throw invalidField('scenario.hold', least);
  if (plan.holdMs > maxHoldMs) throw invalidField('scenario.hold', 'must not be over 10m');
  const longest = Math.max(...plan.faults.map(({ limitMs }) => limitMs ?? 0));
  if (longest > plan.holdMs)
    throw invalidField(
      'scenario.hold',
      `must not be shorter than an "outage" that is allowed (${longest}ms)`,
    );
  if (plan.withinMs < plan.steadyMs)
    throw invalidField('scenario.steady.within', 'must not be shorter than "for"');
  return plan;
}
