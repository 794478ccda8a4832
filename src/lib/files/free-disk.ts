import { statfs } from 'node:fs/promises';

/** Bytes that an ordinary user may still write where `directory` is; undefined when the system does not say. */
export async function freeDiskBytes(directory: string): Promise<number | undefined> {
  return statfs(directory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => undefined,
  );
}
