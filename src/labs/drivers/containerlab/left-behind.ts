/** What containerlab may leave of a lab that it has taken away (0.79); it says nothing of either. */
import { access } from 'node:fs/promises';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { isMapping } from '../../../lib/mapping.ts';
import { readPlainBytes } from '../../../lib/plain-file.ts';
import { findTooDeep, maxParsedLength } from '../../../lib/yaml-depth.ts';
import type { LabDown } from '../lab-driver.ts';

/** Where iproute2 keeps the namespaces that have names (ip-netns(8)). */
const namespaces = '/run/netns';
/** As containerlab calls the management network of a topology that gives it no name. */
const usualNetwork = 'clab';

/** What Docker takes as the name of a network, and as no option. */
const networkName = /^[a-zA-Z\d][\w.-]*$/;

/** Undefined for a template, and for what is no topology any more: nobody knows its network then. */
async function networkIn(file: string): Promise<string | undefined> {
  const reading = await readPlainBytes(file, { maxBytes: maxParsedLength, followsLinks: true });
  if (reading.kind !== 'found') return undefined;
  const text = reading.bytes.toString('utf8');
  if (findTooDeep(text)) return undefined;
  const { parse } = await import('yaml');
  try {
    const document: unknown = parse(text, { logLevel: 'silent', uniqueKeys: false });
    const { mgmt } = isMapping(document) ? document : {};
    const name = isMapping(mgmt) ? (mgmt['network'] ?? usualNetwork) : usualNetwork;
    return typeof name === 'string' && networkName.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A network that containerlab has made for labs goes with the last container alone. Where an `up` was ended before it made one,
 * or a `down` right after it removed that, nothing takes the network away.
 */
async function networkLeft({ command, look }: LabDown): Promise<readonly string[]> {
  const file = command[command.indexOf('--topo') + 1];
  if (!command.includes('--topo') || file === undefined || command.includes('--keep-mgmt-net')) return [];
  const name = await networkIn(file);
  if (name === undefined) return [];
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
    `the management network "${name}" is still there, and no container uses it: containerlab removes it with the last container alone. The next "up" uses it; "docker network rm ${name}" removes it`,
  ];
}

/** The links of a node that was stopped wait in a namespace of their own for its start. */
async function namespacesLeft({ logEnd }: LabDown): Promise<readonly string[]> {
  const removed = stripVTControlCharacters(logEnd).matchAll(/ Removed container name=([\w.-]+)$/gm);
  const names = [...new Set([...removed].map(([, container]) => `clab-park-${container}`))];
  const areThere = await Promise.all(
    names.map(async (name) =>
      access(path.join(namespaces, name)).then(
        () => true,
        () => false,
      ),
    ),
  );
  const left = names.filter((_, index) => areThere[index]);
  if (left.length === 0) return [];
  return [
    `network namespaces of nodes that were stopped are still there, and empty: ${left.join(', ')}. "ip netns delete NAME" removes one`,
  ];
}

/** Sentences for a person. What Docker does not tell is no sentence. */
export async function leftBehind(down: LabDown): Promise<readonly string[]> {
  return (await Promise.all([networkLeft(down), namespacesLeft(down)])).flat();
}
