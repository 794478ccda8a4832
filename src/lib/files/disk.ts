/** What is asked of a disk, in two ways: an event loop must not wait for it, and a thread of its own may. */
import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type BigIntStats,
  type Dirent,
} from 'node:fs';
import { lstat, open, readdir, realpath } from 'node:fs/promises';

type Answer<T> = T | Promise<T>;

/** As `FileHandle` is one. Whoever opens it closes it. */
export interface OpenFile {
  readonly fd: number;
  readonly read: (
    into: Buffer,
    offset: number,
    length: number,
    position: number,
  ) => Answer<{ readonly bytesRead: number }>;
  readonly close: () => Answer<void>;
}

/** As the functions of `node:fs/promises` of these names. @throws Error with the code of the system. */
export interface Disk {
  readonly open: (file: string, flags: number) => Answer<OpenFile>;
  readonly realpath: (file: string) => Answer<string>;
  readonly lstat: (file: string) => Answer<BigIntStats>;
  readonly readdir: (directory: string) => Answer<readonly Dirent[]>;
}

/** For an event loop. Each question goes to another thread and back, which takes longer than most answers do. */
export const loopDisk: Disk = {
  open,
  realpath,
  lstat: async (file) => lstat(file, { bigint: true }),
  readdir: async (directory) => readdir(directory, { withFileTypes: true }),
};

/** For a thread that nobody waits for. */
export const threadDisk: Disk = {
  open: (file, flags) => {
    const fd = openSync(file, flags);
    return {
      fd,
      read: (into, offset, length, position) => ({ bytesRead: readSync(fd, into, offset, length, position) }),
      close: () => closeSync(fd),
    };
  },
  realpath: (file) => realpathSync.native(file),
  lstat: (file) => lstatSync(file, { bigint: true }),
  readdir: (directory) => readdirSync(directory, { withFileTypes: true }),
};
