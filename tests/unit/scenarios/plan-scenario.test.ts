import { describe, expect, it } from '@jest/globals';
import type { LabTopology, TopologyNode } from '../../../src/labs/drivers/topology.ts';
import { scenarioSchema, type Scenario } from '../../../src/labs/model/scenario.ts';
import { AppError } from '../../../src/lib/app-error.ts';
import { planScenario } from '../../../src/scenarios/plan-scenario.ts';

function node(name: string, role: string, loopback: string | null, ...links: string[]): TopologyNode {
  const number = name.slice(1);
  return {
    name,
    role,
    device: 'frr',
    groups: [],
    as: null,
    modules: [],
    loopback: loopback === null ? null : { ipv4: `${loopback}/32`, ipv6: null },
    interfaces: links.map((link, index) => ({
      name: `eth${index + 1}`,
      link,
      ipv4: `10.${link}.0.${number}/24`,
      ipv6: role === 'host' ? `2001:db8:${link}::${number}/64` : null,
    })),
  };
}

/** A ring of three routers, with a host at two of them. */
const nodes = [
  node('r1', 'router', '10.0.0.1', '1', '3', '4'),
  node('r2', 'router', '10.0.0.2', '1', '2', '5'),
  node('r3', 'router', '10.0.0.3', '2', '3'),
  node('h4', 'host', null, '4'),
  node('h5', 'host', null, '5'),
];

const topology: LabTopology = {
  nodes,
  links: ['1', '2', '3', '4', '5'].map((id) => ({
    id,
    type: 'p2p',
    prefix: { ipv4: null, ipv6: null },
    endpoints: nodes.flatMap(({ name, interfaces }) =>
      interfaces
        .filter(({ link }) => link === id)
        .map((one) => ({ node: name, interface: one.name, ipv4: one.ipv4, ipv6: one.ipv6 })),
    ),
  })),
};

const capture = { node: 'r1', interface: 'eth1' };
const flows = [{ from: 'h4', to: 'h5' }];
const plan = (scenario: Partial<Scenario>) =>
  planScenario(
    { topology, tests: ['ping', 'adjacency'] },
    scenarioSchema.parse({ flows, each: { of: 'link' }, ...scenario }),
  );
const namesOf = (scenario: Partial<Scenario>) => plan(scenario).faults.map(({ name }) => name);

