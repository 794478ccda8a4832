/** Which files of a directory, and of those below it, may be topologies. */
import type { Dirent } from 'node:fs';
import path from 'node:path';
import type { Disk, OpenFile } from '../../lib/files/disk.ts';
import { mapPortions } from '../../lib/async/map-portions.ts';
import { openInside } from '../../lib/files/open-inside.ts';
import { hasProcFs } from '../../lib/processes/processes.ts';
import type { TemplateName } from './template-file.ts';
import type { TemplateReader } from './template-reader.ts';

/** What has a name in a directory. */
export interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'link' | 'directory' | 'other';
}

export const maxFiles = 5_000;
/** Directories without a single topology cost time too; a tree of this many is not a directory of templates. */
const maxDirectories = 20_000;

function kindOf(entry: Dirent): Entry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isSymbolicLink()) return 'link';
  return entry.isDirectory() ? 'directory' : 'other';
}

/** What is in `directory` or below it; nothing of a directory that cannot be read, or that a link has taken the place of. Never throws. */
export async function entriesOf(directory: string, below: string, disk: Disk): Promise<readonly Entry[]> {
  let opened: OpenFile | undefined;
  try {
    opened = await openInside(disk, directory, below);
    if (opened === undefined) return [];
    const entries = await disk.readdir(
      hasProcFs ? `/proc/self/fd/${opened.fd}` : path.join(directory, below),
    );
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  } catch {
    // A directory below that cannot be read hides its files; those that can be read are still listed.
    return [];
  } finally {
    await opened?.close();
  }
}

/** What tools keep for themselves (`.git`, `.venv`) and other people's packages are no templates. */
function mayHaveTemplates({ name, kind }: Entry): boolean {
  return kind === 'directory' && name !== 'node_modules' && !name.startsWith('.');
}

interface Search {
  readonly recursive: boolean;
  readonly isName: (name: string) => boolean;
  /** Whoever looks into so many directories. */
  readonly readerOf: (count: number) => Pick<TemplateReader, 'entries' | 'portions'>;
}

/** In breadth-first order, so that the limit cuts the deepest. Symbolic links are not descended into. */
export async function findFiles(
  directory: string,
  { recursive, isName, readerOf }: Search,
): Promise<TemplateName[]> {
  const files: TemplateName[] = [];
  let level = [''];
  let seen = 0;
  while (level.length > 0 && files.length < maxFiles) {
    const now = level.slice(0, Math.max(0, maxDirectories - seen));
    seen += now.length;
    const reader = readerOf(now.length);
    const found = await mapPortions(now, reader.portions, async (some) => reader.entries(directory, some));
    level = [];
    const inOrder = found.map((entries) => entries.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
    const placed = inOrder.flatMap((entries, index) =>
      entries.map((entry) => ({ below: now[index] ?? '', entry })),
    );
    for (const { below, entry } of placed) {
      const relative = path.join(below, entry.name);
      const isLink = entry.kind === 'link';
      if (isName(entry.name) && (isLink || entry.kind === 'file')) files.push({ relative, isLink });
      else if (recursive && mayHaveTemplates(entry)) level.push(relative);
    }
  }
  return files.slice(0, maxFiles);
}
