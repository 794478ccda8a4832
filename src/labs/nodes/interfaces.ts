import { readlinkSync } from 'node:fs';
import { AppError } from '../../lib/app-error.ts';
import { look, type NodeSession } from './node-session.ts';

const listedMax = 20;

/** The program is one of this machine: it is missing for all nodes alike. */
export function missingProgram(program: string, words: string): AppError | undefined {
  if (!words.includes(`${program}: not found`)) return undefined;
  return new AppError(
    'not-supported',
    `the program "${program}" is not on the PATH of the service: install it`,
  );
}

/**
 * Checks that a node has a network of its own, by the link `/proc/self/ns/net` (namespaces(7)) of a program in it. A container
 * may use the network of the server, whose interfaces must stay as they are. @throws AppError `not-supported`.
 */
export function assertOwnNetwork(node: string, network: string): void {
  if (network === readlinkSync('/proc/self/ns/net'))
    throw new AppError(
      'not-supported',
      `${node} is in the network of the server itself, which is left alone`,
    );
}

/** @throws AppError `interface-not-found`. */
export function assertInterface(node: string, names: readonly string[], name: string): void {
  if (names.includes(name)) return;
  const list = `${names.slice(0, listedMax).join(', ')}${names.length > listedMax ? ', …' : ''}`;
  throw new AppError('interface-not-found', `${node} has no interface "${name}"; it has ${list}`);
}

/**
 * Checks that the node has an interface of that name, as its kernel calls it. `tcpdump` would take other names as well: those
 * of USB ports, message buses and other machines.
 * @throws AppError `interface-not-found`.
 */
export async function checkInterface(session: NodeSession, name: string): Promise<void> {
  const { exitCode, output, words } = await look(session, ['ip', '-j', 'link', 'show']);
  if (exitCode !== 0)
    throw (
      missingProgram('ip', words) ??
      new AppError('lab-cli-failed', `the interfaces of ${session.node} could not be read: ${words}`)
    );
  const links = JSON.parse(output) as { readonly ifname: string }[];
  assertInterface(
    session.node,
    links.map(({ ifname }) => ifname),
    name,
  );
}
