import { constants } from 'node:fs';
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from './path-inside.ts';
import { hasProcFs } from './processes.ts';

/**
 * Opens what `name` stands for in `directory` (a real path) for reading, and looks at what was opened: between a look at a
 * name and its use, somebody could put a link in its place that leads out. Undefined when it lies outside. A pipe is not
 * waited for. Whoever gets the handle closes it. @throws Error when it cannot be opened.
 */
export async function openInside(directory: string, name: string): Promise<FileHandle | undefined> {
  const file = path.join(directory, name);
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  // Where there is no `/proc`, the name has to do.
  const target = hasProcFs ? `/proc/self/fd/${handle.fd}` : file;
  const real = await (hasProcFs ? readlink(target) : realpath(target)).catch(() => undefined);
  if (real !== undefined && isInside(directory, real)) return handle;
  await handle.close();
  return undefined;
}
