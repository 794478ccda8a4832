/**
 * Checks a topology without the lab CLI. Errors are mistakes for every lab CLI: invalid YAML, or a link to a missing node. Unknown
 * names may be correct, and are warnings.
 */
import { LineCounter } from 'yaml';
import { attributesOf } from '../../../../../src/engine/topology/attributes.ts';
import { Findings } from '../../../../../src/engine/topology/findings.ts';
import { isMapping, Source, type Mapping } from '../../../../../src/engine/topology/source.ts';
import { closest, didYouMean } from '../../../../../src/lib/text/did-you-mean.ts';
import { linksOf, type LinkEnd } from './links-of.ts';
import { mayHaveOtherNodes, membersOf, nodesOf, type NodeEntry } from './nodes-of.ts';
import { devices } from './topology-words.ts';

export interface Problem {
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

export interface CheckedTopology {
  readonly problems: readonly Problem[];
  /** Undefined when the text is not YAML. */
  readonly nodes: readonly string[] | undefined;
}

interface Reading {
  readonly source: Source;
  readonly findings: Findings;
  readonly root: Mapping;
  readonly otherDevices: readonly string[];
}

const nodeKeys = attributesOf('node');
const topKeys = attributesOf('topology');

function checkTop({ source, findings, root }: Reading): void {
  for (const key of Object.keys(root)) {
    if (topKeys.includes(key) || key.startsWith('_')) continue;
    findings.warn(source.keyAt(root, key), `netlab may not know “${key}”${didYouMean(key, topKeys)}`);
  }
  const { nodes } = root;
  if (nodes !== undefined && nodes !== null && !isMapping(nodes) && !Array.isArray(nodes))
    findings.error(source.valueAt(root, 'nodes'), 'nodes must be a list of names or a map of nodes');
}

function checkDevice(map: Mapping, key: string, { source, findings, otherDevices }: Reading): void {
  const device = map[key];
  if (typeof device !== 'string' || device in devices || otherDevices.includes(device)) return;
  const known = [...Object.keys(devices), ...otherDevices];
  findings.warn(
    source.valueAt(map, key),
    `netlab may not know the device “${device}”${didYouMean(device, known)}`,
  );
}

function checkNodes(reading: Reading, entries: readonly NodeEntry[]): void {
  const { source, findings, root } = reading;
  if (isMapping(root['defaults'])) checkDevice(root['defaults'], 'device', reading);
  for (const { name, data, at } of entries) {
    if (data === null) continue;
    if (!isMapping(data)) {
      findings.error(at, `the value of node “${name}” must be a map of attributes, or empty`);
      continue;
    }
    checkDevice(data, 'device', reading);
    for (const key of Object.keys(data)) {
      if (nodeKeys.includes(key)) continue;
      // Modules and plugins add attributes: only probable typing errors are reported.
      if (closest(key, nodeKeys) !== undefined)
        findings.warn(source.keyAt(data, key), `netlab may not know “${key}”${didYouMean(key, nodeKeys)}`);
    }
  }
}

function checkLinks({ source, findings, root }: Reading, names: ReadonlySet<string>): void {
  const isOpen = mayHaveOtherNodes(root);
  const report = ({ at, name, isKey }: LinkEnd): void => {
    if (names.has(name)) return;
    const hint = didYouMean(name, names);
    const what =
      name === ''
        ? 'an end of the link has no name'
        : isKey
          ? `“${name}” is neither a node nor an attribute of a link${hint}`
          : `there is no node “${name}”${hint}`;
    if (isOpen) findings.warn(at, `${what}; a plugin may add it`);
    else findings.error(at, what);
  };
  for (const { ends } of linksOf(root['links'], ['links'], { source, names }))
    for (const end of ends) report(end);
}

/** `otherDevices` are further devices that this server knows. */
export function checkTopology(text: string, otherDevices: readonly string[] = []): CheckedTopology {
  const lines = new LineCounter();
  const findings = new Findings(lines);
  const source = new Source(text, lines, findings);
  const { root } = source;
  const isYaml = !findings.hasErrors;
  const reading: Reading = { source, findings, root, otherDevices };
  const entries = nodesOf(source);
  const names = new Set([...entries.map(({ name }) => name), ...membersOf(root)]);
  if (isYaml) {
    checkTop(reading);
    checkNodes(reading, entries);
    checkLinks(reading, names);
  }
  const found = (severity: Problem['severity'], list: Findings['errors']): Problem[] =>
    list.map(({ position, message }) => ({ line: 1, column: 1, ...position, message, severity }));
  return {
    problems: [...found('error', findings.errors), ...found('warning', findings.warnings)],
    nodes: isYaml ? [...names] : undefined,
  };
}

/** Whether a YAML file is a topology: by its name, or because it has nodes or links. */
export function isTopology(path: string, text: string): boolean {
  const name = path.split('/').at(-1) ?? '';
  return /^topology(?!.*\.clab\.).*\.ya?ml$/i.test(name) || /^(?:nodes|links)\s*:/m.test(text);
}
