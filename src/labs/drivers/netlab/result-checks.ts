/** Whether a command of netlab that ended with exit code 0 did what it says. */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { exists } from '../../../lib/files/exists.ts';

interface DownCheck {
  readonly workdir: string;
  /** The directories of the instances that the status lists; undefined when the status could not be told. */
  readonly instanceDirs: readonly string[] | undefined;
  readonly dryRun: boolean;
}

async function resolved(directory: string): Promise<string> {
  return realpath(directory).catch(() => path.resolve(directory));
}

/**
 * After `down` exited with 0: why the lab is nevertheless not gone, or undefined when it is. netlab exits with 0 as
 * well when the provider is missing, and then stops nothing (netsim/cli/down.py, `run`); a real `down` removes the
 * instance from the status and then `netlab.lock` from the directory. A dry run is not supposed to do either.
 */
export async function checkDown({ workdir, instanceDirs, dryRun }: DownCheck): Promise<string | undefined> {
  if (dryRun) return undefined;
  const lock = path.join(workdir, 'netlab.lock');
  if (await exists(lock).catch(() => false))
    return `down ended with exit code 0, but the lab was not stopped: ${lock} is still there; see the log`;
  const directories = await Promise.all((instanceDirs ?? []).map(resolved));
  if (!directories.includes(await resolved(workdir))) return undefined;
  return `down ended with exit code 0, but the lab was not stopped: the status still lists ${workdir}; see the log`;
}

/** The same about what was seen of the lab after all: its containers, its namespaces. */
export function notGone(remains: string): string {
  return `down ended with exit code 0, but the lab was not stopped: there are still ${remains}; see the log`;
}

/**
 * After `collect` exited with 0: why nothing was collected, or undefined when something may have been. Where there is no
 * lab, netlab 26.10 runs Ansible without hosts, which Ansible calls a success.
 */
export function checkCollect(workdir: string, logEnd: string): string | undefined {
  if (!stripVTControlCharacters(logEnd).includes('skipping: no hosts matched')) return undefined;
  return `collect ended with exit code 0, but found no lab in ${workdir}: give the "workdir" or the "instance" of one`;
}
