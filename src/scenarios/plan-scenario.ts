import type { LabTopology } from '../labs/drivers/topology.ts';
import { msOf, type Scenario } from '../labs/model/scenario.ts';
import { invalidField } from '../lib/app-error.ts';
import type { ScenarioPlan } from './model/scenario-plan.ts';
import { planFaults } from './plan-faults.ts';
import { planStreams } from './plan-streams.ts';

/** A shorter window has too few probes in it to tell a steady state. */
const minSteadyMs = 200;

/** @throws AppError `invalid-request` that names the field. */
export function planScenario(topology: LabTopology, scenario: Scenario): ScenarioPlan {
  const { title, flows, steady, hold = '30s' } = scenario;
  const plan = {
    title: title ?? 'a scenario without a title',
    streams: planStreams(topology, flows),
    faults: planFaults(topology, scenario),
    holdMs: msOf(hold),
    steadyMs: msOf(steady?.for ?? '3s'),
    withinMs: msOf(steady?.within ?? '60s'),
    lossPercent: steady?.loss ?? 0,
  };
  if (plan.steadyMs < minSteadyMs) throw invalidField('scenario.steady.for', 'must be at least 200ms');
  if (plan.withinMs < plan.steadyMs)
    throw invalidField('scenario.steady.within', 'must not be shorter than "for"');
  if (plan.holdMs < minSteadyMs) throw invalidField('scenario.hold', 'must be at least 200ms');
  return plan;
}
