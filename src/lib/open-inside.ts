import { constants, readlinkSync } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from './path-inside.ts';
import { hasProcFs } from './processes.ts';

/** At once, without the disk: the kernel knows where an open file lies. */
function pathOf({ fd }: FileHandle): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}

/**
 * Opens what `name` stands for in `directory` (a real path) for reading, and looks at what was opened: between a look at a
 * name and its use, somebody could put a link in its place that leads out. Undefined when it lies outside. A pipe is not
 * waited for. Whoever gets the handle closes it. @throws Error when it cannot be opened.
 */
export async function openInside(directory: string, name: string): Promise<FileHandle | undefined> {
  const file = path.join(directory, name);
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  // Where there is no `/proc`, the name has to do.
  const real = hasProcFs ? pathOf(handle) : await realpath(file).catch(() => undefined);
  if (real !== undefined && isInside(directory, real)) return handle;
  await handle.close();
  return undefined;
}
