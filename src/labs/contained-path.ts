import { lstat, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { invalidField } from '../lib/app-error.ts';
import { isInside } from '../lib/path-inside.ts';

/** Whether a symbolic link on the way (a dangling one too: writing through it creates its target) leads out. */
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
 * Throws `invalid-request` unless `value` (absolute, or relative to `workdir`, a real path) names something strictly
 * below `workdir`, symbolic links included. netlab empties its output directory first: nothing else may be named.
 */
async function checkBelowWorkdir(workdir: string, value: string, field: string): Promise<void> {
  const target = path.resolve(workdir, value);
  if (target === workdir || !isInside(workdir, target)) {
    throw invalidField(field, `must lie below the working directory ${workdir}`);
  }
  if (await leadsOut(workdir, target)) {
    throw invalidField(field, 'must not go through a symbolic link that leads out of the working directory');
  }
}

/** Where `collect` may put what it collects: a directory below `workdir` that exists or can be made. */
export async function checkCollectOutput(workdir: string, value: string): Promise<void> {
  checkAnsibleValue(value, 'collectOutput');
  await checkBelowWorkdir(workdir, value, 'collectOutput');
  const found = await stat(path.resolve(workdir, value)).catch(() => undefined);
  if (found !== undefined && !found.isDirectory()) {
    throw invalidField('collectOutput', 'must be a directory: netlab would delete the file of that name');
  }
}

/** A tar file below `workdir`. */
export async function checkCollectTar(workdir: string, value: string): Promise<void> {
  // GNU tar takes `host:file` for a file on another machine and starts a remote shell to reach it.
  if (value.includes(':')) throw invalidField('collectTar', 'must not contain ":"');
  await checkBelowWorkdir(workdir, value, 'collectTar');
  // netlab appends this when the name does not say `.tar` (netsim/cli/collect.py, get_tarball_file).
  if (!value.includes('.tar')) await checkBelowWorkdir(workdir, `${value}.tar.gz`, 'collectTar');
}

/** The end of the names of the collected files. */
export function checkCollectSuffix(value: string): void {
  checkAnsibleValue(value, 'collectSuffix');
  if (value.includes('/')) throw invalidField('collectSuffix', 'must not contain "/"');
}

/**
 * netlab hands these values to Ansible as `-e target=VALUE`, where a blank starts another variable and `{{` a Jinja
 * expression, which can run programs.
 */
function checkAnsibleValue(value: string, field: string): void {
  if (/^[\p{L}\p{N}_./@+,:~-]+$/u.test(value)) return;
  throw invalidField(field, 'may hold only letters, digits and the characters _ . / @ + , : ~ -');
}

/** `format:option=file,file` of `create --output`: no file may lie outside `workdir`; `-` is standard output. */
export async function checkCreateOutputs(workdir: string, outputs: readonly string[]): Promise<void> {
  for (const output of outputs) {
    const files = output
      .split('=')
      .slice(1)
      .flatMap((part) => part.split(','));
    for (const file of files) {
      if (file !== '' && file !== '-') await checkBelowWorkdir(workdir, file, 'output');
    }
  }
}
