/** From the flows of a scenario to the probes that measure them. */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { listed } from '../faults/fault-ends.ts';
import type { Addresses, LabTopology, TopologyNode } from '../labs/drivers/topology.ts';
import type { ScenarioFlow } from '../labs/model/scenario.ts';
import { invalidField } from '../lib/app-error.ts';
import type { Stream } from './model/scenario-plan.ts';

const defaultRate = 50;
/** Each has a program of its own. */
const maxStreams = 50;
export const families = ['ipv4', 'ipv6'] as const;

const words = { ipv4: 'IPv4', ipv6: 'IPv6' } as const;

/** Loopback, unspecified and multicast addresses (RFC 6890). */
const unusable = new BlockList();
unusable.addSubnet('0.0.0.0', 8);
unusable.addSubnet('127.0.0.0', 8);
unusable.addSubnet('224.0.0.0', 3);
unusable.addSubnet('::', 127, 'ipv6');
unusable.addSubnet('ff00::', 8, 'ipv6');

type Family = (typeof families)[number];

export function addressIn(addresses: Addresses | null | undefined, family: Family): string | undefined {
  return addresses?.[family]?.split('/')[0];
}

/** Its loopback, which no failure of a link takes away, else the first of its interfaces that has one. */
function addressOf({ loopback, interfaces }: TopologyNode, family: Family): string | undefined {
  return [loopback, ...interfaces].map((one) => addressIn(one, family)).find((one) => one !== undefined);
}

/** @throws AppError `invalid-request`. */
export function nodeNamed({ nodes }: LabTopology, name: string, field: string): TopologyNode {
  const found = nodes.find((node) => node.name === name);
  if (found) return found;
  const isNoAddress = field.endsWith('to') ? ', and it is no IP address' : '';
  const names = listed(nodes.map((node) => node.name));
  throw invalidField(field, `the lab has no node "${name}"${isNoAddress}; its nodes are ${names}`);
}

function streamsOf(topology: LabTopology, flow: ScenarioFlow, field: string): readonly Stream[] {
  const { from, to, rate = defaultRate, family: only } = flow;
  if (from === to) throw invalidField(`${field}.to`, `is the node that the probes come from, "${from}"`);
  const sender = nodeNamed(topology, from, `${field}.from`);
  const isOwn = families.some((family) =>
    [sender.loopback, ...sender.interfaces].some((one) => addressIn(one, family) === to),
  );
  if (isIP(to) !== 0 && (isOwn || unusable.check(to, isIPv4(to) ? 'ipv4' : 'ipv6')))
    throw invalidField(`${field}.to`, `"${to}" is no address of another node`);
  const receiver = isIP(to) === 0 ? nodeNamed(topology, to, `${field}.to`) : undefined;
  const wanted = families.filter((family) => only === undefined || only === family);
  const streams = wanted.flatMap((family): readonly Stream[] => {
    const isOfFamily = (isIPv4(to) ? 'ipv4' : 'ipv6') === family;
    const address = receiver ? addressOf(receiver, family) : isOfFamily ? to : undefined;
    if (address === undefined || addressOf(sender, family) === undefined) return [];
    const source = addressIn(sender.loopback, family) ?? null;
    const periodMs = Math.round(1_000 / rate);
    return [{ name: `${from} → ${to} ${words[family]}`, from, address, source, periodMs }];
  });
  if (streams.length > 0) return streams;
  const which = only === undefined ? 'no address family' : `no ${words[only]} address`;
  throw invalidField(field, `"${from}" and "${to}" have ${which}${only === undefined ? ' in common' : ''}`);
}

/** @throws AppError `invalid-request`. */
export function planStreams(topology: LabTopology, flows: readonly ScenarioFlow[]): readonly Stream[] {
  const streams = flows.flatMap((flow, index) => streamsOf(topology, flow, `scenario.flows.${index}`));
  if (streams.length > maxStreams)
    throw invalidField(
      'scenario.flows',
      `make ${streams.length} streams of probes, and at most ${maxStreams} are sent`,
    );
  const names = new Set<string>();
  for (const { name } of streams) {
    if (names.has(name)) throw invalidField('scenario.flows', `the flow ${name} is given twice`);
    names.add(name);
  }
  return streams;
}
