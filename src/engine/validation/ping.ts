/** The test `ping(host, src, af, count, pkt_len, expect)`, as in netlab for Linux (netsim/validate/linux.py). */
import type { Lab, LabNode } from '../core/lab.ts';
import type { CallValue, PluginCall } from '../topology/plugin-call.ts';

interface Ping {
  readonly host: string;
  readonly source: string | null;
  readonly family: 'ipv4' | 'ipv6' | null;
  readonly count: number;
  /** Bytes of the IP packet; null for the default of `ping`. */
  readonly packetLength: number | null;
  readonly expectsFailure: boolean;
}

export type Verdict = { readonly isPassed: boolean; readonly message: string };

const parameters = ['host', 'src', 'af', 'count', 'pkt_len', 'expect'];
/** The value goes into a command that runs as root, so it must not be an option or anything else. */
const hostFormat = /^[A-Za-z0-9_:][A-Za-z0-9_.:%-]{0,254}$/;

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** The value at a place in the lab, such as `nodes.h1.interfaces[0].ipv4`; `node` is the node that runs the test. */
function lookUp(lab: Lab, node: LabNode, path: readonly (string | number)[]): unknown {
  const roots = new Map<string, unknown>([
    ['nodes', Object.fromEntries(lab.nodes.map((entry) => [entry.name, entry]))],
    ['node', node],
  ]);
  const [root, ...rest] = path;
  let found = roots.get(String(root));
  for (const key of rest) {
    if (typeof found !== 'object' || found === null) return undefined;
    if (isList(found) ? typeof key !== 'number' : !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string | number, unknown>)[key];
  }
  return found;
}

function valueOf(value: CallValue, lab: Lab, node: LabNode): string | number | null {
  switch (value.kind) {
    case 'text':
      return value.text;
    case 'number':
      return value.number;
    case 'none':
      return null;
    case 'path': {
      const found = lookUp(lab, node, value.path);
      if (typeof found === 'string') return found;
      throw new Error(`the lab has no text at ${value.path.join('.')}`);
    }
  }
}

/** The value without the prefix length of the lab's addresses. */
function hostOf(value: string | number | null, what: string): string {
  const [host = ''] = String(value).split('/');
  if (typeof value !== 'string' || !hostFormat.test(host))
    throw new Error(`${what} of ping must be a node or an address, not ${String(value)}`);
  return host;
}

function numberOf(value: string | number | null, what: string, minimum: number): number {
  if (typeof value === 'number' && value >= minimum && value <= 65_535) return value;
  throw new Error(`${what} of ping must be a number from ${minimum} to 65535`);
}

/** @throws Error that names the wrong argument. */
export function pingOf(call: PluginCall, lab: Lab, node: LabNode): Ping {
  const given = new Map<string, string | number | null>();
  const all = [
    ...call.positional.map((value, index): [string, CallValue] => [parameters[index] ?? '', value]),
    ...call.named,
  ];
  for (const [name, value] of all) {
    if (!parameters.includes(name)) throw new Error(`ping has no argument "${name || 'after the sixth'}"`);
    given.set(name, valueOf(value, lab, node));
  }
  const {
    host,
    src = null,
    af = null,
    count = 5,
    pkt_len: length = null,
    expect = null,
  } = Object.fromEntries(given);
  if (af !== null && af !== 'ipv4' && af !== 'ipv6') throw new Error('af of ping must be ipv4 or ipv6');
  if (expect !== null && expect !== 'fail') throw new Error('expect of ping must be fail or absent');
  return {
    host: hostOf(host ?? null, 'the host'),
    source: src === null ? null : hostOf(src, 'src'),
    family: af,
    count: numberOf(count, 'count', 1),
    packetLength: length === null ? null : numberOf(length, 'pkt_len', 64),
    expectsFailure: expect === 'fail',
  };
}

/** Sends the next packet as soon as the last is answered (`-A`), and waits a second for each missing answer. */
export function pingCommand({ host, source, family, count, packetLength }: Ping): string[] {
  const headers = family === 'ipv6' ? 48 : 28;
  return [
    'ping',
    '-c',
    String(count),
    '-W',
    '1',
    '-A',
    ...(family === null ? [] : [family === 'ipv6' ? '-6' : '-4']),
    ...(packetLength === null ? [] : ['-s', String(packetLength - headers)]),
    ...(source === null ? [] : ['-I', source]),
    host,
  ];
}

/** The host with the address that `ping` resolved. */
function named(host: string, printed: string): string {
  const [, address] = /^PING [^\n]*?\(([0-9a-fA-F:.]+)\)/.exec(printed) ?? [];
  return address === undefined || address === host ? host : `${host} (${address})`;
}

/** The verdict on the output of `ping`: one answer is enough. */
export function judgePing(ping: Ping, printed: string): Verdict {
  const { family, source, packetLength, expectsFailure } = ping;
  const parts = [
    `Ping to ${family === null ? '' : `${family} `}${named(ping.host, printed)}`,
    ...(source === null ? [] : [`from ${source}`]),
    ...(packetLength === null ? [] : [`size ${packetLength}`]),
  ];
  const what = parts.join(' ');
  const isAnswered = /^\d+ bytes from /m.test(printed);
  // If `ping` could not send, the output proves nothing: the host may still be reachable.
  const isUnanswered = /\b0 received\b|[Uu]nreachable/.test(printed) && !isAnswered;
  if (!expectsFailure)
    return { isPassed: isAnswered, message: `${what} ${isAnswered ? 'succeeded' : 'failed'}` };
  return isUnanswered
    ? { isPassed: true, message: `${what} failed as expected` }
    : { isPassed: false, message: `${what} ${isAnswered ? 'did not fail' : 'could not be sent'}` };
}
