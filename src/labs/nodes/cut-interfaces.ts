/** Interfaces that lose their link (ip-link(8)), or every frame (nft(8)). */
import * as z from 'zod';
import { AppError } from '../../lib/app-error.ts';
import { assertInterface, assertOwnNetwork, missingProgram } from './interfaces.ts';
import { look, type Looked, type NodeSession } from './node-session.ts';

/**
 * An interface as it was before it was set down. The kernel then drops its IPv6 addresses and its routes, and those of the
 * interfaces on top of it (`eth1.100`); routing daemons bring back their own routes only.
 */
export const savedInterfaceSchema = z.object({
  name: z.string(),
  isUp: z.boolean(),
  addresses: z.array(z.object({ device: z.string(), address: z.string() })),
  /** As ip-route(8) prints and takes them. */
  routes: z.array(z.object({ family: z.enum(['-4', '-6']), route: z.string() })),
});
export type SavedInterface = Readonly<z.output<typeof savedInterfaceSchema>>;

/** Routes of `ip route add` (boot) and those that say that a person made them (static). */
const readAll = `readlink /proc/self/ns/net && ip -j addr show || exit
for family in -4 -6; do
  for proto in boot static; do
    ip -o $family route show table all proto $proto | sed "s/^/$family proto $proto /"
  done
done`;

/** Each argument is a name. */
const setEachDown = 'for name; do ip link set dev "$name" down || exit; done';

/** Each argument is a name. An interface that is gone needs nothing. */
const setEachUp = `for name; do
  said=$(ip link set dev "$name" up 2>&1) && continue
  case $said in *'Cannot find device'*) ;; *) echo "$said" >&2; failed=1 ;; esac
done
exit \${failed:-0}`;

/**
 * Each argument is a command; its words are separated by spaces and taken as they are. A route may need another one, to its
 * gateway: the commands that fail are repeated as long as one of them succeeds. Addresses and routes that are there already stay as they are.
 */
const runAll = `set -f
while [ $# -gt 0 ]; do
  count=$#
  tried=0
  while [ $tried -lt $count ]; do
    command=$1
    shift
    tried=$((tried + 1))
    said=$($command 2>&1) && continue
    case $said in *'File exists'* | *'already assigned'*) ;; *) set -- "$@" "$command" ;; esac
  done
  [ $# -lt $count ] || break
done
for command; do $command || failed=1; done
exit \${failed:-0}`;

const script = (text: string, ...words: readonly string[]): readonly string[] => [
  'sh',
  '-c',
  text,
  'lab-fault',
  ...words,
];

interface Link {
  readonly ifname: string;
  /** The interface that it stands on; also the other end of a veth in the same namespace. */
  readonly link?: string;
  readonly flags: readonly string[];
  readonly addr_info: readonly {
    readonly family: string;
    readonly local?: string;
    readonly prefixlen: number;
    readonly dynamic?: boolean;
  }[];
}

/** State of a route rather than a part of it, with its value where it has one. */
const stateOfRoute = /\s(?:linkdown|dead|pervasive|offload|trap|(?:nhid|expires) \S+)(?=\s|$)/g;

/** `-o` prints the further lines of a route with several next hops after a backslash. */
const routeOf = (line: string): string =>
  line.replaceAll('\\', ' ').replaceAll('\t', ' ').replace(stateOfRoute, '').trim();

function failure(session: NodeSession, { words }: Looked, program: string): AppError {
  const missing = missingProgram(program, words);
  if (missing) return missing;
  if (words.includes('Cannot find device'))
    return new AppError('interface-not-found', `${session.node} has lost an interface: ${words}`);
  return new AppError('lab-cli-failed', `${program} failed on ${session.node}: ${words}`, {
    extra: { output: words.split('\n') },
  });
}

/** An interface and those on top of it: `eth1`, `eth1.100`, `eth1.100.7`. */
function stackOn(name: string, links: readonly Link[]): readonly Link[] {
  const stack = links.filter(({ ifname }) => ifname === name);
  // Those that are added meanwhile are visited, too.
  for (const { ifname } of stack)
    stack.push(...links.filter((one) => one.link === ifname && !stack.includes(one)));
  return stack;
}

const usesAny = (route: string, devices: readonly string[]): boolean =>
  devices.some((device) => ` ${route} `.includes(` dev ${device} `));

function savedOf(name: string, links: readonly Link[], routes: SavedInterface['routes']): SavedInterface {
  const own = stackOn(name, links);
  const devices = own.map(({ ifname }) => ifname);
  return {
    name,
    isUp: own[0]?.flags.includes('UP') === true,
    addresses: own.flatMap(({ ifname, addr_info: addresses }) =>
      addresses
        .filter(({ family, dynamic }) => family === 'inet6' && dynamic !== true)
        .map(({ local, prefixlen }) => ({ device: ifname, address: `${local ?? ''}/${prefixlen}` })),
    ),
    routes: routes.filter(({ route }) => usesAny(route, devices)),
  };
}

