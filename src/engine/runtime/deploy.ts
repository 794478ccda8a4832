/** `containerlab deploy` and `containerlab destroy` for labs in namespaces. */
import os from 'node:os';
import path from 'node:path';
import { rm } from 'node:fs/promises';
import { messageOf } from '../../lib/app-error.ts';
import { mapBounded } from '../../lib/async/map-bounded.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { counted } from '../core/wording.ts';
import { sweepImages } from '../images/image-store.ts';
import { withTrees } from '../images/trees.ts';
import { runPhase } from '../namespaces/run-phase.ts';
import { foreignNames, teardown } from '../namespaces/teardown.ts';
import { claimedNames, makeClaim, readAnyClaim, recordInodes } from '../state/claim.ts';
import { claimDirectory } from '../system/namespace-files.ts';
import { instanceLockFile, withInstanceLock } from '../state/instance-lock.ts';
import type { Lock } from '../system/lock.ts';
import { frrVersion, usableRoots } from './images.ts';
import { problemOfKernel } from './kernel-needs.ts';
import { readLabFile, readLabName, type ContainerLab, type ContainerNode, type LabName } from './lab-file.ts';
import { writeLabRecord } from './lab-records.ts';
import { namespacesOf, phasesOf, problemOfLinks } from './links.ts';
import { startNode } from './start-node.ts';

/** @throws EngineError when a lab of that name runs, and belongs to another directory or another state directory. */
export async function refuseOther(context: EngineContext, { name, instance, file }: LabName): Promise<void> {
  const claim = await readAnyClaim(context.runDir, instance);
  if (claim === undefined || claimedNames(context.runDir, instance, claim).length === 0) return;
  if (claim.home !== context.home)
    throw new EngineError(`the lab "${name}" was started with another LAB_HOME: set LAB_HOME=${claim.home}`);
  if (claim.dir !== path.dirname(file))
    throw new EngineError(
      `a lab with the name "${name}" runs in ${claim.dir}: stop it there, or give this lab another name`,
    );
}

/** The nodes in groups: those of a group wait for nodes of the groups before it only. */
export function inTurns(nodes: readonly ContainerNode[]): ContainerNode[][] {
  const turns: ContainerNode[][] = [];
  const done = new Set<string>();
  let rest = [...nodes];
  while (rest.length > 0) {
    const next = rest.filter(({ waitsFor }) => waitsFor.every((name) => done.has(name)));
    if (next.length === 0)
      throw new EngineError(`these nodes wait for each other: ${rest.map(({ name }) => name).join(', ')}`);
    for (const { name } of next) done.add(name);
    rest = rest.filter((node) => !next.includes(node));
    turns.push(next);
  }
  return turns;
}

/** A start waits for daemons most of its time. */
export const startsAtOnce = 8 * os.availableParallelism();

/** Waits for all of them, also after a failure: the lab must not be undone while one of them still starts. */
async function startNodes(
  context: EngineContext,
  lab: ContainerLab,
  nodes: readonly ContainerNode[],
): Promise<void> {
  const failures: unknown[] = [];
  await mapBounded(nodes, startsAtOnce, async (node) => {
    if (failures.length > 0) return;
    try {
      context.interrupted.throwIfAborted();
      await startNode(context, lab, node);
      context.out(`Started node ${node.name}\n`);
    } catch (error) {
      failures.push(error);
    }
  });
  if (failures.length > 0) throw failures[0];
}

/** The names of nodes; those on the file system of the machine are left out. */
function nodesByImage({ nodes }: ContainerLab): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { name, root } of nodes)
    if (root.image !== undefined) found.set(root.image.name, [...(found.get(root.image.name) ?? []), name]);
  return found;
}

async function build(context: EngineContext, lab: ContainerLab, lock: Lock): Promise<void> {
  const turns = inTurns(lab.nodes);
  await makeClaim({ ...context, cwd: path.dirname(lab.file) }, lab.instance, namespacesOf(lab));
  const router = lab.nodes.find(({ root }) => root.isRouter)?.root;
  const frr = router && (await frrVersion(router));
  await writeLabRecord(context, lab, frr);
  const directory = claimDirectory(context.runDir, lab.instance);
  const options = { directory, lockFd: lock.fd, signal: context.interrupted };
  for (const [image, nodes] of nodesByImage(lab)) context.out(`On the image ${image}: ${nodes.join(', ')}\n`);
  context.out(`Creating ${counted(lab.nodes.length, 'node')} and ${counted(lab.links.length, 'link')}\n`);
  const place = router?.image === undefined ? 'this machine' : `the image ${router.image.name}`;
  if (frr !== undefined) context.out(`Routers run FRR ${frr} of ${place}\n`);
  for (const phase of phasesOf(lab)) {
    await runPhase(phase, options);
    if (phase.title === 'namespaces') await recordInodes(context, lab.instance);
  }
  for (const turn of turns) await startNodes(context, lab, turn);
}

/** Removes the parts of the lab after `reason` stopped `deploy`; always throws that reason. */
async function undo(context: EngineContext, instance: string, lock: Lock, reason: unknown): Promise<never> {
  context.err('Removing the incomplete lab\n');
  try {
    const details = reason instanceof EngineError ? reason.details : [];
    const foreign = await foreignNames(context, instance, details);
    const { problems } = await teardown(context, instance, lock.fd, foreign);
    for (const problem of problems) context.err(`Warning: ${problem}\n`);
  } catch (error) {
    context.err(`Warning: ${messageOf(error)}; "netlab down" removes the rest\n`);
  }
  throw reason;
}

/** @throws EngineError when this process may not make namespaces and mounts. */
export function assertCanRun({ seesKernel }: EngineContext): void {
  if (!seesKernel || process.getuid?.() !== 0)
    throw new EngineError('labs in namespaces need root, and in a container NET_ADMIN and SYS_ADMIN');
}

/** Makes the lab of a lab file; a lab that runs already is made anew. An incomplete lab is undone. */
export async function deploy(context: EngineContext, file: string): Promise<void> {
  assertCanRun(context);
  const lab = await readLabFile(context, file);
  const roots = usableRoots(lab.nodes);
  const problem = problemOfLinks(lab) ?? (await problemOfKernel(lab));
  if (problem !== undefined) throw new EngineError(problem);
  await withInstanceLock(context, lab.instance, async (lock) => {
    await refuseOther(context, lab);
    const { problems } = await teardown(context, lab.instance, lock.fd);
    if (problems.length > 0) throw new EngineError('cannot remove the remains of this lab', problems);
    const images = roots.flatMap(({ image }) => image ?? []);
    try {
      await withTrees(context, images, async () => build(context, lab, lock));
    } catch (error) {
      await undo(context, lab.instance, lock, error);
    }
  });
}

/** Removes the lab of a lab file; there may be none. */
export async function destroy(context: EngineContext, file: string): Promise<void> {
  const lab = await readLabName(file);
  await withInstanceLock(context, lab.instance, async (lock) => {
    await refuseOther(context, lab);
    const { nodes, problems } = await teardown(context, lab.instance, lock.fd);
    if (problems.length > 0) throw new EngineError('could not stop the lab completely', problems);
    await rm(instanceLockFile(context.home, lab.instance), { force: true });
    await sweepImages(context);
    context.out(`Removed ${counted(nodes, 'node')}\n`);
  });
}
