/** From the faults of a scenario to the faults that are set one after the other. */
import { assertNode, endsOf, findLink, nodesOf } from '../faults/fault-ends.ts';
import type { LabTopology, TopologyLink } from '../labs/drivers/topology.ts';
import {
  linkFaultKinds,
  nodeFaultKinds,
  targetKey,
  type FaultKind,
  type WantedFault,
} from '../labs/model/fault.ts';
import { msOf, type Scenario, type ScenarioFault, type ScenarioFaultPart } from '../labs/model/scenario.ts';
import { AppError, invalidField } from '../lib/app-error.ts';
import type { PlannedFault } from './model/scenario-plan.ts';

/** More take days. */
const maxFaults = 1_000;
/** A routing daemon sees an interface go down. */
const suddenKinds: readonly FaultKind[] = ['down', 'isolated'];

/** @throws AppError `invalid-request`. */
function assertCount(faults: number): void {
  if (faults > maxFaults)
    throw invalidField('scenario', `makes ${faults} faults, and at most ${maxFaults} are run: use "except"`);
}

const isOfLinks = (kind: FaultKind): boolean => (linkFaultKinds as readonly string[]).includes(kind);

/** `r1-r2`, with its id behind it when several links have these nodes. */
function nameOfLink({ links }: LabTopology, link: TopologyLink): string {
  const isShared = links.some((other) => other !== link && nodesOf(other) === nodesOf(link));
  return isShared ? `${nodesOf(link)} (${link.id})` : nodesOf(link);
}

function kindOf({ link, node, kind }: ScenarioFaultPart, field: string): FaultKind {
  if (link === undefined && node === undefined)
    throw invalidField(field, 'names neither a link nor a node: give "link" or "node"');
  const fitting: readonly FaultKind[] = link === undefined ? nodeFaultKinds : linkFaultKinds;
  if (kind === undefined) return link === undefined ? 'isolated' : 'down';
  if (fitting.includes(kind)) return kind;
  const what = link === undefined ? 'a node' : 'a link';
  throw invalidField(`${field}.kind`, `${what} can be ${fitting.join(', ')}, not "${kind}"`);
}

function assertDetails({ process, impairment }: ScenarioFaultPart, kind: FaultKind, field: string): void {
  const isKilled = kind === 'killed';
  const isImpaired = kind === 'impaired';
  if (isKilled !== (process !== undefined))
    throw invalidField(
      `${field}.process`,
      isKilled ? 'is required with "killed"' : 'goes with "killed" only',
    );
  if (isImpaired !== (impairment !== undefined))
    throw invalidField(
      `${field}.impairment`,
      isImpaired ? 'is required with "impaired"' : 'goes with "impaired" only',
    );
}

/** The errors of faults name fields of a request about one of them. */
function within<T>(field: string, find: () => T): T {
  try {
    return find();
  } catch (error) {
    if (error instanceof AppError) throw invalidField(field, error.message.replace(/^(link|node): /, ''));
    throw error;
  }
}

interface Part {
  readonly name: string;
  readonly wanted: WantedFault;
}

function planPart(topology: LabTopology, part: ScenarioFaultPart, field: string): Part {
  const kind = kindOf(part, field);
  assertDetails(part, kind, field);
  const { link = null, node = null, process = null, impairment = null } = part;
  const ends = within(field, () => endsOf(topology, { link, node, kind }));
  const wanted = { link: ends.link, node, kind, process, impairment, ttlSeconds: undefined };
  const at = ends.link === null ? '' : nameOfLink(topology, findLink(topology, ends.link));
  const where = ends.link !== null && node !== null ? `${node} at ${at}` : at || (node ?? '');
  return { name: `${where} ${process === null ? kind : `${process} killed`}`, wanted };
}

