import { CheckPlaces } from './checks/check-places.ts';
import { CliLabs } from './cli-labs.ts';
import type { GitFiles } from './git/git-files.ts';
import { JobLabs } from './job-labs.ts';
import { Labs } from './labs.ts';
import type { OwnJobs } from './own-jobs.ts';
import type { LabsDeps } from './labs-deps.ts';

interface CreateLabsDeps extends Omit<LabsDeps, 'others' | 'checkPlaces'> {
  /** Further values like `cli`, each for another lab CLI. */
  readonly moreClis?: readonly string[];
  readonly ownJobs: OwnJobs;
  /** Brings files from Git to workspaces. Absent: none come from there. */
  readonly gitFiles?: GitFiles;
  /** Absent: checks of topologies may fill the disk. */
  readonly limits?: { readonly minFreeDiskBytes: number };
}

interface MadeLabs {
  readonly labs: Labs;
  /** The same lab CLIs for jobs. */
  readonly forJobs: JobLabs;
}

/** The labs of this machine, with one lab CLI or several. Nothing runs before the first question, or `open`. */
export function createLabs({
  moreClis = [],
  ownJobs,
  gitFiles,
  limits = { minFreeDiskBytes: 0 },
  ...given
}: CreateLabsDeps): MadeLabs {
  const deps = { ...given, checkPlaces: new CheckPlaces(given.dataDir, limits) };
  const isAlone = moreClis.length === 0;
  const made: CliLabs[] = [];
  const make = (cli: string): CliLabs => {
    const others = (): readonly CliLabs[] => made.filter((labs) => labs !== own);
    const own: CliLabs = new CliLabs({ ...deps, cli, ...(!isAlone && { others }) });
    made.push(own);
    return own;
  };
  const members = [make(deps.cli), ...moreClis.map(make)] as const;
  const formerly = (cli: string): CliLabs => new CliLabs({ ...deps, cli });
  return {
    labs: new Labs(members),
    forJobs: new JobLabs({
      members: [...members],
      formerly,
      workspaces: deps.workspaces,
      ownJobs,
      ...(gitFiles && { gitFiles }),
    }),
  };
}
