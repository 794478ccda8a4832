/**
 * Which of several lab CLIs has a lab that more than one of them tells of. netlab runs containerlab, which then tells of the
 * containers as of a lab of its own: such a lab is shown by the one that has it on record, and by that alone.
 */
import type { LabDriver } from '../drivers/lab-driver.ts';
import { realDirectoryOf } from './lab-in-directory.ts';
import type { LabPlaces } from './lab-places.ts';
import type { LabStatus } from './lab-status.ts';
import type { BesideOthers } from './labs-of-other-cli.ts';

/** The parts that one lab CLI reads of another one in the same service. */
export interface OtherLabs {
  readonly name: string;
  readonly status: Pick<LabStatus, 'stamp'>;
  readonly places: Pick<LabPlaces, 'recorded'>;
}

/** The directories of its labs on record now; undefined if unknown. */
function directoriesOf(labs: OtherLabs): ReadonlySet<string> | undefined {
  try {
    return new Set(labs.places.recorded().map(({ directory }) => directory));
  } catch {
    return undefined;
  }
}

export function beside(driver: () => LabDriver, others: () => readonly OtherLabs[]): BesideOthers {
  const starters = (): readonly OtherLabs[] => (driver().status.starterOf ? others() : []);
  return {
    version: () =>
      starters()
        .map(({ status }) => status.stamp)
        .join(' '),
    look: () => {
      // A lab that is being taken down leaves one list before the other, so the record from before the run counts, too.
      const before = new Map(starters().map((labs) => [labs, directoriesOf(labs)] as const));
      return (entry) => {
        const starter = driver().status.starterOf?.(entry);
        const owner = starters().find(({ name }) => name === starter);
        if (owner === undefined) return undefined;
        const directory = realDirectoryOf(driver().status.directoryOf(entry));
        const records = [before.get(owner), directoriesOf(owner)];
        // An unreadable record does not prove that the lab is gone; the status of its own lab CLI reports the reason.
        return records.some((record) => record?.has(directory) !== false) ? owner.name : undefined;
      };
    },
  };
}