function planned(parts: readonly Part[], limitMs: number | null): PlannedFault {
  return {
    name: parts.map(({ name }) => name).join(', '),
    parts: parts.map(({ wanted }) => wanted),
    limitMs,
    isSudden: parts.every(({ wanted }) => suddenKinds.includes(wanted.kind)),
  };
}

/** The links whose failure says something of the network: a link to a host is the only one that the host has. */
function linksBetweenRouters({ nodes, links }: LabTopology): readonly TopologyLink[] {
  const hosts = new Set(nodes.filter(({ role }) => role === 'host').map(({ name }) => name));
  return links.filter(
    ({ endpoints }) => endpoints.length > 1 && !endpoints.some(({ node }) => hosts.has(node)),
  );
}

function targetsOfEach(
  topology: LabTopology,
  { of, except = [] }: NonNullable<Scenario['each']>,
  flows: Scenario['flows'],
): readonly (readonly ScenarioFaultPart[])[] {
  if (of === 'node') {
    const ends = new Set([...flows.flatMap(({ from, to }) => [from, to]), ...except]);
    for (const [index, name] of except.entries())
      within(`scenario.each.except.${index}`, () => assertNode(topology, name));
    return topology.nodes
      .filter(({ name, role }) => role !== 'host' && !ends.has(name))
      .map(({ name }) => [{ node: name }]);
  }
  const left = new Set(
    except.map((name, index) => within(`scenario.each.except.${index}`, () => findLink(topology, name).id)),
  );
  const links = linksBetweenRouters(topology).filter(({ id }) => !left.has(id));
  if (of === 'link') return links.map(({ id }) => [{ link: id }]);
  assertCount((links.length * (links.length - 1)) / 2);
  return links.flatMap((one, index) =>
    links.slice(index + 1).map((other) => [{ link: one.id }, { link: other.id }]),
  );
}

function planEach(
  topology: LabTopology,
  scenario: Scenario,
  limitMs: number | null,
): readonly PlannedFault[] {
  const { each, flows } = scenario;
  if (each === undefined) return [];
  const { of, kind } = each;
  if (kind === 'killed' || kind === 'impaired')
    throw invalidField('scenario.each.kind', `"${kind}" needs details: list the faults under "faults"`);
  const wanted = kind ?? (of === 'node' ? 'isolated' : 'down');
  if (isOfLinks(wanted) === (of === 'node'))
    throw invalidField(
      'scenario.each.kind',
      `"${wanted}" is no fault of a ${of === 'node' ? 'node' : 'link'}`,
    );
  const targets = targetsOfEach(topology, each, flows);
  if (targets.length === 0)
    throw invalidField(
      'scenario.each',
      `there is no ${of} left that could fail: list the faults under "faults"`,
    );
  assertCount(targets.length);
  return targets.map((parts) =>
    planned(
      parts.map((part) => planPart(topology, { ...part, kind: wanted }, 'scenario.each')),
      limitMs,
    ),
  );
}

function planListed(
  topology: LabTopology,
  fault: ScenarioFault,
  index: number,
  limitMs: number | null,
): PlannedFault {
  const field = `scenario.faults.${index}`;
  const { with: more = [], outage, ...first } = fault;
  const parts = [first, ...more].map((part, place) =>
    planPart(topology, part, place === 0 ? field : `${field}.with.${place - 1}`),
  );
  const targets = parts.map(({ wanted }) => targetKey(wanted));
  if (new Set(targets).size < targets.length) throw invalidField(field, 'breaks the same link or node twice');
  return planned(parts, outage === undefined ? limitMs : msOf(outage));
}

/** @throws AppError `invalid-request`. */
export function planFaults(topology: LabTopology, scenario: Scenario): readonly PlannedFault[] {
  const { expect, faults = [] } = scenario;
  const limitMs = expect?.outage === undefined ? null : msOf(expect.outage);
  const all = [
    ...planEach(topology, scenario, limitMs),
    ...faults.map((fault, index) => planListed(topology, fault, index, limitMs)),
  ];
  assertCount(all.length);
  return all;
}
