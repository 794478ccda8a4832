/** The containers of labs, as `containerlab inspect --details --format json` prints them (0.79: they are Docker's, by lab). */
import path from 'node:path';
import { isMapping, textOf, type Mapping } from '../../../lib/mapping.ts';
import { parseReport } from '../../system/foreign-file.ts';

export interface LabContainer {
  /** The name of the node in the topology. */
  readonly node: string;
  /** The name in the topology of a node that consists of several containers; null for a single container. */
  readonly wholeNode: string | null;
  /** The name of the container in Docker, and of its network namespace. */
  readonly container: string;
  readonly kind: string | null;
  readonly image: string | null;
  /** `running`, `exited`, `created`, … */
  readonly state: string;
  /** Of its first process; 0 when it does not run. */
  readonly pid: number;
  /** `Up 3 seconds` */
  readonly status: string;
  readonly address: string | null;
  /** The file that the lab was deployed from; it may be gone. */
  readonly topologyFile: string | null;
  /** The directory that the node has in that of its lab, `clab-NAME`. */
  readonly nodeDirectory: string | null;
}

function containerOf(printed: Mapping): LabContainer | undefined {
  const labels = isMapping(printed['Labels']) ? printed['Labels'] : {};
  const network = isMapping(printed['NetworkSettings']) ? printed['NetworkSettings'] : {};
  const names: unknown = printed['Names'];
  const container = textOf(labels['clab-node-longname']) ?? textOf(Array.isArray(names) ? names[0] : null);
  const node = textOf(labels['clab-node-name']) ?? container;
  if (node === null || container === null) return undefined;
  return {
    node,
    wholeNode: textOf(labels['clab-root-node-name']),
    container,
    kind: textOf(labels['clab-node-kind']),
    image: textOf(printed['Image']),
    state: textOf(printed['State']) ?? '',
    pid: typeof printed['Pid'] === 'number' ? printed['Pid'] : 0,
    status: textOf(printed['Status']) ?? '',
    address: textOf(network['IPv4addr']) ?? textOf(network['IPv6addr']),
    topologyFile: textOf(labels['clab-topo-file']),
    nodeDirectory: textOf(labels['clab-node-lab-dir']),
  };
}

/** Undefined for what is no such document. Never throws. */
export function parseDocument(output: Buffer): Mapping | undefined {
  try {
    const value = parseReport(output);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Skips entries that it cannot parse. */
export function containersOf(printed: unknown): readonly LabContainer[] {
  const list: readonly unknown[] = Array.isArray(printed) ? printed : [];
  return list.filter(isMapping).flatMap((one) => containerOf(one) ?? []);
}

/** The directory that the lab lives in: that of its `clab-NAME`, which the service has put into the job's own. */
export function directoryOf(containers: readonly LabContainer[]): string | undefined {
  const [first] = containers.flatMap(({ nodeDirectory }) => nodeDirectory ?? []);
  if (first !== undefined) return path.dirname(path.dirname(first));
  const [file] = containers.flatMap(({ topologyFile }) => topologyFile ?? []);
  return file === undefined ? undefined : path.dirname(file);
}
