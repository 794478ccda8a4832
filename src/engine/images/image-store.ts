/**
 * The images for nodes in namespaces, in `images/` of the state directory (LAB_HOME): a record `<name>.json` for each, and
 * its root file system `trees/<tree>/root`. A record is written last and removed first, so an image exists as a whole or
 * not at all. A root file system that no record names is removed once no node runs on it.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { AppError, systemCode } from '../../lib/app-error.ts';
import type { Pieces } from '../../lib/archives/read-tar.ts';
import { refuse } from '../../lib/archives/unpack-target.ts';
import { freeDiskBytes } from '../../lib/files/free-disk.ts';
import { zebraFile } from '../../lib/net/frr.ts';
import { formatSize } from '../../lib/text/size.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { makeDirectory, readOwnFile, replaceFile } from '../system/files.ts';
import { tryLock, withLock } from '../system/lock.ts';
import { runProgram } from '../system/run-program.ts';
import { ImageRoot } from './apply-layer.ts';
import { imageIn, receiveArchive, type ArchivedImage } from './image-archive.ts';
import { imageName, isImageName } from './image-name.ts';
import { hasProgram } from './inside-root.ts';

export interface Image {
  /** With its tag. */
  readonly name: string;
  /** SHA-256 of its configuration, in hexadecimal digits. */
  readonly id: string;
  /** The directory of its root file system, below `trees`. */
  readonly tree: string;
  /** Bytes of its files. */
  readonly size: number;
  /** ISO 8601. */
  readonly addedAt: string;
  /** Whether it has the daemons of FRR. */
  readonly isRouter: boolean;
  /** How its program is started; `command` is empty if it has none. */
  readonly start: {
    readonly command: readonly string[];
    readonly directory: string;
    readonly env: Readonly<Record<string, string>>;
  };
}

type Home = Pick<EngineContext, 'home'>;

const imagesDirectory = ({ home }: Home): string => path.join(home, 'images');
const treesDirectory = (context: Home): string => path.join(imagesDirectory(context), 'trees');

/** The root file system of an image. */
export const rootOf = (context: Home, { tree }: Pick<Image, 'tree'>): string =>
  path.join(treesDirectory(context), tree, 'root');

const recordFile = (context: Home, name: string): string =>
  path.join(imagesDirectory(context), `${encodeURIComponent(name)}.json`);

