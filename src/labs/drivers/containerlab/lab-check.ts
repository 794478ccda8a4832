/** Looks at the labs that there are before an action that would do something else than it says. */
import { realpath } from 'node:fs/promises';
import { AppError, invalidField } from '../../../lib/app-error.ts';
import { specOf } from '../../actions.ts';
import type { LabDriver } from '../lab-driver.ts';
import type { LabEntries } from '../status-driver.ts';
import { containerlabStatus, isOfNetlab } from './containerlab-status.ts';
import { topologyFiles } from './topology-files.ts';

async function directoriesOf(
  entries: LabEntries,
): Promise<readonly (readonly [string, string | undefined])[]> {
  return Promise.all(
    [...entries].map(async ([id, entry]) => {
      const directory = containerlabStatus.directoryOf(entry);
      return [id, directory && (await realpath(directory).catch(() => directory))] as const;
    }),
  );
}

/**
 * The name of a lab is all that containerlab tells labs apart by: it would reconcile the lab of another directory with this
 * topology. And a directory has one lab, as with the other lab CLIs: jobs of a lab are found by its directory.
 */
async function checkPlace(workdir: string, instance: string | null, entries: LabEntries): Promise<void> {
  for (const [id, directory] of await directoriesOf(entries)) {
    if (id === instance && directory !== workdir)
      throw new AppError(
        'conflict',
        `a lab "${id}" runs in ${directory ?? 'another directory'}: take it down, or give this one another name`,
      );
    if (id !== instance && directory === workdir)
      throw new AppError(
        'conflict',
        `the lab "${id}" runs in ${workdir}: take it down, or use another "workdir", and "topologyPath" for the file`,
      );
  }
}

export const checkLab: NonNullable<LabDriver['checkLab']> = async ({ action, workdir, instance, run }) => {
  const { startsLab, restartsLab, instance: use, mayLeaveLab } = specOf(action);
  if (use !== undefined && use !== 'by-name' && instance === null)
    throw invalidField('instance', `is required: it cannot be told which lab of ${workdir} is meant`);
  if (startsLab !== true && mayLeaveLab !== true) return;
  // A status that cannot be told must keep nobody from stopping a lab.
  const all = containerlabStatus.allJson(run);
  const { entries } =
    startsLab === true ? await all : await all.catch(() => ({ entries: new Map() as LabEntries }));
  const entry = instance === null ? undefined : entries.get(instance);
  if (entry !== undefined && isOfNetlab(entry))
    throw new AppError(
      'conflict',
      `the lab "${instance}" was started by netlab: stop it with "netlab down" in ${containerlabStatus.directoryOf(entry)}, or by a service with LAB_API_CLI=netlab`,
    );
  if (
    restartsLab === true &&
    instance !== null &&
    !(await topologyFiles.fileOf?.({ instance, workdir, entry }))
  )
    throw new AppError(
      'topology-not-found',
      `the file that "${instance}" was deployed from is gone: it would be destroyed, and not deployed again; use "up" with "reconfigure"`,
    );
  if (startsLab === true) await checkPlace(workdir, instance, entries);
};
