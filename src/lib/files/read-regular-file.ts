import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** All certificate authorities of a machine are half of it. */
const maxBytes = 1024 * 1024;

/**
 * Reads a file that an administrator named. Links are followed, for certificates commonly are some; a pipe is refused, where
 * readFileSync would wait for a writer for ever and the whole service with it (fifo(7)).
 * @throws Error when it cannot be read, is no regular file, or is too large to be what was meant.
 */
export function readRegularFile(file: string): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    // Of a directory, reading itself says best what is wrong.
    if (!stats.isFile() && !stats.isDirectory()) throw new Error('it is not a regular file');
    if (stats.size > maxBytes) throw new Error('it is larger than 1 MiB');
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
