/** Topologies of containerlab: `*.clab.yml`, and what is in them (https://containerlab.dev/manual/topo-def-file/). */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isMapping, textOf, type Mapping } from '../../../lib/mapping.ts';
import { readPlainBytes } from '../../../lib/files/plain-file.ts';
import { understand } from '../../system/foreign-file.ts';
import type { LabDriver, TopologyFiles, TopologySummary } from '../lab-driver.ts';
import { topologyYaml } from '../topology-yaml.ts';
import { containersOf } from './containers.ts';

const isTopologyName = (name: string): boolean => /\.clab\.ya?ml$/.test(name);

/** A template has its name all the same, as long as that is plain text; Go's own words end where a line does. */
const nameLine = /(?:^\uFEFF?|\n)name:[ \t]([^\n]*)/;

/** The time for it grows with its length alone, and that of one that is no name at all is refused at its first blank. */
const nameValue = /^(["']?)(\w[\w.-]*)\1(?:[ \t]+#.*)?$/;

/** A valid lab name, because it becomes a part of the names of containers and directories. */
const isLabName = (name: string): boolean => /^\w[\w.-]*$/.test(name);

/** Most topologies have it in one of their first lines, and no YAML has to be read for it: a template is none. */
async function nameIn(text: string): Promise<string | undefined> {
  const plain = nameValue.exec((nameLine.exec(text)?.[1] ?? '').trim())?.[2];
  const name = plain ?? (await parsedName(text));
  return name !== undefined && isLabName(name) ? name : undefined;
}

/** The topology in a text; undefined for a template, and for what is none. Never throws. */
export async function topologyIn(text: string): Promise<Mapping | undefined> {
  // containerlab will say what is wrong with it.
  const document = await understand(topologyYaml, Buffer.from(text)).catch(() => undefined);
  return isMapping(document) ? document : undefined;
}

async function parsedName(text: string): Promise<string | undefined> {
  if (!text.includes('name')) return undefined;
  const name = (await topologyIn(text))?.['name'];
  return typeof name === 'string' || typeof name === 'number' ? String(name) : undefined;
}

export const instanceOf: LabDriver['instanceOf'] = async ({ topologyText }) =>
  topologyText === undefined ? null : ((await nameIn(topologyText)) ?? null);

/** More topologies in one directory are not looked at: each may have to be read. */
const candidatesMax = 100;

async function candidates(workdir: string): Promise<readonly string[]> {
  const names = await readdir(workdir).catch(() => []);
  return names.filter(isTopologyName).toSorted().slice(0, candidatesMax);
}

const maxBytes = 4 * 1024 * 1024;

/**
 * By the directories that labs leave, `clab-NAME`, when there is one alone; else by the topologies, when they name one lab
 * alone. Several labs are ambiguous.
 */
async function labOf(workdir: string): Promise<string | undefined> {
  const entries = await readdir(workdir, { withFileTypes: true }).catch(() => []);
  const left = entries
    .filter((entry) => entry.isDirectory() && entry.name.startsWith('clab-'))
    .map(({ name }) => name.slice('clab-'.length))
    .filter(isLabName);
  if (left.length > 0) return left.length === 1 ? left[0] : undefined;
  const topologies = entries.map(({ name }) => name).filter(isTopologyName);
  if (topologies.length > candidatesMax) return undefined;
  const found = new Set<string>();
  // One after the other: each may be long.
  for (const topology of topologies) {
    const reading = await readPlainBytes(path.join(workdir, topology), { maxBytes, followsLinks: true });
    const name = reading.kind === 'found' ? await nameIn(reading.bytes.toString('utf8')) : undefined;
    if (name !== undefined) found.add(name);
    if (found.size > 1) return undefined;
  }
  const [name] = found;
  return name;
}

/** The topology that a command names. */
export function topologyOf(command: readonly string[]): string | undefined {
  return command.includes('--topo') ? command[command.indexOf('--topo') + 1] : undefined;
}

/**
 * A label tells it, else it is a topology in the directory, or the one that its `up` was given. It must name this lab: `destroy`, and that half of `redeploy`, go
 * by the name in the file, whatever `--name` says (0.79).
 */
async function fileOf({
  instance,
  workdir,
  entry,
  startedBy = [],
}: Parameters<NonNullable<TopologyFiles['fileOf']>>[0]): Promise<string | undefined> {
  const [told] = containersOf(entry?.['containers']).flatMap(({ topologyFile }) => topologyFile ?? []);
  const own = (await candidates(workdir)).map((name) => path.join(workdir, name));
  for (const file of [told, ...own, topologyOf(startedBy)]) {
    if (file === undefined) continue;
    const reading = await readPlainBytes(file, { maxBytes, followsLinks: true });
    if (reading.kind === 'found' && (await nameIn(reading.bytes.toString('utf8'))) === instance) return file;
  }
  return undefined;
}

function trimmedText(value: unknown): string | null {
  return textOf(typeof value === 'string' ? value.trim() : value);
}

function kindsOf(topology: Mapping): readonly string[] {
  const parts = [topology['nodes'], topology['groups']].flatMap((map) =>
    isMapping(map) ? Object.values(map) : [],
  );
  const defaults = isMapping(topology['defaults']) ? [topology['defaults']] : [];
  const kinds = [...parts, ...defaults].map((one) => (isMapping(one) ? trimmedText(one['kind']) : null));
  return [...new Set(kinds)].filter((kind) => kind !== null);
}

function summarize(document: Mapping): TopologySummary {
  const topology = isMapping(document['topology']) ? document['topology'] : {};
  const { nodes, links, defaults } = topology;
  return {
    title: trimmedText(document['name']),
    description: null,
    provider: 'clab',
    device: isMapping(defaults) ? trimmedText(defaults['kind']) : null,
    devices: kindsOf(topology),
    nodes: isMapping(nodes) ? Object.keys(nodes).length : 0,
    links: Array.isArray(links) ? links.length : 0,
    unsupported: [],
  };
}

export const topologyFiles: TopologyFiles = {
  candidates,
  places: ['*.clab.yml', '*.clab.yaml'],
  isName: isTopologyName,
  areOwnNames: true,
  summarize,
  missing: (_summary, has) =>
    has('docker') ? [] : ['containerlab needs docker, which is not installed here'],
  labOf,
  fileOf,
};