describe('the plan of a scenario', () => {
  it('measures a flow in each family that both ends have', () => {
    expect(plan({}).streams).toEqual([
      { name: 'h4 → h5 IPv4', from: 'h4', address: '10.5.0.5', source: null, periodMs: 20 },
      { name: 'h4 → h5 IPv6', from: 'h4', address: '2001:db8:5::5', source: null, periodMs: 20 },
    ]);
  });

  it('uses loopbacks of routers, addresses as they are given, and the rate of the flow', () => {
    const asked = [
      { from: 'r1', to: 'r3', rate: 100 },
      { from: 'h4', to: '2001:db8:9::9', family: 'ipv6' as const },
    ];
    expect(plan({ flows: asked }).streams).toEqual([
      { name: 'r1 → r3 IPv4', from: 'r1', address: '10.0.0.3', source: '10.0.0.1', periodMs: 10 },
      { name: 'h4 → 2001:db8:9::9 IPv6', from: 'h4', address: '2001:db8:9::9', source: null, periodMs: 20 },
    ]);
  });

  it('breaks each link between routers, but for those that are excepted', () => {
    expect(namesOf({})).toEqual(['r1-r2 down', 'r2-r3 down', 'r1-r3 down']);
    expect(namesOf({ each: { of: 'link', except: ['r3-r1'], kind: 'silent' } })).toEqual([
      'r1-r2 silent',
      'r2-r3 silent',
    ]);
  });

  it('breaks each router that is no end of a flow, and pairs of links', () => {
    expect(namesOf({ each: { of: 'node' } })).toEqual(['r1 isolated', 'r2 isolated', 'r3 isolated']);
    expect(namesOf({ each: { of: 'node' }, flows: [{ from: 'r1', to: 'h5' }] })).toEqual([
      'r2 isolated',
      'r3 isolated',
    ]);
    expect(namesOf({ each: { of: 'pair' } })).toHaveLength(3);
    expect(namesOf({ each: { of: 'pair' } })[0]).toBe('r1-r2 down, r2-r3 down');
  });

  it('has the tests and the captures that are asked for', () => {
    expect(plan({})).toMatchObject({ steadyTests: [], expectedTests: [], captures: [] });
    const asked = { steady: { tests: ['ping'] }, expect: { tests: ['adjacency'] }, capture: [capture] };
    expect(plan(asked)).toMatchObject({
      steadyTests: ['ping'],
      expectedTests: ['adjacency'],
      captures: [{ node: 'r1', ifname: 'eth1', filter: '' }],
    });
  });

  it('captures on interfaces that Linux can have', () => {
    const captureOn = (ifname: string) => plan({ capture: [{ node: 'r1', interface: ifname }] }).captures;
    for (const name of ['eth1', 'eth1.100', 'r1-eth1@if7']) expect(captureOn(name)).toHaveLength(1);
    for (const name of ['', '.', '..', 'a b', 'a/b', 'a:b', 'sixteen-letters-', 'é', '𝕖'.repeat(8)])
      expect(() => captureOn(name)).toThrow('must be the name of an interface');
  });

  it('runs a part of the faults', () => {
    expect(namesOf({ shard: '1/2' })).toEqual(['r1-r2 down', 'r1-r3 down']);
    expect(namesOf({ shard: '2/2' })).toEqual(['r2-r3 down']);
    expect(() => plan({ shard: '4/4' })).toThrow(
      'scenario.shard: leaves nothing to run: the scenario has 3 faults',
    );
    expect(() => plan({ shard: '5/4' })).toThrow('scenario.shard: has no part 5 of 4');
  });

  it('knows the nodes of a path by their addresses', () => {
    expect(plan({}).paths).toBeNull();
    expect(plan({ paths: true }).paths).toMatchObject({
      maxHops: 6,
      nodes: { '10.0.0.1': 'r1', '10.1.0.1': 'r1', '10.5.0.5': 'h5', '2001:db8:5::5': 'h5' },
    });
  });

  it('takes a list, with several faults at a time and limits of their own', () => {
    const faults = [
      { link: 'r1-r2', outage: '500ms' },
      { node: 'r3', kind: 'killed' as const, process: 'ospfd', with: [{ link: '2', node: 'r2' }] },
    ];
    const planned = plan({ each: undefined, faults, expect: { outage: 2 } });
    expect(planned.faults.map(({ name, limitMs, isSudden }) => ({ name, limitMs, isSudden }))).toEqual([
      { name: 'r1-r2 down', limitMs: 500, isSudden: true },
      { name: 'r3 ospfd killed, r2 at r2-r3 down', limitMs: 2_000, isSudden: false },
    ]);
    expect(planned.faults[1]?.parts).toMatchObject([
      { link: null, node: 'r3', kind: 'killed', process: 'ospfd' },
      { link: '2', node: 'r2', kind: 'down' },
    ]);
  });

  it.each([
    [{ flows: [{ from: 'h9', to: 'h5' }] }, 'scenario.flows.0.from: the lab has no node "h9"'],
    [
      { flows: [{ from: 'h4', to: 'x' }] },
      'scenario.flows.0.to: the lab has no node "x", and it is no IP address',
    ],
    [{ flows: [{ from: 'h4', to: 'h4' }] }, 'scenario.flows.0.to: is the node that the probes come from'],
    [
      { flows: [{ from: 'r1', to: 'h5', family: 'ipv6' as const }] },
      'scenario.flows.0: "r1" and "h5" have no IPv6 address',
    ],
    [{ flows: [...flows, ...flows] }, 'scenario.flows: the flow h4 → h5 IPv4 is given twice'],
    [{ each: { of: 'link' as const, except: ['r9'] } }, 'scenario.each.except.0: the lab has no link "r9"'],
    [{ each: { of: 'node' as const, except: ['r9'] } }, 'scenario.each.except.0: the lab has no node "r9"'],
    [
      { each: { of: 'node' as const, kind: 'down' as const } },
      'scenario.each.kind: "down" is no fault of a node',
    ],
    [
      { each: { of: 'link' as const, kind: 'impaired' as const } },
      'scenario.each.kind: "impaired" needs details',
    ],
    [{ each: { of: 'link' as const, except: ['1', '2', '3'] } }, 'scenario.each: there is no link left'],
    [
      { steady: { tests: ['ping', 'bgp'] } },
      'scenario.steady.tests.1: the lab has no test "bgp"; its tests are ping, adjacency',
    ],
    [{ expect: { tests: ['--list'] } }, 'scenario.expect.tests.0: the lab has no test "--list"'],
    [{ capture: [{ node: 'r9', interface: 'eth1' }] }, 'scenario.capture.0.node: the lab has no node "r9"'],
    [
      { capture: [capture, { ...capture, filter: 'icmp' }] },
      'scenario.capture.1: is the second one for the file r1-eth1.pcap',
    ],
    [{ faults: [{}] }, 'scenario.faults.0: names neither a link nor a node'],
    [{ faults: [{ link: 'r9' }] }, 'scenario.faults.0: the lab has no link "r9"'],
    [{ faults: [{ link: '1', node: 'h4' }] }, 'scenario.faults.0: link 1 does not end at "h4"'],
    [{ faults: [{ node: 'r1', kind: 'silent' as const }] }, 'scenario.faults.0.kind: a node can be'],
    [{ faults: [{ node: 'r1', kind: 'killed' as const }] }, 'scenario.faults.0.process: is required'],
    [{ faults: [{ node: 'r1', process: 'x' }] }, 'scenario.faults.0.process: goes with "killed" only'],
    [{ faults: [{ link: '1', kind: 'impaired' as const }] }, 'scenario.faults.0.impairment: is required'],
    [{ faults: [{ link: '1', with: [{ link: 'r2-r1' }] }] }, 'scenario.faults.0: breaks the same link'],
    [{ hold: '100ms' }, 'scenario.hold: must be at least 200ms: 10 probes of the slowest flow'],
    [{ hold: '3s', expect: { outage: 4 } }, 'scenario.hold: must not be shorter than an "outage"'],
    [{ hold: '11m' }, 'scenario.hold: must not be over 10m'],
    [{ flows: [{ from: 'h4', to: 'h5', rate: 1 }] }, 'scenario.steady.for: must be at least 10000ms'],
    [
      { flows: [{ from: 'h4', to: '127.0.0.1' }] },
      'scenario.flows.0.to: "127.0.0.1" is no address of another',
    ],
    [{ flows: [{ from: 'h4', to: '10.4.0.4' }] }, 'scenario.flows.0.to: "10.4.0.4" is no address of another'],
    [{ flows: [{ from: 'h4', to: '::1' }] }, 'scenario.flows.0.to: "::1" is no address of another'],
    [{ steady: { for: 0 } }, 'scenario.steady.for: must be at least 200ms'],
    [{ steady: { for: '9s', within: '8s' } }, 'scenario.steady.within: must not be shorter than "for"'],
  ])('names the field that is wrong: %j', (scenario, message) => {
    expect(() => plan(scenario)).toThrow(message);
  });

  it('refuses more pairs than can be run, before it plans them', () => {
    const names = Array.from({ length: 200 }, (_, index) => `r${index}`);
    const ring = names.map((name, index) => ({
      id: String(index),
      type: 'p2p',
      prefix: { ipv4: null, ipv6: null },
      endpoints: [name, names[(index + 1) % names.length] ?? ''].map((end) => ({
        node: end,
        interface: 'eth1',
        ipv4: null,
        ipv6: null,
      })),
    }));
    const large = { nodes: [...nodes, ...names.map((name) => node(name, 'router', null))], links: ring };
    const asked = scenarioSchema.parse({ flows, each: { of: 'pair' } });
    expect(() => planScenario({ topology: large, tests: [] }, asked)).toThrow(
      'scenario: makes 19900 faults, and at most 1000 are run',
    );
  });

  it('answers any scenario with a plan or an error about the request', () => {
    const words = [
      'h4',
      'r1',
      'r1-r2',
      '1',
      '',
      'down',
      'node',
      '__proto__',
      '3s',
      '10.0.0.1',
      '\0',
      'x'.repeat(300),
    ];
    const fields = [
      'from',
      'to',
      'of',
      'kind',
      'link',
      'node',
      'with',
      'outage',
      'rate',
      'except',
      'for',
      'process',
    ];
    let state = 1;
    const random = (max: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % max;
    };
    const value = (depth: number): unknown => {
      const choice = random(depth > 3 ? 3 : 6);
      if (choice === 0) return words[random(words.length)];
      if (choice === 1) return [1, 0, -1, 50, 1e12, 0.5, null, true][random(8)];
      if (choice === 2) return flows;
      if (choice === 3) return Array.from({ length: random(4) }, () => value(depth + 1));
      const entries = Array.from({ length: random(4) }, () => [
        fields[random(fields.length)] ?? '',
        value(depth + 1),
      ]);
      return Object.fromEntries(entries) as unknown;
    };
    const outcomes = { plans: 0, refusals: 0 };
    for (let round = 0; round < 5_000; round += 1) {
      const base: Record<string, unknown> = {
        flows,
        each: { of: 'link' },
        faults: [{ link: '1' }],
        hold: '3s',
        steady: { tests: ['ping'] },
        capture: [{ node: 'r1', interface: 'eth1' }],
      };
      const keys = Object.keys(base);
      base[keys[random(keys.length)] ?? ''] = value(0);
      const parsed = scenarioSchema.safeParse(base);
      outcomes.refusals += parsed.success ? 0 : 1;
      if (!parsed.success) continue;
      try {
        planScenario({ topology, tests: ['ping'] }, parsed.data);
        outcomes.plans += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
        outcomes.refusals += 1;
      }
    }
    expect(outcomes.plans).toBeGreaterThan(100);
    expect(outcomes.refusals).toBeGreaterThan(1_000);
  });
});
