/** `containerlab restart` for labs in namespaces: nodes start anew, and keep their links. */
import * as z from 'zod';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { mapBounded } from '../../lib/async/map-bounded.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { withTrees } from '../images/trees.ts';
import { claimedNames, readClaim } from '../state/claim.ts';
import { withInstanceLock } from '../state/instance-lock.ts';
import { endProcesses } from '../system/end-processes.ts';
import type { Lock } from '../system/lock.ts';
import { runProgram } from '../system/run-program.ts';
import { refuseOther, startNodes } from './deploy.ts';
import { whyMissing } from './images.ts';
import { readLabFile, type ContainerLab, type ContainerNode } from './lab-file.ts';
import { nodeDirectory } from './lab-records.ts';

/** The nodes with these names; all of them without a name. @throws EngineError about names that are not in the lab. */
function chosenNodes({ name, nodes }: ContainerLab, wanted: readonly string[]): readonly ContainerNode[] {
  if (wanted.length === 0) return nodes;
  const known = nodes.map((node) => node.name);
  const unknown = wanted.filter((each) => !known.includes(each));
  if (unknown.length > 0)
    throw new EngineError(`the lab "${name}" has no node ${unknown.join(', ')}: it has ${known.join(', ')}`);
  return nodes.filter((node) => wanted.includes(node.name));
}

const interfacesSchema = z.array(
  z.object({ ifname: z.string(), linkinfo: z.object({ info_kind: z.string().optional() }).optional() }),
);

/**
 * Leaves nothing but links in the network namespace of a node, as in that of a new node. They are down, so that the nodes at
 * the other ends see a node that has stopped. `ip` also lists devices of the kernel that cannot be removed (`sit0`).
 */
async function emptyNetwork({ name, container }: ContainerNode, { fd: lockFd }: Lock): Promise<void> {
  const ip = async (...words: readonly string[]) =>
    runProgram('ip', ['-netns', container, ...words], { lockFd });
  const { exitCode, stdout, stderr } = await ip('-details', '-json', 'link', 'show');
  if (exitCode !== 0) throw new EngineError(`cannot see the interfaces of ${name}: ${stderr.trim()}`);
  for (const { ifname, linkinfo } of interfacesSchema.parse(JSON.parse(stdout))) {
    const isKept = ifname === 'lo' || linkinfo?.info_kind === 'veth';
    await (isKept ? ip('link', 'set', 'dev', ifname, 'nomaster', 'down') : ip('link', 'del', 'dev', ifname));
    if (isKept) await ip('address', 'flush', 'dev', ifname);
  }
  for (const family of ['-4', '-6']) await ip(family, 'route', 'flush', 'table', 'all');
}

async function stopNode(
  context: EngineContext,
  lab: ContainerLab,
  { node, lock }: { readonly node: ContainerNode; readonly lock: Lock },
): Promise<void> {
  const { left } = await endProcesses(context.runDir, [node.container]);
  if (left.length > 0) throw new EngineError(`process ${left.join(', ')} of ${node.name} did not end`);
  await emptyNetwork(node, lock);
  const directory = nodeDirectory(context, lab.instance, node.container);
  // Its mounts were in its own namespace.
  await rm(path.join(directory, 'mnt'), { recursive: true, force: true });
  context.out(`Stopped node ${node.name}\n`);
}

const stopsAtOnce = 8;

/**
 * Stops nodes of a lab that runs, and starts them: their files, processes and addresses are those of a new node. One that does not
 * run is started. The nodes that a killed restart has stopped are there for the next one.
 * @throws EngineError when the lab or a node is not there, or does not stop or start.
 */
export async function restart(
  context: EngineContext,
  file: string,
  wanted: readonly string[],
): Promise<void> {
  const lab = await readLabFile(context, file);
  const nodes = chosenNodes(lab, wanted);
  const problem = nodes.map(({ root }) => whyMissing(root)).find((why) => why !== undefined);
  if (problem !== undefined) throw new EngineError(problem);
  await withInstanceLock(context, lab.instance, async (lock) => {
    await refuseOther(context, lab);
    const claim = await readClaim(context, lab.instance);
    if (claim === undefined) throw new EngineError(`the lab "${lab.name}" is not started`);
    const there = claimedNames(context.runDir, lab.instance, claim);
    const gone = nodes.filter(({ container }) => !there.includes(container));
    if (gone.length > 0)
      throw new EngineError(
        `the lab "${lab.name}" was started without ${gone.map(({ name }) => name).join(', ')}`,
      );
    const images = nodes.flatMap(({ root }) => root.image ?? []);
    await withTrees(context, images, async () => {
      await mapBounded(nodes, stopsAtOnce, async (node) => stopNode(context, lab, { node, lock }));
      await startNodes(context, lab, nodes);
    });
  });
}
