import { constants, readlinkSync } from 'node:fs';
import path from 'node:path';
import type { Disk, OpenFile } from './disk.ts';
import { isInside } from './path-inside.ts';
import { hasProcFs } from '../processes/processes.ts';

/** At once, without the disk: the kernel knows where an open file lies. */
function pathOf({ fd }: OpenFile): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}

async function realPathOf(disk: Disk, file: string): Promise<string | undefined> {
  try {
    return await disk.realpath(file);
  } catch {
    return undefined;
  }
}

/**
 * Opens what `name` stands for in `directory` (a real path) for reading, and looks at what was opened: between a look at a
 * name and its use, somebody could put a link in its place that leads out. Undefined when it lies outside. A pipe is not
 * waited for. Whoever gets the file closes it. @throws Error when it cannot be opened.
 */
export async function openInside(disk: Disk, directory: string, name: string): Promise<OpenFile | undefined> {
  const file = path.join(directory, name);
  const opened = await disk.open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  // Where there is no `/proc`, the name has to do.
  const real = hasProcFs ? pathOf(opened) : await realPathOf(disk, file);
  if (real !== undefined && isInside(directory, real)) return opened;
  await opened.close();
  return undefined;
}
