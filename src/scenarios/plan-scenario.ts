import { listed } from '../faults/fault-ends.ts';
import type { LabTopology } from '../labs/drivers/topology.ts';
import { msOf, type Scenario } from '../labs/model/scenario.ts';
import { invalidField } from '../lib/app-error.ts';
import { captureFile, type PlannedCapture, type ScenarioPlan } from './model/scenario-plan.ts';
import { planFaults } from './plan-faults.ts';
import { addressIn, families, nodeNamed, planStreams } from './plan-streams.ts';

/** With fewer probes in a window, a flow without traffic may look as one with some. */
const minProbes = 10;
/** Every reply is kept until its fault is over. */
const maxHoldMs = 600_000;
const maxHops = 30;

/** The lab of a scenario. */
export interface LabFacts {
  readonly topology: LabTopology;
  /** The names of its tests; needed only if `namesTests` is true. */
  readonly tests: readonly string[];
}

export const namesTests = ({ steady, expect }: Scenario): boolean =>
  steady?.tests !== undefined || expect?.tests !== undefined;

function assertTests(known: readonly string[], asked: readonly string[], field: string): void {
  const index = asked.findIndex((name) => !known.includes(name));
  if (index === -1) return;
  const has = known.length === 0 ? 'it has none' : `its tests are ${listed(known)}`;
  throw invalidField(`${field}.${index}`, `the lab has no test "${asked[index]}"; ${has}`);
}

function planCaptures(
  topology: LabTopology,
  asked: NonNullable<Scenario['capture']>,
): readonly PlannedCapture[] {
  const files = new Set<string>();
  for (const [index, { node, interface: ifname }] of asked.entries()) {
    const field = `scenario.capture.${index}`;
    nodeNamed(topology, node, `${field}.node`);
    const file = captureFile({ node, ifname });
    if (files.has(file)) throw invalidField(field, `is the second one for the file ${file}`);
    files.add(file);
  }
  return asked.map(({ node, interface: ifname, filter = '' }) => ({ node, ifname, filter }));
}

/** Every path has a hop for each node at most, and the end. */
function planPaths({ nodes }: LabTopology): ScenarioPlan['paths'] {
  const named = nodes.flatMap(({ name, loopback, interfaces }) =>
    [loopback, ...interfaces].flatMap((one) =>
      families.flatMap((family) => {
        const address = addressIn(one, family);
        return address ? [[address, name] as const] : [];
      }),
    ),
  );
  return { maxHops: Math.min(nodes.length + 1, maxHops), nodes: Object.fromEntries(named) };
}

/** The faults of one part: every fourth one of four parts. */
function shardOf<T>(faults: readonly T[], shard: string | undefined): readonly T[] {
  if (shard === undefined) return faults;
  const [part = 1, parts = 1] = shard.split('/').map(Number);
  if (part > parts) throw invalidField('scenario.shard', `has no part ${part} of ${parts}`);
  const own = faults.filter((_, index) => index % parts === part - 1);
  if (own.length > 0) return own;
  throw invalidField('scenario.shard', `leaves nothing to run: the scenario has ${faults.length} faults`);
}

/** @throws AppError `invalid-request` that names the field. */
export function planScenario({ topology, tests }: LabFacts, scenario: Scenario): ScenarioPlan {
  const { title, flows, steady, expect, hold = '30s' } = scenario;
  const plan = {
    title: title ?? '(no title)',
    streams: planStreams(topology, flows),
    faults: shardOf(planFaults(topology, scenario), scenario.shard),
    paths: scenario.paths === true ? planPaths(topology) : null,
    captures: planCaptures(topology, scenario.capture ?? []),
    holdMs: msOf(hold),
    steadyMs: msOf(steady?.for ?? '3s'),
    withinMs: msOf(steady?.within ?? '60s'),
    lossPercent: steady?.loss ?? 0,
    steadyTests: steady?.tests ?? [],
    expectedTests: expect?.tests ?? [],
  };
  assertTests(tests, plan.steadyTests, 'scenario.steady.tests');
  assertTests(tests, plan.expectedTests, 'scenario.expect.tests');
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
