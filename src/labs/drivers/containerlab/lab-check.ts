/** Looks at the labs that there are before an action that would do something else than it says. */
import { realpath } from 'node:fs/promises';
import { AppError, invalidField } from '../../../lib/app-error.ts';
import { specOf, type Action } from '../../model/actions.ts';
import type { LabAsked, LabDriver } from '../lab-driver.ts';
import type { LabEntries, LabEntry } from '../status-driver.ts';
import { containersOf } from './containers.ts';
import { containerlabStatus, starterOf } from './containerlab-status.ts';
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
 * containerlab identifies labs by name only: it would change the lab of another directory to match this topology. The error does
 * not reveal that directory, which may belong to another user. A directory has one lab, as with the other lab CLIs, because
 * jobs of a lab are found by its directory.
 */
async function checkPlace(
  { workdir, instance, replace }: Pick<LabHere, 'workdir' | 'instance'> & Pick<LabAsked, 'replace'>,
  entries: LabEntries,
): Promise<void> {
  for (const [id, directory] of await directoriesOf(entries)) {
    if (id === instance && directory !== workdir)
      throw new AppError(
        'conflict',
        `a lab "${id}" runs in another directory: take it down, or give this one another name`,
      );
    if (id !== instance && directory === workdir && replace !== true)
      throw new AppError(
        'conflict',
        `the lab "${id}" runs in ${workdir}: take it down or send "replace", or use another "workdir", and "topologyPath" for the file`,
      );
  }
}

/** A directory may have files with the name of a lab that runs elsewhere, perhaps of another user. */
async function checkIsHere(workdir: string, instance: string, entries: LabEntries): Promise<void> {
  const places = new Map(await directoriesOf(entries));
  const directory = places.get(instance);
  if (places.has(instance) && directory !== workdir)
    throw new AppError(
      'conflict',
      `the lab "${instance}" runs in another directory than ${workdir}: name it as "instance"`,
    );
}

/** Before what needs the file. `otherwise` is what a person would do with the lab without it. */
async function checkTopology({ instance, workdir, entry }: LabHere, otherwise: string): Promise<void> {
  if (await topologyFiles.fileOf?.({ instance, workdir, entry })) return;
  throw new AppError(
    'topology-not-found',
    `the file that "${instance}" was deployed from is gone, or names another lab by now: ${otherwise}`,
  );
}

/** The most names in an error. */
const namesMax = 100;

/** @throws AppError `invalid-request` about nodes that the lab does not have. Of a lab that is not listed, containerlab says so. */
function checkNodes(nodes: readonly string[], { instance, entry }: LabHere): void {
  if (entry === undefined) return;
  const containers = containersOf(entry['containers']);
  // A node may be several containers, each with a name of its own.
  const known = new Set(containers.map(({ node, wholeNode }) => wholeNode ?? node));
  const unknown = nodes.filter((name) => name !== '*' && !known.has(name));
  if (unknown.length === 0) return;
  const names = [...known].toSorted();
  const list = names.slice(0, namesMax).join(', ');
  throw invalidField(
    'nodes',
    `${unknown.slice(0, namesMax).join(', ')}: the lab "${instance}" has no such node that could be started or stopped; it has ${list}${names.length > namesMax ? ', …' : ''}`,
  );
}

interface LabHere {
  readonly workdir: string;
  readonly instance: string;
  readonly entry: LabEntry | undefined;
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
    throw invalidField('instance', `is required: no topology in ${workdir} names its lab, or several do`);
}

/** @throws AppError `conflict` about a lab that is netlab's to change. */
function checkIsOurs(action: Action, { instance, entry }: LabHere, others: readonly string[]): void {
  const { mayLeaveLab, changesNodes } = specOf(action);
  if (entry === undefined || (mayLeaveLab !== true && changesNodes !== true)) return;
  const starter = starterOf(entry);
  if (starter === undefined) return;
  const service = others.includes(starter)
    ? `with "cli": "${starter}"`
    : `by a service with LAB_API_CLI=${starter}`;
  const instead =
    changesNodes === true
      ? ', which configures its nodes when it starts the lab, and at no other time'
      : `: stop it with "${starter} down" in ${containerlabStatus.directoryOf(entry)}, or ${service}`;
  throw new AppError('conflict', `the lab "${instance}" was started by ${starter}${instead}`);
}

export const checkLab: NonNullable<LabDriver['checkLab']> = async (asked) => {
  const { action, workdir, instance, options, others = [], run } = asked;
  const { startsLab, restartsLab, changesNodes, instance: use, mayLeaveLab } = specOf(action);
  checkName(action, workdir, instance);
  const isAboutLab = startsLab === true || (use !== undefined && use !== 'by-name');
  if (instance === null || !isAboutLab) return;
  const all = containerlabStatus.allJson(run);
  // Without a status, a lab can still be stopped, but nothing else: another action could change another lab.
  const onlyStops = mayLeaveLab === true && startsLab !== true && restartsLab !== true;
  const { entries } = onlyStops ? await all.catch(() => ({ entries: new Map() as LabEntries })) : await all;
  const lab = { workdir, instance, entry: entries.get(instance) };
  checkIsOurs(action, lab, others);
  if (startsLab === true) return checkPlace({ ...asked, instance }, entries);
  await checkIsHere(workdir, instance, entries);
  if (restartsLab === true)
    await checkTopology(lab, 'it would be destroyed, and not deployed again; use "up" with "reconfigure"');
  if (changesNodes !== true) return;
  checkNodes(options.nodes ?? [], lab);
  await checkTopology(lab, 'containerlab knows the nodes of a lab by it alone');
};
