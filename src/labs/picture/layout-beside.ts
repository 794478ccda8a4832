/**
 * The file of another tool that has the positions of a lab beside its topology. The file belongs to that tool: the service
 * reads it only where it may read, and changes it only where it may write.
 */
import { constants } from 'node:fs';
import { lstat, open, readlink, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { StampedCache } from '../../lib/cache/stamped-cache.ts';
import { readPlainBytes } from '../../lib/files/plain-file.ts';
import { writeDurably } from '../../lib/files/write-durably.ts';
import type { AllowedRoots } from '../system/allowed-roots.ts';
import { readForeign, understand } from '../system/foreign-file.ts';
import type { LabDriver } from '../drivers/lab-driver.ts';
import type { LayoutFileDriver, NodePositions } from '../drivers/topology-driver.ts';
import type { JobUser } from '../program/job-user.ts';
import type { LabStatus } from '../status/lab-status.ts';

interface LayoutBesideDeps {
  readonly driver: () => Pick<LabDriver, 'topology'>;
  readonly status: Pick<LabStatus, 'labIn'>;
  readonly roots: AllowedRoots;
  readonly runAs: JobUser | undefined;
}

/** Positions of the most recently used files. */
const keptMax = 32;

const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY;

/** The directory of the file, which stays the same one for whatever is done in it: no link can be put in its way. */
interface Place {
  /** The way to the file through the directory that was opened. */
  readonly through: string;
  readonly realPath: string;
  readonly directory: FileHandle;
}

/** Whether the modes let the user of jobs replace any file there: never in a sticky directory of another user. */
async function isOpenTo({ uid, gid }: JobUser, directory: FileHandle): Promise<boolean> {
  const stats = await directory.stat();
  if (stats.uid === uid) return true;
  const mayWrite = (stats.gid === gid && (stats.mode & 0o020) !== 0) || (stats.mode & 0o002) !== 0;
  return mayWrite && (stats.mode & 0o1000) === 0;
}

export class LayoutBeside {
  readonly #deps: LayoutBesideDeps;
  /** By file. */
  readonly #kept = new StampedCache<NodePositions | null>(keptMax);

  constructor(deps: LayoutBesideDeps) {
    this.#deps = deps;
  }

  /** Returns the positions of the lab in `labDirectory`, a real path; undefined without a usable file. Never rejects. */
  async read(labDirectory: string): Promise<NodePositions | undefined> {
    return this.#at(labDirectory, async ({ through, realPath }, driver) => {
      const { mtimeNs, ctimeNs, size, ino } = await lstat(through, { bigint: true });
      const stamp = `${mtimeNs}:${ctimeNs}:${size}:${ino}`;
      const read = async (): Promise<NodePositions | null> => readForeign(through, driver.positions);
      return (await this.#kept.get(realPath, stamp, read)) ?? undefined;
    });
  }

  /**
   * Puts the nodes there in the file, if there is one in a place where the service, and `mayWrite`, allow it.
   * Gives what it says then, as `read`. Never rejects.
   */
  async write(
    labDirectory: string,
    positions: NodePositions,
    mayWrite: (realPath: string) => boolean,
  ): Promise<NodePositions | undefined> {
    const { runAs } = this.#deps;
    const written = await this.#at(labDirectory, async ({ through, realPath, directory }, driver) => {
      if (!mayWrite(realPath) || (runAs && !(await isOpenTo(runAs, directory)))) return undefined;
      const { maxBytes } = driver.changed;
      const reading = await readPlainBytes(through, { maxBytes, followsLinks: false });
      if (reading.kind !== 'found') return undefined;
      const next = await understand(driver.changed, reading.bytes, positions);
      if (next === null) return undefined;
      const bytes = Buffer.from(next);
      if (!bytes.equals(reading.bytes)) await writeDurably(through, next, 0o666);
      return (await understand(driver.positions, bytes)) ?? undefined;
    });
    return written ?? this.read(labDirectory);
  }

  /** Does something with the file while its directory is held open; undefined when there is nothing to be done with it. */
  async #at<T>(
    labDirectory: string,
    use: (place: Place, driver: LayoutFileDriver) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    let directory: FileHandle | undefined;
    try {
      const driver = this.#deps.driver().topology.layoutFile;
      if (driver === undefined) return undefined;
      const lab = await this.#deps.status.labIn(labDirectory);
      const file = lab && (await driver.pathOf({ ...lab, directory: labDirectory }));
      if (file === undefined) return undefined;
      directory = await open(path.dirname(file), directoryFlags);
      // proc(5): such a link leads to what is open, wherever its name leads by now.
      const held = `/proc/self/fd/${directory.fd}`;
      const name = path.basename(file);
      const realPath = path.join(await readlink(held), name);
      if (!this.#deps.roots.allows(realPath)) return undefined;
      return await use({ through: path.join(held, name), realPath, directory }, driver);
    } catch {
      // It is gone, or not ours to read or to change; what the service keeps of the layout does not depend on it.
      return undefined;
    } finally {
      await directory?.close().catch(() => undefined);
    }
  }
}
