/**
 * Whether nodes were really started or stopped: containerlab ends with 0 when it has left out a node that runs already and has
 * no links, or that stopped by itself, whose links are gone for good (0.79).
 */
import { stripVTControlCharacters } from 'node:util';
import type { ClaimedSuccess } from '../lab-driver.ts';
import { interfacesOf } from '../net-dev.ts';
import { containerlabTopology } from './containerlab-topology.ts';

type Claim = Pick<ClaimedSuccess, 'workdir' | 'instance' | 'nodes' | 'look' | 'logEnd'>;

interface NodeContainer {
  readonly id: string;
  readonly node: string;
  /** The node whose part it is, of one that is several containers; else empty. */
  readonly whole: string;
  readonly state: string;
}

const columns = ['{{.ID}}', '{{.Label "clab-node-name"}}', '{{.Label "clab-root-node-name"}}', '{{.State}}'];

/** Undefined when Docker does not tell, which proves nothing either way. */
async function containersOf({ instance, nodes, look }: Claim): Promise<readonly NodeContainer[] | undefined> {
  if (instance === null) return undefined;
  const filter = `label=containerlab=${instance}`;
  const list = ['ps', '--all', '--no-trunc', '--filter', filter, '--format', columns.join('\t')];
  const { exitCode, stdout } = await look('docker', list);
  if (exitCode !== 0) return undefined;
  const lines = stdout.toString('utf8').split('\n');
  const all = lines
    .map((line) => line.split('\t'))
    .filter((cells) => cells.length === columns.length)
    .map(([id = '', node = '', whole = '', state = '']) => ({ id, node, whole, state }));
  return all.filter(
    ({ node, whole }) => nodes.includes('*') || nodes.includes(node) || nodes.includes(whole),
  );
}

const named = (list: readonly NodeContainer[]): string => list.map(({ node }) => node).join(', ');

/** Docker's words for what has no process. */
const isStopped = ({ state }: NodeContainer): boolean => ['exited', 'created', 'dead'].includes(state);

export async function whyNotStopped(claim: Claim): Promise<string | undefined> {
  const running = (await containersOf(claim))?.filter((one) => !isStopped(one)) ?? [];
  return running.length === 0 ? undefined : `these nodes still run: ${named(running)}; see the log`;
}

/** By node: the links that it had when the lab was deployed. Without its file, nothing is known of them. */
async function linksOf({ workdir, instance }: Claim): Promise<ReadonlyMap<string, readonly string[]>> {
  const never = (): never => {
    throw new Error('it is read from a file');
  };
  const topology = await containerlabTopology.read(workdir, never, instance ?? '').catch(() => undefined);
  return new Map(
    topology?.nodes.map(({ name, interfaces }) => [name, interfaces.map((one) => one.name)] as const),
  );
}

/** Nodes of some kinds hide their interfaces within moments. */
function restoredIn(logEnd: string): ReadonlySet<string> {
  const lines = stripVTControlCharacters(logEnd).matchAll(/Restored link node=(\S+) interface=(\S+)/g);
  return new Set([...lines].map(([, node, name]) => `${node} ${name}`));
}

async function missingLinks(claim: Claim, running: readonly NodeContainer[]): Promise<readonly string[]> {
  const [links, restored] = [await linksOf(claim), restoredIn(claim.logEnd)];
  const linked = running.filter(({ node, whole }) => whole === '' && (links.get(node)?.length ?? 0) > 0);
  if (linked.length === 0) return [];
  const ids = linked.map(({ id }) => id);
  const { exitCode, stdout } = await claim.look('docker', ['inspect', '--format', '{{.State.Pid}}', ...ids]);
  if (exitCode !== 0) return [];
  const pids = stdout.toString('utf8').trim().split('\n').map(Number);
  const missing = linked.map(async ({ node }, index) => {
    const there = await interfacesOf(pids[index] ?? 0);
    const gone = links
      .get(node)
      ?.filter((name) => there?.has(name) === false && !restored.has(`${node} ${name}`));
    return gone === undefined || gone.length === 0 ? [] : [`${node} (${gone.join(', ')})`];
  });
  return (await Promise.all(missing)).flat();
}

export async function whyNotStarted(claim: Claim): Promise<string | undefined> {
  const containers = await containersOf(claim);
  if (containers === undefined) return undefined;
  const stopped = containers.filter(isStopped);
  if (stopped.length > 0) return `these nodes do not run: ${named(stopped)}; see the log`;
  const missing = await missingLinks(claim, containers);
  return missing.length === 0
    ? undefined
    : `these nodes run without links of theirs: ${missing.join('; ')}; where "restart-nodes" does not bring them back, "up" with "reconfigure" makes them anew`;
}
