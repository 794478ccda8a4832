/** The remains of a lab after containerlab has removed it (0.79), which it does not report. */
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { isMapping } from '../../../lib/mapping.ts';
import { readPlainBytes } from '../../../lib/files/plain-file.ts';
import { maxParsedLength } from '../../../lib/text/yaml-depth.ts';
import { containersThere } from '../containers-there.ts';
import type { ClaimedSuccess, LabDown } from '../lab-driver.ts';
import { fewOf } from '../sentence.ts';
import { topologyIn, topologyOf } from './topology-files.ts';

const placesOfMachine = {
  /** Where iproute2 keeps the namespaces that have names (ip-netns(8)), and containerlab a link to that of each container. */
  namespaces: '/run/netns',
  /** Where containerlab puts a file for each lab. */
  sshConfig: '/etc/ssh/ssh_config.d',
};
type Places = typeof placesOfMachine;

/** A valid network name of Docker that is not an option. */
const networkName = /^[a-zA-Z\d][\w.-]*$/;

/** All labs share it whose topologies name no network. */
const sharedNetwork = 'clab';

/** The management network of a topology. Undefined for a template, or for a file that is no longer a topology: it is unknown. */
async function networkIn(file: string): Promise<string | undefined> {
  const reading = await readPlainBytes(file, { maxBytes: maxParsedLength, followsLinks: true });
  if (reading.kind !== 'found') return undefined;
  const text = reading.bytes.toString('utf8');
  if (text.includes('{{')) return undefined;
  const topology = await topologyIn(text);
  const mgmt = topology?.['mgmt'] ?? {};
  if (topology === undefined || !isMapping(mgmt)) return undefined;
  const name = mgmt['network'] ?? sharedNetwork;
  return typeof name === 'string' && networkName.test(name) ? name : undefined;
}

const after = (command: readonly string[], word: string): string | undefined =>
  command.includes(word) ? command[command.indexOf(word) + 1] : undefined;

/**
 * containerlab removes a network together with the last container that uses it. When an `up` was ended before its first container,
 * or a `down` between the last one and the network, no later `down` removes it.
 */
async function networkLeft(log: string, { command, look }: LabDown): Promise<readonly string[]> {
  const file = topologyOf(command);
  const mayStay = command.includes('--keep-mgmt-net') || command.includes('--node-filter');
  const name = file === undefined || mayStay ? undefined : await networkIn(file);
  // After the last of its containers it has removed it: then another lab starts with this network.
  if (name === undefined || (name === sharedNetwork && removedIn(log).length > 0)) return [];
  const printed = async (...args: string[]): Promise<string | undefined> => {
    const { exitCode, stdout } = await look('docker', args);
    return exitCode === 0 ? stdout.toString('utf8').trim() : undefined;
  };
  const ofLabs = await printed('network', 'ls', '--filter', 'label=containerlab', '--format', '{{.Name}}');
  if (ofLabs?.split('\n').includes(name) !== true) return [];
  // Stopped ones too: without their network they could not be started again.
  const users = await printed('ps', '--all', '--filter', `network=${name}`, '--format', '{{.ID}}');
  if (users !== '') return [];
  return [
    `the management network "${name}" is still there without a container: containerlab removes it with the last one alone. The next "up" uses it; where no lab with this network is just starting, "docker network rm ${name}" removes it`,
  ];
}

async function thereOf(files: readonly string[]): Promise<readonly string[]> {
  const areThere = await Promise.all(
    files.map(async (file) =>
      lstat(file).then(
        () => true,
        () => false,
      ),
    ),
  );
  return files.filter((_, index) => areThere[index]);
}

function removedIn(log: string): readonly string[] {
  return [
    ...new Set([...log.matchAll(/ Removed container name=([\w.-]+)$/gm)].flatMap(([, name]) => name ?? [])),
  ];
}

const parking = 'clab-park-';

/**
 * The links of a node that was stopped wait in a namespace of their own for its start. Of containers with the name of the lab that
 * something else removed, no log tells; a longer name of a lab may begin the same, so only those without a container count.
 */
async function namespacesLeft(
  log: string,
  { instance, look }: LabDown,
  { namespaces }: Places,
): Promise<readonly string[]> {
  const removed = new Set(removedIn(log));
  const parked = (await readdir(namespaces).catch(() => []))
    .filter((name) => name.startsWith(parking))
    .map((name) => name.slice(parking.length));
  const isOfName = (name: string): boolean => instance !== null && name.startsWith(`clab-${instance}-`);
  const others = parked.filter((name) => !removed.has(name) && isOfName(name));
  const { found, doubt } = await containersThere(others, look);
  const ofLab = new Set(doubt === null ? others.filter((name) => !found.has(name)) : []);
  const left = parked.filter((name) => removed.has(name) || ofLab.has(name)).toSorted();
  if (left.length === 0) return [];
  const names = fewOf(left.map((name) => `${parking}${name}`));
  return [
    `network namespaces of nodes that were stopped are still there: ${names}. "ip netns delete NAME" removes one`,
  ];
}

/** Without its topology a lab is its containers to containerlab, and nothing else of it is removed. */
async function leftWithoutTopology(
  log: string,
  { command }: LabDown,
  { namespaces, sshConfig }: Places,
): Promise<readonly string[]> {
  const name = after(command, '--name');
  // Without a topology it takes the lab for one without a name, and looks for the SSH file of that.
  if (name === undefined || !/ Removing SSH config path=\S*\/clab-\.conf$/m.test(log)) return [];
  const left = await thereOf([
    path.join(sshConfig, `clab-${name}.conf`),
    ...removedIn(log).map((container) => path.join(namespaces, container)),
  ]);
  const files = left.length === 0 ? '' : ` Still there: ${fewOf(left)}.`;
  return [
    `containerlab found no topology of the lab, and removed its containers alone.${files} A management network that only this lab has is still there, too. With the topology in its place, an "up" and a "down" remove that`,
  ];
}

/** Sentences for a person. If Docker does not answer, there are none. */
export async function leftBehind(down: LabDown, places = placesOfMachine): Promise<readonly string[]> {
  const log = stripVTControlCharacters(down.logEnd);
  const found = await Promise.all([
    networkLeft(log, down),
    namespacesLeft(log, down, places),
    leftWithoutTopology(log, down, places),
  ]);
  return found.flat();
}

/**
 * The containers that remain of a lab, as a sentence; undefined if none was found. Includes stopped containers, which `destroy`
 * removes. Without an answer of Docker, none is found, which proves nothing.
 */
export async function remainsOfLab({
  instance,
  look,
}: Pick<ClaimedSuccess, 'instance' | 'look'>): Promise<string | undefined> {
  if (instance === null) return undefined;
  const list = ['ps', '--all', '--filter', `label=containerlab=${instance}`, '--format', '{{.Names}}'];
  const { exitCode, stdout } = await look('docker', list);
  const names =
    exitCode === 0
      ? stdout
          .toString('utf8')
          .split('\n')
          .filter((name) => name !== '')
      : [];
  return names.length === 0 ? undefined : `the containers ${names.join(', ')}`;
}
