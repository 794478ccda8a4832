/** Of several lab CLIs in one service: which of them a request is for. */
import { AppError, invalidField } from '../lib/app-error.ts';
import { settledWithin } from '../lib/async/settled-within.ts';
import { specOf } from './model/actions.ts';
import type { FindStart, LabStart } from './model/command-record.ts';
import type { AllowedRoots } from './system/allowed-roots.ts';
import type { CliLabs } from './cli-labs.ts';
import type { LabRequest } from './plan/plan-command.ts';
import { directoryOfRequest } from './plan/working-directory.ts';
import type { WorkspacePlaces } from './workspaces/workspace-places.ts';

/** A lab that one of them tells of. */
interface FoundLab {
  readonly id: string;
  /** A real path, as long as there is such a directory; empty when it is unknown. */
  readonly directory: string;
  /** The lab CLI that has it. */
  readonly labs: CliLabs;
}

/** Limits the answer to the things that the user of the request may know. */
interface Reach {
  readonly roots: Pick<AllowedRoots, 'allows'>;
  /** Whether the user may know that a lab is in that directory; other labs do not exist for the user. */
  readonly mayKnow: (directory: string) => boolean;
  readonly serverDirectory: string;
  readonly workspaces: Pick<WorkspacePlaces, 'pathOf'>;
  readonly findStart: FindStart;
  /** The lab CLI of a start; undefined for one that the service has no more. */
  readonly cliOf: (start: LabStart) => CliLabs | undefined;
}

/** A lab CLI that hangs must not hold up the jobs of the others. */
export const maxWaitMs = 2_000;

export function namesOf(members: readonly Pick<CliLabs, 'name'>[]): string {
  return members.map(({ name }) => `"${name}"`).join(', ');
}

/** @throws AppError `invalid-request`. */
export function labsNamed(members: readonly CliLabs[], name: string): CliLabs {
  const found = members.find((labs) => labs.name === name);
  if (found !== undefined) return found;
  throw invalidField('cli', `"${name}" is no lab CLI of this server: use one of ${namesOf(members)}`);
}

/** Never rejects. Of one that does not tell, what it has on record, or told last: its labs are not another one's by that. */
async function labsOf(labs: CliLabs, members: readonly CliLabs[]): Promise<readonly FoundLab[]> {
  const known = await settledWithin(labs.places.found(), maxWaitMs);
  return (known ?? labs.places.lastFound()).map(({ id, directory, starter }) => ({
    id,
    directory,
    labs: members.find(({ name }) => name === starter) ?? labs,
  }));
}

/** Those that a request may be about: by the id that it names, else by its directory. */
async function labsMeant(
  members: readonly CliLabs[],
  request: LabRequest,
  { reach, asked }: { readonly reach: Reach; readonly asked: CliLabs | undefined },
): Promise<readonly FoundLab[]> {
  const { instance } = request.options;
  const isNamed = instance !== undefined && specOf(request.action).instance !== undefined;
  if (!isNamed && !specOf(request.action).locksWorkdir) return [];
  const directory = isNamed ? undefined : await directoryOfRequest(request, reach);
  const isMeant = (lab: FoundLab): boolean => (isNamed ? lab.id === instance : lab.directory === directory);
  const meantOf = async (some: readonly CliLabs[]): Promise<readonly FoundLab[]> => {
    const found = (await Promise.all(some.map(async (labs) => labsOf(labs, members)))).flat();
    return found.filter((lab) => isMeant(lab) && reach.mayKnow(lab.directory));
  };
  if (asked?.places.keepsNoRecord !== true) return meantOf(members);
  // Its own labs take a run to know, and matter only beside one of another lab CLI.
  const others = await meantOf(members.filter((labs) => labs !== asked));
  return others.length === 0 ? [] : [...others, ...(await meantOf([asked]))];
}

