/** Looks at the labs that there are before an action that would do something else than it says. */
import { realpath } from 'node:fs/promises';
import { AppError, invalidField } from '../../../lib/app-error.ts';
import { specOf, type Action } from '../../actions.ts';
import type { LabDriver } from '../lab-driver.ts';
import type { LabEntries, LabEntry } from '../status-driver.ts';
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
 * topology. Which directory that is, is not told: it may be somebody else's. And a directory has one lab, as with the other lab
 * CLIs: jobs of a lab are found by its directory.
 */
async function checkPlace(workdir: string, instance: string, entries: LabEntries): Promise<void> {
  for (const [id, directory] of await directoriesOf(entries)) {
    if (id === instance && directory !== workdir)
      throw new AppError(
        'conflict',
        `a lab "${id}" runs in another directory: take it down, or give this one another name`,
      );
    if (id !== instance && directory === workdir)
      throw new AppError(
        'conflict',
        `the lab "${id}" runs in ${workdir}: take it down, or use another "workdir", and "topologyPath" for the file`,
      );
  }
}

/** A directory may have files with the name of a lab that runs elsewhere, maybe somebody else's. */
async function checkIsHere(workdir: string, instance: string, entries: LabEntries): Promise<void> {
  const places = new Map(await directoriesOf(entries));
  const directory = places.get(instance);
  if (places.has(instance) && directory !== workdir)
    throw new AppError(
      'conflict',
      `the lab "${instance}" runs in another directory than ${workdir}: name it as "instance"`,
    );
}

/** Before `redeploy`, which takes the lab away first. */
async function checkTopology(workdir: string, instance: string, entry: LabEntry | undefined): Promise<void> {
  if (await topologyFiles.fileOf?.({ instance, workdir, entry })) return;
  throw new AppError(
    'topology-not-found',
    `the file that "${instance}" was deployed from is gone, or names another lab by now: it would be destroyed, and not deployed again; use "up" with "reconfigure"`,
  );
}

/** @throws AppError `invalid-request` */
function checkName(action: Action, workdir: string, instance: string | null): void {
  const { needsTopology, instance: use } = specOf(action);
  if (instance !== null) return;
  // Of a lab without a name, all containers of all labs would be nodes, and those that are not in its topology removed (0.79).
  if (needsTopology)
    throw invalidField(
      'topology',
      'must give its lab a name in plain text, in a line of its own, such as "name: demo"',
    );
  if (use !== undefined && use !== 'by-name')
    throw invalidField('instance', `is required: it cannot be told which lab of ${workdir} is meant`);
}

export const checkLab: NonNullable<LabDriver['checkLab']> = async ({ action, workdir, instance, run }) => {
  const { startsLab, restartsLab, instance: use, mayLeaveLab } = specOf(action);
  checkName(action, workdir, instance);
  const isAboutLab = startsLab === true || (use !== undefined && use !== 'by-name');
  if (instance === null || !isAboutLab) return;
  const all = containerlabStatus.allJson(run);
  // A status that cannot be told must keep nobody from stopping a lab; whatever else is done may be done to another one then.
  const onlyStops = mayLeaveLab === true && startsLab !== true && restartsLab !== true;
  const { entries } = onlyStops ? await all.catch(() => ({ entries: new Map() as LabEntries })) : await all;
  const entry = entries.get(instance);
  if (entry !== undefined && mayLeaveLab === true && isOfNetlab(entry))
    throw new AppError(
      'conflict',
      `the lab "${instance}" was started by netlab: stop it with "netlab down" in ${containerlabStatus.directoryOf(entry)}, or by a service with LAB_API_CLI=netlab`,
    );
  if (startsLab === true) return checkPlace(workdir, instance, entries);
  await checkIsHere(workdir, instance, entries);
  if (restartsLab === true) await checkTopology(workdir, instance, entry);
};
