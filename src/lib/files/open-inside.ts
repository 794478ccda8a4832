import { closeSync, constants, openSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isInside } from './path-inside.ts';
import { hasProcFs } from '../processes/processes.ts';

/** The real path of an open file. Without `/proc`, that of its name has to do. */
function realPathOfOpen(fd: number, file: string): string | undefined {
  try {
    return hasProcFs ? readlinkSync(`/proc/self/fd/${fd}`) : realpathSync.native(file);
  } catch {
    return undefined;
  }
}

/**
 * Opens the file `name` in `directory` (a real path) for reading, and checks the opened file: between the check of a name and
 * its use, another program could replace the file by a link that leads out. Undefined when it lies outside. Does not wait for
 * a pipe. The caller closes the file. @throws Error when it cannot be opened.
 */
export function openInside(directory: string, name: string): number | undefined {
  const file = path.join(directory, name);
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const real = realPathOfOpen(fd, file);
  if (real !== undefined && isInside(directory, real)) return fd;
  closeSync(fd);
  return undefined;
}

/** Closes a file that was only read. A failure to close it, as of a network disk, loses nothing. */
export function closeRead(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // Its content was read.
  }
}
