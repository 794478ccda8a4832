/** Adds to a line of the audit what its request did not name. */
import path from 'node:path';
import type { AuditEntry } from '../access/model/audit.ts';
import { realPathOf } from '../lib/files/real-path.ts';
import type { Machine } from './machine.ts';

type Parts = Pick<Machine, 'jobs' | 'labs' | 'workspaces'>;

/** The one lab that `is` true for; undefined if there are several, of several lab CLIs. */
function onlyLab({ labs }: Parts, is: (lab: ReturnType<Parts['labs']['lastFound']>[number]) => boolean) {
  const [found, ...more] = labs.lastFound().filter(is);
  return more.length === 0 ? found : undefined;
}

/** Undefined for a name that no workspace can have. */
function placeOf({ workspaces }: Parts, name: string): string | undefined {
  try {
    return workspaces.directoryOf(name);
  } catch {
    return undefined;
  }
}

/**
 * The lab, directory and workspace of the job that an entry names. For a refused request also those of the lab, and of the
 * directory or workspace of the job that was wanted: nothing else tells them. It never throws, and waits for nothing.
 */
export function withWholeTarget(entry: AuditEntry, parts: Parts): AuditEntry {
  const { jobs, workspaces } = parts;
  const isRefused = (entry.status ?? 0) >= 400;
  const job = entry.job === undefined ? undefined : jobs.summary(entry.job);
  const named = { lab: entry.lab ?? job?.instance, workdir: entry.workdir ?? job?.workdir };
  let { lab, workdir } = named;
  if (isRefused && workdir === undefined && lab) workdir = onlyLab(parts, ({ id }) => id === lab)?.directory;
  if (isRefused && workdir === undefined && entry.action !== undefined && entry.workspace !== undefined)
    workdir = placeOf(parts, entry.workspace);
  // A refused path is not looked up: on a mount that does not answer, that would stop the service.
  const placeAt = isRefused ? (file: string) => path.resolve(file) : realPathOf;
  const real = workdir && path.isAbsolute(workdir) ? placeAt(workdir) : undefined;
  if (isRefused && entry.action !== undefined && real !== undefined)
    lab ??= onlyLab(parts, ({ directory }) => directory === real)?.id;
  const workspace =
    entry.workspace ?? job?.workspace ?? (real === undefined ? null : workspaces.nameOf(real));
  return {
    ...entry,
    ...(lab && { lab }),
    ...(workdir && { workdir }),
    ...(workspace && { workspace }),
  };
}