/** @throws AppError `interface-not-found`; `not-supported` for a node that is in the network of the server. */
export async function readInterfaces(
  session: NodeSession,
  names: readonly string[],
): Promise<readonly SavedInterface[]> {
  const looked = await look(session, script(readAll));
  if (looked.exitCode !== 0) throw failure(session, looked, 'ip');
  const [network = '', first = '[]', ...lines] = looked.output.split('\n');
  assertOwnNetwork(session.node, network);
  const links = JSON.parse(first) as readonly Link[];
  const routes = lines.flatMap((line) => {
    const [, family, words] = /^(-[46]) (.+)$/.exec(line) ?? [];
    return words === undefined ? [] : { family: family as '-4' | '-6', route: routeOf(words) };
  });
  const known = links.map(({ ifname }) => ifname);
  return names.map((name) => {
    assertInterface(session.node, known, name);
    return savedOf(name, links, routes);
  });
}

export async function setDown(session: NodeSession, names: readonly string[]): Promise<void> {
  const looked = await look(session, script(setEachDown, ...names));
  if (looked.exitCode !== 0) throw failure(session, looked, 'ip');
}

/** The route without its next hops on these interfaces; undefined when none is left. */
function withoutHops(route: string, held: readonly string[]): string | undefined {
  const [start = '', ...hops] = route.split(/(?= nexthop )/);
  const left = hops.filter((hop) => !usesAny(hop.trim(), held));
  if (hops.length === 0) return usesAny(route, held) ? undefined : route;
  return left.length === 0 ? undefined : [start, ...left].join('');
}

/**
 * Sets interfaces up again, with the addresses and routes that they had. Those that are there stay as they are. An address
 * is not checked for duplicates again, so that routes can use it at once. Routes do without the interfaces that stay down (`held`).
 * @returns a sentence about routes and addresses that did not come back; empty when all did.
 */
export async function setUp(
  session: NodeSession,
  saved: readonly SavedInterface[],
  held: readonly string[] = [],
): Promise<string> {
  const were = saved.filter(({ isUp }) => isUp);
  const looked = await look(session, script(setEachUp, ...were.map(({ name }) => name)));
  if (looked.exitCode !== 0) throw failure(session, looked, 'ip');
  const addresses = were.flatMap((one) => one.addresses);
  const routes = were.flatMap((one) => one.routes);
  const commands = [
    ...addresses.map(({ device, address }) => `ip -6 addr add ${address} dev ${device} nodad`),
    ...routes.flatMap(({ family, route }) => {
      const words = withoutHops(route, held);
      // A route with some of its next hops is there as long as the others are down.
      const verb = words?.includes(' nexthop ') === true ? 'replace' : 'add';
      return words === undefined ? [] : `ip ${family} route ${verb} ${words}`;
    }),
  ];
  if (commands.length === 0) return '';
  const { exitCode, words } = await look(session, script(runAll, ...new Set(commands)));
  return exitCode === 0 ? '' : `addresses or routes of ${session.node} did not come back: ${words}`;
}

const hexOf = (name: string): string => Buffer.from(name).toString('hex');

/** Each is one transaction with nft(8), and does not depend on what was there before. */
const withoutTable = (name: string): string => {
  const table = `table netdev lab_fault_${hexOf(name)}`;
  return `add ${table}; delete ${table}`;
};

/**
 * Packet sockets, as those of IS-IS and LLDP, get a frame before the ingress hook: it is dropped where it leaves the other end,
 * and for a fault of one end alone at least nothing leaves that.
 */
const withTable = (name: string): string => {
  const table = `netdev lab_fault_${hexOf(name)}`;
  const chains = ['ingress', 'egress'].map(
    (hook) =>
      `add chain ${table} drop_${hook} { type filter hook ${hook} device "${name}" priority -500; policy drop; }`,
  );
  return [withoutTable(name), `add table ${table}`, ...chains].join('; ');
};

/** Words of nft(8) when the kernel has no such hook. */
const saysUnknown = /not supported|No such file or directory/i;

async function nft(session: NodeSession, commands: readonly string[]): Promise<void> {
  const looked = await look(session, ['nft', commands.join('; ')]);
  if (looked.exitCode === 0) return;
  if (saysUnknown.test(looked.words) && missingProgram('nft', looked.words) === undefined)
    throw new AppError(
      'not-supported',
      `the kernel of this server cannot drop packets at an interface, as nftables has no netdev hook: ${looked.words}`,
    );
  throw failure(session, looked, 'nft');
}

/** Those that need no quotes; the kernel takes any byte but a space and a slash. */
const plainName = /^[\w.:@+-]+$/;

/** Lets interfaces lose every frame of any protocol, in both directions, with their carrier as it is. */
export async function silence(session: NodeSession, names: readonly string[]): Promise<void> {
  for (const name of names)
    if (!plainName.test(name)) throw new AppError('not-supported', `nftables takes no interface "${name}"`);
  await nft(session, names.map(withTable));
}

export async function endSilence(session: NodeSession, names: readonly string[]): Promise<void> {
  await nft(session, names.map(withoutTable));
}
