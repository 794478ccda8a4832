import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { invalidField } from '../../lib/app-error.ts';
import { isInside } from '../../lib/files/path-inside.ts';

/** Whether a symbolic link on the way leads out; a dangling one counts, too, because writing through it creates its target. */
async function leadsOut(workdir: string, target: string): Promise<boolean> {
  let current = workdir;
  for (const part of path.relative(workdir, target).split(path.sep)) {
    current = path.join(current, part);
    const found = await lstat(current).catch(() => undefined);
    if (found === undefined) return false;
    if (found.isSymbolicLink()) {
      const real = await realpath(current).catch(() => undefined);
      if (real === undefined || !isInside(workdir, real) || real === workdir) return true;
    }
  }
  return false;
}

/**
 * Throws `invalid-request` unless `value` (absolute, or relative to `workdir`, a real path) lies strictly below `workdir`, with
 * symbolic links resolved: the lab CLI writes there, and may empty it first.
 */
export async function checkBelowWorkdir(workdir: string, value: string, field: string): Promise<void> {
  const target = path.resolve(workdir, value);
  if (target === workdir || !isInside(workdir, target)) {
    throw invalidField(field, `must lie below the working directory ${workdir}`);
  }
  if (await leadsOut(workdir, target)) {
    throw invalidField(field, 'must not go through a symbolic link that leads out of the working directory');
  }
}
