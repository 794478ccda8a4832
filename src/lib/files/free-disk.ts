import { statfs } from 'node:fs/promises';

interface DiskSpace {
  /** Bytes that an ordinary user may still write. */
  readonly free: number;
  /** Bytes of the whole file system. */
  readonly total: number;
}

/** The file system of `directory`; undefined when the system does not say. */
export async function diskSpace(directory: string): Promise<DiskSpace | undefined> {
  return statfs(directory).then(
    ({ bavail, blocks, bsize }) => ({ free: bavail * bsize, total: blocks * bsize }),
    () => undefined,
  );
}

/** Bytes that an ordinary user may still write where `directory` is; undefined when the system does not say. */
export async function freeDiskBytes(directory: string): Promise<number | undefined> {
  return (await diskSpace(directory))?.free;
}
