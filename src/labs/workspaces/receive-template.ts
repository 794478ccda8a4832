/** Copies a template to the disk, with the files that it may need: those in its directory and below. */
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError, fieldError, invalidField, systemCode } from '../../lib/app-error.ts';
import { shownPath } from '../../lib/archives/entry-path.ts';
import { FileChanged, readWhole } from '../../lib/archives/read-whole.ts';
import { UnpackTarget, type UnpackLimits } from '../../lib/archives/unpack-target.ts';
import { OpenDirectory, withOpened } from '../../lib/files/open-directory.ts';
import { NotPlainFile } from '../../lib/files/plain-file.ts';
import { walkTree, type TreeEntry } from '../../lib/files/walk-tree.ts';
import type { Received } from './receive.ts';
import type { UploadRoom } from './workspace-room.ts';
import type { Amount } from './workspace-sizes.ts';

const field = 'template';

/** A lab with its plugins and configurations has less; a home directory, or images of disks, have more. */
const mostOf = { maxBytes: 16 * 1024 * 1024, maxEntries: 2_000 };

/** Hidden files belong to tools, such as `.git`, and `node_modules` to packages. */
const ofTools = /^\.|^node_modules$/;

export interface TemplateSource {
  /** A real path. */
  readonly directory: string;
  /** The file in it. */
  readonly name: string;
  /** Whether a directory (absolute) is one of the service itself. */
  readonly isPrivate: (directory: string) => boolean;
  /** The user that jobs run as, when the service itself may read more; undefined for the service's own. */
  readonly reader: { readonly uid: number; readonly gid: number } | undefined;
}

/** The bits of a mode for all: to read a file, to list a directory and enter it, to pass through a directory. */
const rights = { file: 0o4, directory: 0o5, above: 0o1 } as const;

/** By the owner, the group and the mode alone: further groups of the user do not count. */
function assertReadable(name: string, { mode, uid, gid }: Stats, need: number, source: TemplateSource): void {
  const { reader } = source;
  if (reader === undefined) return;
  const shift = uid === reader.uid ? 6 : gid === reader.gid ? 3 : 0;
  if (((mode >> shift) & need) !== need)
    throw unreadable(shownPath(name), 'the user of jobs (LAB_API_JOB_USER)');
}

function unreadable(what: string, user: string): AppError {
  return invalidField(field, `${what} cannot be read by ${user}; check its permissions`);
}

async function assertReachable(source: TemplateSource): Promise<void> {
  if (source.reader === undefined) return;
  for (let above = path.dirname(source.directory); ; above = path.dirname(above)) {
    assertReadable(above, await stat(above), rights.above, source);
    if (above === path.dirname(above)) break;
  }
  assertReadable(source.directory, await stat(source.directory), rights.directory, source);
}

async function addFile(entry: TreeEntry, source: TemplateSource, target: UnpackTarget): Promise<void> {
  const handle = await entry.parent.file(entry.name);
  try {
    // Of the opened file: another one may have its name by now.
    const stats = await handle.stat();
    assertReadable(entry.path, stats, rights.file, source);
    await target.addFile(entry.path, readWhole(handle), (stats.mode & 0o100) !== 0);
  } finally {
    await handle.close();
  }
}

/** Copies all of it; whether the template itself is among the files. */
async function copyTree(source: TemplateSource, target: UnpackTarget): Promise<boolean> {
  const top = await OpenDirectory.openReal(source.directory);
  const isTaken = (below: string): boolean =>
    !ofTools.test(path.basename(below)) && !source.isPrivate(path.join(source.directory, below));
  let hasTemplate = false;
  for await (const entry of withOpened(top, () => walkTree(top, isTaken))) {
    const { path: below, kind, stats } = entry;
    if (kind === 'other' || !isTaken(below)) continue;
    if (kind === 'directory') {
      assertReadable(below, stats, rights.directory, source);
      await target.addDirectory(below);
    } else await addFile(entry, source, target);
    hasTemplate ||= below === source.name;
  }
  return hasTemplate;
}

const goneCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);
const ofArchives = new Set(['archive-refused', 'payload-too-large']);

function aboutTemplate(error: unknown): unknown {
  if (error instanceof AppError && ofArchives.has(error.code)) {
    const told = error.message.replace('the archive', 'its directory');
    const remedy = 'put the template into a directory of its own, with the files that it needs';
    return fieldError(error.code, field, `${told}; ${remedy}`);
  }
  const code = systemCode(error) ?? '';
  if (code === 'EACCES') return unreadable('a file or a directory beside it', 'the service');
  if (!(error instanceof FileChanged || error instanceof NotPlainFile || goneCodes.has(code))) return error;
  return new AppError('conflict', 'template: its files changed while they were copied; try again');
}

/**
 * Copies the directory of a template into an empty one, without links, special files, hidden files and `node_modules`, and has all of
 * it on disk for good. Gives how much that is.
 * @throws AppError `invalid-request`, `archive-refused`, `payload-too-large`, `conflict`, `quota-exceeded`, `over-quota`, `disk-full`;
 * Error of the system.
 */
export async function receiveTemplate(
  source: TemplateSource,
  { directory }: Received,
  room: UploadRoom,
  limits: UnpackLimits,
): Promise<Amount> {
  const { maxBytes, maxEntries } = limits;
  const bounds = {
    maxBytes: Math.min(maxBytes, mostOf.maxBytes),
    maxEntries: Math.min(maxEntries, mostOf.maxEntries),
  };
  const target = new UnpackTarget(directory, { ...limits, ...bounds }, { onBytes: room.take });
  try {
    await assertReachable(source);
    if (!(await copyTree(source, target)))
      throw invalidField(field, 'is a link, or is hidden: name the file that it leads to, or a copy of it');
    await target.finish();
    return target.amount();
  } catch (error) {
    throw aboutTemplate(error);
  } finally {
    await target.settle();
  }
}
