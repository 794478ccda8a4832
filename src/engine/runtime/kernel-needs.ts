/** The parts of the kernel that the nodes of a lab need, as netlab's scripts for them tell. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import {
  describeFeature,
  featureRemedy,
  missingFeatures,
  triedFeatures,
  type KernelFeature,
} from '../../lib/net/kernel-features.ts';
import { readTextFile } from '../system/files.ts';
import { runProgram } from '../system/run-program.ts';
import type { ContainerLab, ContainerNode } from './lab-file.ts';

/** By the type of the interface (ip-link(8)). */
const features: Readonly<Record<string, KernelFeature>> = {
  bond: 'bonding',
  bridge: 'bridge',
  dummy: 'dummy',
  vlan: '8021q',
  vrf: 'vrf',
  vxlan: 'vxlan',
};

const added = /^\s*ip link add (?:link \S+ )?(?:name |dev )?(\S+).*? type (\w+)/gm;

/** netlab makes this VRF only where the kernel has VRFs (netsim/ansible/templates/initial/frr.j2). */
const managementVrf = 'mgmt';

/** A script makes no interface that the node has already. */
function featuresIn(script: string, own: ReadonlySet<string>): KernelFeature[] {
  const made = [...script.matchAll(added)].flatMap(([, name = '', type = '']) => {
    const feature = Object.hasOwn(features, type) ? features[type] : undefined;
    return feature === undefined || own.has(name) ? [] : [feature];
  });
  return /^\s*sysctl .*\bnet[./]mpls\b/m.test(script) ? [...made, 'mpls_router'] : made;
}

const scriptMaxBytes = 4 * 1024 * 1024;

/** `node_files/<node>/` beside the lab file has the scripts of a node, those that are run from outside as well. */
async function featuresOf({ name }: ContainerNode, { file, links }: ContainerLab): Promise<KernelFeature[]> {
  const directory = path.join(path.dirname(file), 'node_files', name);
  const names = await readdir(directory).catch(() => []);
  const scripts = await Promise.all(
    names.map(async (script) => readTextFile(path.join(directory, script), scriptMaxBytes).catch(() => '')),
  );
  const ends = links.flat().filter(({ node }) => node === name);
  const own = new Set(['lo', managementVrf, ...ends.map(({ ifname }) => ifname)]);
  return scripts.flatMap((script) => featuresIn(script, own));
}

/** Nodes by the feature that they need. */
export async function neededFeatures(lab: ContainerLab): Promise<ReadonlyMap<KernelFeature, string[]>> {
  const nodes = new Map<KernelFeature, string[]>();
  for (const node of lab.nodes)
    for (const feature of new Set(await featuresOf(node, lab)))
      nodes.set(feature, [...(nodes.get(feature) ?? []), node.name]);
  return nodes;
}

const namedNodes = 5;

function listed(nodes: readonly string[]): string {
  const more = nodes.length - namedNodes;
  const named = nodes.slice(0, namedNodes).join(', ');
  return `node${nodes.length === 1 ? '' : 's'} ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

type Missing = (wanted: readonly KernelFeature[]) => Promise<readonly KernelFeature[]>;

/** None when the kernel cannot be tried. */
const missingHere: Missing = async (wanted) => {
  const { exitCode, stdout } = await runProgram('unshare', triedFeatures(wanted, true));
  return exitCode === 0 ? missingFeatures(wanted, stdout) : [];
};

/** Why the kernel cannot run the lab, in one sentence; undefined when nothing is known to be missing. */
export async function problemOfKernel(
  lab: ContainerLab,
  missingOf: Missing = missingHere,
): Promise<string | undefined> {
  const needed = await neededFeatures(lab);
  const missing = needed.size === 0 ? [] : await missingOf([...needed.keys()]);
  if (missing.length === 0) return undefined;
  const needs = missing.map((name) => `${describeFeature(name)} for ${listed(needed.get(name) ?? [])}`);
  return `the kernel of this machine does not have ${needs.join(', ')}: ${featureRemedy(missing)}`;
}
