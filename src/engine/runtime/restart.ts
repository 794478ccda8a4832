/** `containerlab restart` for labs in namespaces: nodes start anew, and keep their links. */
import * as z from 'zod';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../lib/app-error.ts';
import { mapBounded } from '../../lib/async/map-bounded.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { withTrees } from '../images/trees.ts';
import { claimedNames, readClaim } from '../state/claim.ts';
import { withInstanceLock } from '../state/instance-lock.ts';
import { endProcesses } from '../system/end-processes.ts';
import type { Lock } from '../system/lock.ts';
import { namespaceFile } from '../system/namespace-files.ts';
import { runProgram } from '../system/run-program.ts';
import { assertCanRun, inTurns, refuseOther, startsAtOnce } from './deploy.ts';
import { usableRoots } from './images.ts';
import { readLabFile, type ContainerLab, type ContainerNode } from './lab-file.ts';
import { nodeDirectory } from './lab-records.ts';
import { madeInterfaces } from './links.ts';
import { startNode } from './start-node.ts';

/** The nodes with these names; undefined stands for all. @throws EngineError about names that are not in the lab. */
function chosenNodes(
  { name, nodes }: ContainerLab,
  wanted: readonly string[] | undefined,
): readonly ContainerNode[] {
  if (wanted === undefined) return nodes;
  const known = nodes.map((node) => node.name);
  const unknown = wanted.filter((each) => !known.includes(each));
  if (unknown.length > 0)
    throw new EngineError(
      `the lab "${name}" has no node "${unknown.join(', ')}": it has ${known.join(', ')}`,
    );
  return nodes.filter((node) => wanted.includes(node.name));
}

/** @throws EngineError about nodes whose namespaces are not surely those of this lab. */
async function assertMade(
  context: EngineContext,
  lab: ContainerLab,
  nodes: readonly ContainerNode[],
): Promise<void> {
  const claim = await readClaim(context, lab.instance);
  if (claim === undefined) throw new EngineError(`the lab "${lab.name}" is not started`);
  const there = claimedNames(context.runDir, lab.instance, claim);
  const lost = nodes.filter(
    ({ container }) => !there.includes(container) || claim.inodes?.[container] === undefined,
  );
  if (lost.length > 0)
    throw new EngineError(
      `the lab "${lab.name}" lacks the network namespace of ${lost.map(({ name }) => name).join(', ')}: start the lab anew`,
    );
}

const interfacesSchema = z.array(z.object({ ifname: z.string() }));

async function interfacesOf({ name, container }: ContainerNode): Promise<readonly string[]> {
  const { exitCode, stdout, stderr } = await runProgram('ip', ['-netns', container, '-json', 'link', 'show']);
  if (exitCode !== 0) throw new EngineError(`cannot see the interfaces of ${name}: ${stderr.trim()}`);
  return interfacesSchema.parse(JSON.parse(stdout)).map(({ ifname }) => ifname);
}

/** A node without one of its links would stop, and not start again. @throws EngineError */
async function assertLinked(lab: ContainerLab, nodes: readonly ContainerNode[]): Promise<void> {
  const all = await mapBounded(nodes, startsAtOnce, async (node) => {
    const there = await interfacesOf(node);
    const missing = madeInterfaces(lab, node).filter((name) => !there.includes(name));
    return missing.length === 0 ? [] : [`${node.name} (${missing.join(', ')})`];
  });
  const lacking = all.flat();
  if (lacking.length > 0)
    throw new EngineError(
      `these nodes lack interfaces of their own: ${lacking.join(', ')}: start the lab anew`,
    );
}

/**
 * Each word is an interface, behind `+` if it stays. The kernel has some that cannot be removed (`sit0`). `ip rule flush` leaves the
 * rule of the table `local`.
 */
const emptying = `for word; do
  name=\${word#?}
  case $word in
    +*) ip link set dev "$name" nomaster down && ip address flush dev "$name" ;;
    *) ip link del dev "$name" ;;
  esac
done
for family in -4 -6; do
  ip $family route flush table all
  ip $family rule flush
  ip $family rule add pref 32766 table main
done
ip -4 rule add pref 32767 table default
ip nexthop flush
ip xfrm state flush
ip xfrm policy flush`;

/**
 * Removes from the network of a node what the node has added, except for rules of nftables and sysctls. It sets the links down:
 * the nodes at their other ends see that this one has stopped.
 */
async function emptyNetwork(
  { runDir }: EngineContext,
  lab: ContainerLab,
  { node, lock }: { readonly node: ContainerNode; readonly lock: Lock },
): Promise<void> {
  const kept = ['lo', ...madeInterfaces(lab, node)];
  const words = (await interfacesOf(node)).map((name) => `${kept.includes(name) ? '+' : '-'}${name}`);
  const net = `--net=${namespaceFile(runDir, node.container)}`;
  await runProgram('nsenter', [net, 'sh', '-c', emptying, 'sh', ...words], { lockFd: lock.fd });
}

async function restartNode(
  context: EngineContext,
  lab: ContainerLab,
  { node, lock }: { readonly node: ContainerNode; readonly lock: Lock },
): Promise<void> {
  const { left } = await endProcesses(context.runDir, [node.container]);
  if (left.length > 0) throw new EngineError(`process ${left.join(', ')} of ${node.name} did not end`);
  await emptyNetwork(context, lab, { node, lock });
  const directory = nodeDirectory(context, lab.instance, node.container);
  // Its mounts were in its own namespace.
  for (const name of ['pid', 'mnt']) await rm(path.join(directory, name), { recursive: true, force: true });
  context.out(`Stopped node ${node.name}\n`);
  await startNode(context, lab, node);
  context.out(`Started node ${node.name}\n`);
}

/** Restarts all of them in spite of failures. @throws EngineError about the nodes that failed; the reason of an interruption. */
async function restartNodes(
  context: EngineContext,
  lab: ContainerLab,
  { nodes, lock }: { readonly nodes: readonly ContainerNode[]; readonly lock: Lock },
): Promise<void> {
  const failures: string[] = [];
  for (const turn of inTurns(lab.nodes))
    await mapBounded(
      turn.filter((node) => nodes.includes(node)),
      startsAtOnce,
      async (node) => {
        if (context.interrupted.aborted) return;
        await restartNode(context, lab, { node, lock }).catch((error: unknown) => {
          failures.push(messageOf(error));
        });
      },
    );
  context.interrupted.throwIfAborted();
  if (failures.length > 0) throw new EngineError(failures.join('; '));
}

/**
 * Stops nodes of a lab and starts them, one after the other or side by side: their files, processes and addresses are those of a
 * new node. A node that does not run is started, also one that a killed restart has stopped.
 * @throws EngineError when the lab or a node is not there, or does not stop or start.
 */
export async function restart(
  context: EngineContext,
  file: string,
  wanted: readonly string[] | undefined,
): Promise<void> {
  assertCanRun(context);
  const lab = await readLabFile(context, file);
  const nodes = chosenNodes(lab, wanted);
  const images = usableRoots(nodes).flatMap(({ image }) => image ?? []);
  await assertMade(context, lab, nodes);
  await withInstanceLock(context, lab.instance, async (lock) => {
    await refuseOther(context, lab);
    // It may have been stopped while this waited.
    await assertMade(context, lab, nodes);
    await assertLinked(lab, nodes);
    await withTrees(context, images, async () => restartNodes(context, lab, { nodes, lock }));
  });
}
