/** Interfaces that lose their link (ip-link(8)), or everything that they receive (nft(8)). */
import * as z from 'zod';
import { AppError } from '../../lib/app-error.ts';
import { assertInterface, missingProgram } from './interfaces.ts';
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
const readAll = `ip -j addr show || exit
for family in -4 -6; do
  for proto in boot static; do
    ip -o $family route show table all proto $proto | sed "s/^/$family proto $proto /"
  done
done`;

/** Each argument is a command; its words are separated by spaces and taken as they are. */
const runEach = `set -f
for command; do $command || exit; done`;

/** The same, for commands that do not depend on each other. */
const tryEach = `set -f
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

/** @throws AppError `interface-not-found`. */
export async function readInterfaces(
  session: NodeSession,
  names: readonly string[],
): Promise<readonly SavedInterface[]> {
  const looked = await look(session, script(readAll));
  if (looked.exitCode !== 0) throw failure(session, looked, 'ip');
  const [first = '[]', ...lines] = looked.output.split('\n');
  const links = JSON.parse(first) as readonly Link[];
  const routes = lines.flatMap((line) => {
    const [, family, words] = /^(-[46]) (.+)$/.exec(line) ?? [];
    return words === undefined ? [] : { family: family as '-4' | '-6', route: routeOf(words) };
  });
  return names.map((name) => {
    assertInterface(
      session.node,
      links.map(({ ifname }) => ifname),
      name,
    );
    const own = links.filter(({ ifname, link }) => ifname === name || link === name);
    return {
      name,
      isUp: own.some(({ ifname, flags }) => ifname === name && flags.includes('UP')),
      addresses: own.flatMap(({ ifname, addr_info: addresses }) =>
        addresses
          .filter(({ family, dynamic }) => family === 'inet6' && dynamic !== true)
          .map(({ local, prefixlen }) => ({ device: ifname, address: `${local ?? ''}/${prefixlen}` })),
      ),
      routes: routes.filter(({ route }) =>
        own.some(({ ifname }) => ` ${route} `.includes(` dev ${ifname} `)),
      ),
    };
  });
}

export async function setDown(session: NodeSession, names: readonly string[]): Promise<void> {
  const commands = names.map((name) => `ip link set dev ${name} down`);
  const looked = await look(session, script(runEach, ...commands));
  if (looked.exitCode !== 0) throw failure(session, looked, 'ip');
}

/**
 * Sets interfaces up again, with the addresses and routes that they had. An address is not checked for duplicates again, so
 * that routes can use it at once.
 * @returns a sentence about routes and addresses that did not come back; empty when all did.
 */
export async function setUp(session: NodeSession, saved: readonly SavedInterface[]): Promise<string> {
  const were = saved.filter(({ isUp }) => isUp);
  const up = were.map(({ name }) => `ip link set dev ${name} up`);
  const looked = await look(session, script(runEach, ...up));
  if (looked.exitCode !== 0) throw failure(session, looked, 'ip');
  const rest = were.flatMap(({ addresses, routes }) => [
    ...addresses.map(({ device, address }) => `ip -6 addr replace ${address} dev ${device} nodad`),
    ...routes.map(({ family, route }) => `ip ${family} route replace ${route}`),
  ]);
  if (rest.length === 0) return '';
  const { exitCode, words } = await look(session, script(tryEach, ...rest));
  return exitCode === 0 ? '' : `addresses or routes of ${session.node} did not come back: ${words}`;
}

const hexOf = (name: string): string => Buffer.from(name).toString('hex');

/** The table of an interface that drops: each is one transaction, and none depends on what was there before. */
const withoutTable = (name: string): string => {
  const table = `table netdev lab_fault_${hexOf(name)}`;
  return `add ${table}; delete ${table}`;
};
const withTable = (name: string): string => {
  const table = `netdev lab_fault_${hexOf(name)}`;
  const hook = `type filter hook ingress device "${name}" priority -500; policy drop;`;
  return `${withoutTable(name)}; add table ${table}; add chain ${table} ingress_drop { ${hook} }`;
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

/** Lets interfaces lose every frame that they receive, of any protocol, with their carrier as it is. */
export async function silence(session: NodeSession, names: readonly string[]): Promise<void> {
  for (const name of names)
    if (!plainName.test(name)) throw new AppError('not-supported', `nftables takes no interface "${name}"`);
  await nft(session, names.map(withTable));
}

export async function endSilence(session: NodeSession, names: readonly string[]): Promise<void> {
  await nft(session, names.map(withoutTable));
}
