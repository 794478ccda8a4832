import { invalidField, messageOf } from '../../lib/app-error.ts';
import { findTooDeepValue, maxParsedLength } from '../../lib/text/yaml-depth.ts';
import { topologyFields } from '../model/actions.ts';
import type { GitSource } from '../model/git-source.ts';
import type { AllowedRoots } from '../system/allowed-roots.ts';
import type { LabDriver, TopologyFiles } from '../drivers/lab-driver.ts';
import { topologyHead } from '../drivers/topology-yaml.ts';
import { understand } from '../system/foreign-file.ts';
import { findTopologyFile } from './topology-file.ts';
import { downloadTopology } from './topology-url.ts';

/** Where a request says its topology comes from. An empty string counts as absent, as in netlab api. */
export interface TopologyFields {
  readonly topologyUrl?: string | undefined;
  readonly topology?: string | object | undefined;
  readonly topologyPath?: string | undefined;
  /** The repository that the files of the working directory came from. */
  readonly source?: GitSource | undefined;
}

interface TopologyContext {
  readonly workdir: string;
  readonly roots: AllowedRoots;
  readonly topologyHosts: readonly string[];
  /** The topology files of the lab CLI in use. */
  readonly topologies: TopologyFiles;
  /** The topology files of the other lab CLIs. Absent: there are none. */
  readonly otherDrivers?: readonly LabDriver[];
}

export interface PlannedTopology {
  /** Absolute; undefined when `text` is still to be saved. */
  readonly file: string | undefined;
  /** An inline or downloaded topology; undefined when there is a file. */
  readonly text: string | undefined;
  /** Whether the text says what the lab is called; true for a file, which is called after its directory. */
  readonly isNamed: boolean;
}

interface TopologyText {
  readonly text: string;
  readonly isNamed: boolean;
}

/** The topology fields that a request holds, the one that counts first. */
export function givenTopologyFields(request: TopologyFields): (typeof topologyFields)[number][] {
  return topologyFields.filter((field) => request[field] !== undefined && request[field] !== '');
}

async function requireMapping(text: string, field: string): Promise<TopologyText> {
  if (text.length > maxParsedLength) return { text, isNamed: /^["']?name["']?\s*:/m.test(text) };
  try {
    return { text, ...(await understand(topologyHead, Buffer.from(text))) };
  } catch (error) {
    throw invalidField(field, messageOf(error));
  }
}

async function toYaml(topology: object): Promise<string> {
  const tooDeep = findTooDeepValue(topology);
  if (tooDeep) throw invalidField('topology', `is not a topology: it has ${tooDeep.message}`);
  const { stringify } = await import('yaml');
  // Python's YAML reader follows version 1.1, where a bare `no` or `1:30` is not a string: strings are quoted.
  return stringify(topology, {
    version: '1.1',
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    aliasDuplicateObjects: false,
    lineWidth: 0,
  });
}

async function textOf(topology: string | object): Promise<TopologyText> {
  if (typeof topology === 'string') return requireMapping(topology, 'topology');
  if (Array.isArray(topology)) throw invalidField('topology', 'must be YAML text or an object, not a list');
  return { text: await toYaml(topology), isNamed: 'name' in topology };
}

/** The topology that a job reads: from the first field that is present, else from a file in the working directory. */
export async function planTopology(
  request: TopologyFields,
  context: TopologyContext,
): Promise<PlannedTopology> {
  const { topologyUrl, topology, topologyPath } = request;
  const [first] = givenTopologyFields(request);
  if (first === 'topologyUrl') {
    const text = await downloadTopology(topologyUrl ?? '', context.topologyHosts);
    return { file: undefined, ...(await requireMapping(text, 'topologyUrl')) };
  }
  if (first === 'topology') return { file: undefined, ...(await textOf(topology ?? '')) };
  return {
    file: await findTopologyFile(topologyPath || undefined, { ...context, source: request.source }),
    text: undefined,
    isNamed: true,
  };
}