/** The image of that name; undefined if there is none. */
export async function findImage(context: Home, given: string): Promise<Image | undefined> {
  if (!isImageName(given)) return undefined;
  try {
    return JSON.parse(await readOwnFile(recordFile(context, imageName(given)))) as Image;
  } catch (error) {
    if (['ENOENT', 'EACCES'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** All images, sorted by name. */
export async function listImages(context: Home): Promise<readonly Image[]> {
  const files = await readdir(imagesDirectory(context)).catch(() => []);
  const names = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
  const found = await Promise.all(names.map(async (name) => findImage(context, decodeURIComponent(name))));
  return found
    .filter((image) => image !== undefined)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * The trees that nodes run on. The name of a tree is part of the mount options of their root file systems
 * (`start-node.ts`), which stand in the mounts of every process of a node (proc(5), mountinfo).
 */
function treesInUse(trees: readonly string[]): Set<string> {
  if (trees.length === 0) return new Set();
  const mounts = new Map<string, string>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const namespace = readlinkSync(`/proc/${pid}/ns/mnt`);
      if (!mounts.has(namespace)) mounts.set(namespace, readFileSync(`/proc/${pid}/mountinfo`, 'utf8'));
    } catch {
      // It has ended, or belongs to another user.
    }
  }
  const all = [...mounts.values()];
  return new Set(trees.filter((tree) => all.some((text) => text.includes(tree))));
}

/** The trees that no record names: of earlier images, and of one that is being added. */
async function spareTrees(context: Home): Promise<readonly string[]> {
  const trees = await readdir(treesDirectory(context)).catch(() => []);
  const named = new Set((await listImages(context)).map(({ tree }) => tree));
  return trees.filter((tree) => !named.has(tree));
}

/** Removes root file systems that no record names and no node runs on. The caller has the lock. */
async function sweep(context: Home): Promise<void> {
  const spare = await spareTrees(context);
  const used = treesInUse(spare);
  for (const tree of spare)
    if (!used.has(tree)) await rm(path.join(treesDirectory(context), tree), { recursive: true, force: true });
}

const lockFile = (context: Home): string => path.join(imagesDirectory(context), 'lock');

/** Removes what a lab that has ended kept of earlier images, unless an image is being added. */
export async function removeSpareTrees(context: Home): Promise<void> {
  if ((await spareTrees(context)).length === 0) return;
  const lock = await tryLock(lockFile(context), { waitSeconds: 0 });
  if (lock === undefined) return;
  try {
    await sweep(context);
  } finally {
    await lock.release();
  }
}

async function withStore<T>(context: EngineContext, task: () => Promise<T>): Promise<T> {
  await makeDirectory(treesDirectory(context), 0o700);
  const options = { waitSeconds: 600, signal: context.interrupted };
  return withLock(
    lockFile(context),
    { ...options, busy: 'another image is being added: try again later' },
    async () => {
      await sweep(context);
      return task();
    },
  );
}

/** In bytes. */
export interface ImageLimits {
  /** Of all images together. */
  readonly maxBytes: number;
  /** How much of the disk stays free. */
  readonly minFreeBytes: number;
}

const variable = /^([A-Za-z_]\w*)=([^\n]*)$/;

function startOf({ config }: ArchivedImage['config']): Image['start'] {
  const pairs = (config?.Env ?? []).flatMap((text) => {
    const [, name, value] = variable.exec(text) ?? [];
    return name === undefined ? [] : [[name, value ?? ''] as const];
  });
  return {
    command: [...(config?.Entrypoint ?? []), ...(config?.Cmd ?? [])],
    directory: config?.WorkingDir || '/',
    env: Object.fromEntries(pairs),
  };
}

/** How many bytes a new image may have, and its archive. */
async function roomFor(context: EngineContext, name: string, limits: ImageLimits): Promise<number> {
  const others = (await listImages(context)).filter((image) => image.name !== name);
  const used = others.reduce((sum, { size }) => sum + size, 0);
  const free = (await freeDiskBytes(imagesDirectory(context))) ?? Infinity;
  const room = limits.maxBytes - used;
  if (room <= 0)
    throw new AppError(
      'quota-exceeded',
      `the images have ${formatSize(used)}, and may have ${formatSize(limits.maxBytes)} together: remove one first`,
    );
  // The archive and what comes out of it are on the disk at the same time.
  const writable = Math.floor((free - limits.minFreeBytes) / 2);
  if (writable <= 0) throw new AppError('disk-full', 'too little of the disk is free for an image');
  return Math.min(room, writable);
}

/** The words of the disk, and of a limit. */
function asFailure(error: unknown, context: EngineContext): unknown {
  if (context.interrupted.aborted) return context.interrupted.reason;
  const code = systemCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new AppError('disk-full', 'the disk is full, and the image was not added', { cause: error });
  return error;
}

/**
 * Adds the image in an archive under that name, in place of an image that has it. Labs that run keep the files of the
 * earlier one. `source` ends with an error when the command is interrupted.
 * @throws AppError `invalid-request`, `archive-refused`, `payload-too-large`, `quota-exceeded`, `disk-full`.
 */
export async function addImage(
  context: EngineContext,
  given: string,
  source: Pieces,
  limits: ImageLimits,
): Promise<Image> {
  if (!isImageName(given))
    throw new AppError(
      'invalid-request',
      `"${given}" cannot be the name of an image: it is like frr:10, or registry.example/team/frr:10`,
    );
  const name = imageName(given);
  return withStore(context, async () => {
    const tree = randomBytes(16).toString('hex');
    const place = path.join(treesDirectory(context), tree);
    try {
      const room = await roomFor(context, name, limits);
      for (const directory of [place, path.join(place, 'archive'), path.join(place, 'root')])
        await mkdir(directory, { mode: 0o755 });
      const archive = await receiveArchive(source, path.join(place, 'archive'), room);
      const image = imageIn(archive, name);
      const root = new ImageRoot(path.join(place, 'root'), room);
      for (const [at, { file, diffId }] of image.layers.entries()) {
        context.err(`Layer ${at + 1} of ${image.layers.length}\n`);
        await root.apply(createReadStream(file, { signal: context.interrupted }), diffId);
      }
      if (!hasProgram(root.directory, '/bin/sh'))
        throw refuse('the image has no /bin/sh, with which nodes in namespaces begin');
      await rm(path.join(place, 'archive'), { recursive: true });
      const isRouter = hasProgram(root.directory, zebraFile);
      const made = { name, id: image.id, tree, size: root.bytes, addedAt: new Date().toISOString() };
      const record: Image = { ...made, isRouter, start: startOf(image.config) };
      // The files go to the disk before the record that names them.
      await runProgram('sync', ['-f', root.directory]);
      await replaceFile(recordFile(context, name), `${JSON.stringify(record)}\n`, 0o600);
      await sweep(context);
      return record;
    } catch (error) {
      await rm(place, { recursive: true, force: true });
      throw asFailure(error, context);
    }
  });
}

/** Removes an image; labs that run keep its files. @throws AppError `image-not-found`. */
export async function removeImage(context: EngineContext, given: string): Promise<void> {
  await withStore(context, async () => {
    const image = await findImage(context, given);
    if (image === undefined) throw new AppError('image-not-found', `there is no image "${given}"`);
    await rm(recordFile(context, image.name));
    await sweep(context);
  });
}