function wrongCli({ id, directory, labs }: FoundLab, request: LabRequest, asked: CliLabs): AppError {
  const { startsLab } = specOf(request.action);
  const whose = `the lab "${id}" in ${directory} is one of ${labs.name}`;
  const remedy =
    startsLab === true
      ? `a directory has one lab at a time: take it down (with "cli": "${labs.name}"), send "replace", or use another "workdir"`
      : `send "cli": "${labs.name}", or leave "cli" out`;
  return new AppError('conflict', `${whose}, and the request is for ${asked.name}: ${remedy}`);
}

/** A lab that is shown by another lab CLI under another id. @throws AppError `conflict`. */
function refuseOtherName(members: readonly CliLabs[], request: LabRequest, { roots }: Reach): void {
  const { instance } = request.options;
  if (instance === undefined || specOf(request.action).instance === undefined) return;
  for (const labs of members) {
    const other = labs.places.elsewhere(instance);
    if (other === undefined || !roots.allows(other.directory)) continue;
    const owner = members.find(({ name }) => name === other.cli);
    const known = owner?.places.recordedIn(other.directory);
    const called = known === undefined ? '' : `, which calls it "${known}"`;
    const named = known === undefined ? `"workdir": "${other.directory}"` : `"instance": "${known}"`;
    throw new AppError(
      'conflict',
      `the lab "${instance}" of ${labs.name} was started by ${other.cli}${called}: send "cli": "${other.cli}" and ${named}`,
    );
  }
}

/** Of a lab that none of them tells of, such as one that was ended before its first node: the lab CLI that was to start it. */
async function startedBy(request: LabRequest, reach: Reach): Promise<CliLabs | undefined> {
  const { startsLab, locksWorkdir, instance: use } = specOf(request.action);
  if (startsLab === true || !locksWorkdir || use === undefined) return undefined;
  const { instance } = request.options;
  const lab = instance === undefined ? { workdir: await directoryOfRequest(request, reach) } : { instance };
  const start = await reach.findStart(lab);
  return start && reach.mayKnow(start.workdir) ? reach.cliOf(start) : undefined;
}

/**
 * The lab CLI that a request is for: the one that it names, else the one that has the lab, else the one that the last start on record
 * was for, else the one whose topologies are called like the file that it names, else the first of all.
 * @throws AppError `invalid-request` when it names none of them, or two have a lab in its directory; `conflict` when the lab is
 * another one's.
 */
export async function chooseCli(
  members: readonly CliLabs[],
  request: LabRequest & { readonly cli?: string | undefined },
  reach: Reach,
): Promise<CliLabs> {
  const asked = request.cli === undefined ? undefined : labsNamed(members, request.cli);
  const [first] = members;
  if (first === undefined) throw new Error('there is no lab CLI');
  if (members.length === 1) return first;
  const meant = await labsMeant(members, request, { reach, asked });
  if (meant.length === 0) refuseOtherName(members, request, reach);
  const owners = [...new Set(meant.map(({ labs }) => labs))];
  const { startsLab } = specOf(request.action);
  if (asked !== undefined) {
    // The sentence says nothing of a lab that the user may not use; the lab CLI of the request refuses it.
    const other = meant.find(({ directory }) => reach.roots.allows(directory));
    // An action that neither starts a lab nor is about one changes nothing of it.
    const isAboutLab = startsLab === true || specOf(request.action).instance !== undefined;
    if (request.replace === true) return asked;
    if (other !== undefined && isAboutLab && !owners.includes(asked)) throw wrongCli(other, request, asked);
    return asked;
  }
  if (owners.length > 1 && request.options.instance === undefined)
    throw invalidField('cli', `is required: there are labs of ${namesOf(owners)} in ${meant[0]?.directory}`);
  const { topologyPath } = request;
  const ofName = members.find((labs) => topologyPath !== undefined && labs.ownsTopology(topologyPath));
  return owners[0] ?? (await startedBy(request, reach)) ?? ofName ?? first;
}
