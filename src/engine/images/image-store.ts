/**
 * The images for nodes in namespaces, in `images/` of the state directory (LAB_HOME): a record `<name>.json` for each, and
 * its root file system `trees/<tree>/root`. A record is written last and removed first, so an image exists as a whole or
 * not at all.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { AppError, messageOf, systemCode } from '../../lib/app-error.ts';
import type { Pieces } from '../../lib/archives/read-tar.ts';
import { refuse } from '../../lib/archives/unpack-target.ts';
import { zebraFile } from '../../lib/net/frr.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { makeDirectory, readOwnFile, replaceFile } from '../system/files.ts';
import { tryLock } from '../system/lock.ts';
import { runProgram } from '../system/run-program.ts';
import { ImageRoot } from './apply-layer.ts';
import { imageIn, receiveArchive, type ArchivedImage } from './image-archive.ts';
import { imageName, isImageName } from '../../lib/text/image-name.ts';
import { hasProgram, makePlain } from './inside-root.ts';
import { overQuota, Room, type ImageLimits } from './room.ts';
import { holdTree, sweepTrees, treesDirectory } from './trees.ts';

export interface Image {
  /** With its tag. */
  readonly name: string;
  /** SHA-256 of its configuration, in hexadecimal digits. */
  readonly id: string;
  /** The directory of its root file system, below `trees`. */
  readonly tree: string;
  /** Bytes of the files of its layers, and 4 KiB for each entry of them. */
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

const recordFile = (context: Home, name: string): string =>
  path.join(imagesDirectory(context), `${encodeURIComponent(name)}.json`);

/** Undefined if there is no such file. @throws EngineError; Error of the system. */
async function readRecord(file: string): Promise<Image | undefined> {
  try {
    return JSON.parse(await readOwnFile(file)) as Image;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (error instanceof SyntaxError) throw new EngineError(`${file} is damaged: remove it`);
    throw error;
  }
}

/** The image of that name; undefined if there is none. */
export async function findImage(context: Home, given: string): Promise<Image | undefined> {
  return isImageName(given) ? readRecord(recordFile(context, imageName(given))) : undefined;
}

