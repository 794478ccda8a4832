/**
 * The root file systems of images. A tree is kept while a record names it, a command holds its lock, or a node runs on it.
 * A command holds it from before the record until the first node has it, so it cannot go in between.
 */
import { readdirSync, readFileSync, readlinkSync, existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../../lib/app-error.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { tryLock, type Lock } from '../system/lock.ts';

type Home = Pick<EngineContext, 'home'>;

export const treesDirectory = ({ home }: Home): string => path.join(home, 'images', 'trees');

/** The root file system of an image. */
export const rootOf = (context: Home, { tree }: { readonly tree: string }): string =>
  path.join(treesDirectory(context), tree, 'root');

const suffix = '.lock';

/** Its lock; undefined while another command has one that excludes it. */
export async function holdTree(
  context: Home,
  tree: string,
  kind: 'exclusive' | 'shared',
): Promise<Lock | undefined> {
  return tryLock(path.join(treesDirectory(context), `${tree}${suffix}`), { waitSeconds: 0, kind });
}

/** Runs `task` while no image can lose its files. @throws EngineError for an image that has lost them. */
export async function withTrees<T>(
  context: Home,
  images: readonly { readonly name: string; readonly tree: string }[],
  task: () => Promise<T>,
): Promise<T> {
  const holds: (Lock | undefined)[] = [];
  try {
    for (const image of images) {
      holds.push(await holdTree(context, image.tree, 'shared'));
      if (holds.at(-1) === undefined || !existsSync(rootOf(context, image)))
        throw new EngineError(`the image ${image.name} was replaced or removed at this moment: try again`);
    }
    return await task();
  } finally {
    for (const hold of holds) await hold?.release();
  }
}

/**
 * Whether a node runs on a tree. The name of the tree is part of the mount options of the root file system of a node
 * (`imageRoot` of src/engine/runtime/node-script.ts), which every process of the node shows (proc(5), mountinfo).
 */
function isInUse(tree: string): boolean {
  const seen = new Set<string>();
  return readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const namespace = readlinkSync(`/proc/${pid}/ns/mnt`);
      if (seen.has(namespace)) return false;
      const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8');
      seen.add(namespace);
      return mounts.includes(tree);
    } catch {
      // It has ended, or belongs to another user.
      return false;
    }
  });
}

/** `named` is read again under the lock: the record may have been written meanwhile. */
async function sweepTree(context: Home, tree: string, named: NamedTrees): Promise<void> {
  const lock = await holdTree(context, tree, 'exclusive');
  if (lock === undefined) return;
  try {
    if ((await named()).has(tree) || isInUse(tree)) return;
    const place = path.join(treesDirectory(context), tree);
    await rm(place, { recursive: true, force: true });
    await rm(`${place}${suffix}`, { force: true });
  } finally {
    await lock.release();
  }
}

/** The trees that records name. */
type NamedTrees = () => Promise<ReadonlySet<string>>;

/** Removes the trees that nothing keeps. @throws what `named` throws; Error of the system. */
export async function sweepTrees(context: Home, named: NamedTrees): Promise<void> {
  const names = await readdir(treesDirectory(context)).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
  const trees = new Set(names.map((name) => (name.endsWith(suffix) ? name.slice(0, -suffix.length) : name)));
  if (trees.size === 0) return;
  const kept = await named();
  for (const tree of trees) if (!kept.has(tree)) await sweepTree(context, tree, named);
}
