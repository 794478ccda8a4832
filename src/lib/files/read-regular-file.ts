import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/**
 * Reads a file that an administrator named, at a start. Links are followed, for certificates commonly are some; a pipe is
 * refused, where readFileSync would wait for a writer for ever and the whole service with it (fifo(7)).
 * @throws Error when it cannot be read, or is no regular file.
 */
export function readRegularFile(file: string): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    // Of a directory, reading itself says best what is wrong.
    if (!stats.isFile() && !stats.isDirectory()) throw new Error('it is not a regular file');
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
