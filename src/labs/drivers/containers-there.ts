/** The containers of nodes as Docker and containerlab have them on this machine now. */
import { readlinkSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { ClaimedSuccess } from './lab-driver.ts';
import type { ContainerThere } from './status-driver.ts';
import { ranToItsEnd } from './status-failure.ts';

/** Runs a program of this machine that only reports. Never throws. */
export type Look = ClaimedSuccess['look'];

interface ContainersThere {
  /** By name. None of them exists that is not among them, unless there is a `doubt`. */
  readonly found: ReadonlyMap<string, ContainerThere>;
  /** Why Docker does not tell. */
  readonly doubt: string | null;
}

const fields = [
  '{{.Name}}',
  '{{.State.Status}}',
  '{{.State.Pid}}',
  '{{if .State.Health}}{{.State.Health.Status}}{{end}}',
];

/** Asks Docker once for all of them. For those that do not exist, it says so in a line each, and ends with 1. */
export async function containersThere(names: readonly string[], look: Look): Promise<ContainersThere> {
  const found = new Map<string, ContainerThere>();
  if (names.length === 0) return { found, doubt: null };
  const result = await look('docker', ['container', 'inspect', '--format', fields.join('\t'), ...names]);
  for (const line of result.stdout.toString('utf8').split('\n')) {
    const [name = '', state = '', pid = '', health = ''] = line.split('\t');
    if (name === '') continue;
    const isRunning = state === 'running' || state === 'paused';
    found.set(name.replace(/^\//, ''), { isRunning, pid: Number(pid), ...(health !== '' && { health }) });
  }
  const complaints = stripVTControlCharacters(result.stderr.toString('utf8'))
    .split('\n')
    .filter((line) => line.trim() !== '' && !/no such (container|object)/i.test(line));
  if (ranToItsEnd(result) && (result.exitCode === 0 || complaints.length === 0))
    return { found, doubt: null };
  return { found: new Map(), doubt: result.spawnError ?? complaints.at(-1) ?? 'it gives no answer' };
}

/** Where the network namespace of a container leads to, as containerlab has named it; empty when it has not. */
function namespaceOf(container: string, directory: string): string {
  try {
    return readlinkSync(path.join(directory, container));
  } catch {
    return '';
  }
}

/** Whether containerlab has stopped the node and keeps its links for its start: its namespace leads to where they are (0.79). */
export function isParked(container: string, directory = '/run/netns'): boolean {
  return path.basename(namespaceOf(container, directory)).startsWith('clab-park-');
}

/**
 * Whether a running container is another process than the one that containerlab gave links to: something else, such as the
 * restart policy of Docker, has started it again. Links end with the namespace that they were in.
 */
export function wasStartedAgain(
  container: string,
  { pid }: ContainerThere,
  directory = '/run/netns',
): boolean {
  if (isParked(container, directory)) return true;
  const [, linked] = /^\/proc\/(\d+)\/ns\/net$/.exec(namespaceOf(container, directory)) ?? [];
  return linked !== undefined && Number(linked) !== pid;
}