/** All images, sorted by name. @throws EngineError when one cannot be read; Error of the system. */
export async function listImages(context: Home): Promise<readonly Image[]> {
  const directory = imagesDirectory(context);
  const files = await readdir(directory).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
  const records = files.filter((file) => file.endsWith('.json'));
  const found = await Promise.all(records.map(async (file) => readRecord(path.join(directory, file))));
  return found
    .filter((image) => image !== undefined)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Removes root file systems that no record names and no node runs on. It is tried again later if it fails. */
export async function sweepImages(context: Pick<EngineContext, 'home' | 'err'>): Promise<void> {
  const named = async () => new Set((await listImages(context)).map(({ tree }) => tree));
  try {
    await sweepTrees(context, named);
  } catch (error) {
    context.err(`Warning: files of earlier images cannot be removed: ${messageOf(error)}\n`);
  }
}

/** Changes records, one command at a time. */
async function withRecords<T>(context: EngineContext, task: () => Promise<T>): Promise<T> {
  const options = { waitSeconds: 30, signal: context.interrupted };
  const lock = await tryLock(path.join(imagesDirectory(context), 'lock'), options);
  if (lock === undefined) throw new AppError('conflict', 'the images are being changed: try again later');
  try {
    return await task();
  } finally {
    await lock.release();
  }
}

const variable = /^([A-Za-z_]\w*)=([^\n]*)$/;

function startOf(context: EngineContext, { config }: ArchivedImage['config']): Image['start'] {
  const pairs = (config?.Env ?? []).flatMap((text) => {
    const [, name, value] = variable.exec(text) ?? [];
    if (name !== undefined) return [[name, value ?? ''] as const];
    context.err(`Warning: the variable ${JSON.stringify(text.split('=')[0])} of the image is left out\n`);
    return [];
  });
  return {
    command: [...(config?.Entrypoint ?? []), ...(config?.Cmd ?? [])],
    directory: config?.WorkingDir || '/',
    env: Object.fromEntries(pairs),
  };
}

/** Of the images of other names. */
async function usedByOthers(context: Home, name: string): Promise<number> {
  const others = (await listImages(context)).filter((image) => image.name !== name);
  return others.reduce((sum, { size }) => sum + size, 0);
}

/** The programs with which a node begins (src/engine/runtime/node-script.ts); `docker exec` starts `env`. */
const neededPrograms = ['mount', 'umount', 'mkdir', 'rmdir', 'ln', 'chmod', 'dirname', 'sed', 'sleep'];
const neededPaths = ['/bin/sh', '/usr/bin/env'];
const searchPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** @throws AppError `archive-refused` that names what is missing. */
function assertStartable(root: string): void {
  const isThere = (program: string): boolean =>
    searchPath.some((place) => hasProgram(root, `${place}/${program}`));
  const missing = [
    ...neededPaths.filter((file) => !hasProgram(root, file)),
    ...neededPrograms.filter((program) => !isThere(program)),
  ];
  if (missing.length > 0) throw refuse(`the image has no ${missing.join(', ')}: a node cannot start without`);
}

/** @throws EngineError when root is about to make files in the state directory of another user, who could not read them. */
function assertOwner({ home }: Home): void {
  const owner = statSync(home, { throwIfNoEntry: false })?.uid;
  if (process.getuid?.() !== 0 || owner === undefined || owner === 0) return;
  throw new EngineError(
    `${home} belongs to the user ${owner}: run this command as that user (setpriv, sudo -u)`,
  );
}

interface Addition {
  readonly name: string;
  readonly source: Pieces;
  readonly limits: ImageLimits;
}

/** Unpacks the archive into `trees/<tree>`. */
async function unpack(
  context: EngineContext,
  tree: string,
  { name, source, limits }: Addition,
): Promise<Image> {
  const place = path.join(treesDirectory(context), tree);
  const [files, directory] = [path.join(place, 'archive'), path.join(place, 'root')];
  await mkdir(place);
  await mkdir(files);
  makePlain(directory);
  const used = await usedByOthers(context, name);
  const archive = await receiveArchive(source, files, new Room(place, used, limits));
  const image = imageIn(archive, name);
  const room = new Room(place, used, limits);
  const root = new ImageRoot(directory, room);
  for (const [at, { file, diffId }] of image.layers.entries()) {
    context.err(`Layer ${at + 1} of ${image.layers.length}\n`);
    await root.apply(createReadStream(file, { signal: context.interrupted }), diffId);
  }
  assertStartable(directory);
  await rm(files, { recursive: true });
  const isRouter = hasProgram(directory, zebraFile);
  const made = { name, id: image.id, tree, size: room.bytes, addedAt: new Date().toISOString() };
  return { ...made, isRouter, start: startOf(context, image.config) };
}

/** The words of a full disk, and of an interruption. */
function asFailure(error: unknown, { interrupted }: EngineContext): unknown {
  if (interrupted.aborted) return interrupted.reason;
  if (!['ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '')) return error;
  return new AppError('disk-full', 'the disk is full, and the image was not added', { cause: error });
}

/** Enters an unpacked image. @throws AppError `quota-exceeded` when others were added meanwhile. */
async function enter(context: EngineContext, image: Image, limits: ImageLimits): Promise<void> {
  await withRecords(context, async () => {
    const used = await usedByOthers(context, image.name);
    if (used + image.size > limits.maxBytes) throw overQuota(limits, used);
    await replaceFile(recordFile(context, image.name), `${JSON.stringify(image)}\n`, 0o600);
  });
}

/**
 * Adds the image in an archive under that name, in place of an image that has it. Labs that run keep the files of the
 * earlier one. `source` ends with an error when the command is interrupted.
 * @throws AppError `invalid-request`, `archive-refused`, `payload-too-large`, `quota-exceeded`, `disk-full`, `conflict`.
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
  assertOwner(context);
  await makeDirectory(treesDirectory(context), 0o700);
  await sweepImages(context);
  const tree = randomBytes(16).toString('hex');
  const hold = await holdTree(context, tree, 'exclusive');
  try {
    const image = await unpack(context, tree, { name: imageName(given), source, limits });
    // The files go to the disk before the record that names them.
    await runProgram('sync', ['-f', treesDirectory(context)]);
    await enter(context, image, limits);
    return image;
  } catch (error) {
    throw asFailure(error, context);
  } finally {
    await hold?.release();
    // Without a record, the new tree is one of those that this removes.
    await sweepImages(context);
  }
}

/** Removes an image; labs that run keep its files. @throws AppError `image-not-found`, `conflict`. */
export async function removeImage(context: EngineContext, given: string): Promise<void> {
  const missing = (): AppError => new AppError('image-not-found', `there is no image "${given}"`);
  if ((await findImage(context, given)) === undefined) throw missing();
  await withRecords(context, async () => {
    const image = await findImage(context, given);
    if (image === undefined) throw missing();
    await rm(recordFile(context, image.name));
  });
  await sweepImages(context);
}
