import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Environment, LabProgram } from './lab-driver.ts';

/** The PATH when the environment has none. */
export const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function onPath(name: string, env: Environment): string | undefined {
  const directories = (env['PATH'] ?? defaultPath)
    .split(path.delimiter)
    .filter((entry) => path.isAbsolute(entry));
  return directories.map((directory) => path.join(directory, name)).find(isProgram);
}

function realPathOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

/** The program with that name on PATH, or at that path; undefined when there is none. */
export function findProgram(wanted: string, env: Environment): LabProgram | undefined {
  const file = wanted.includes('/') ? path.resolve(wanted) : onPath(wanted, env);
  if (file === undefined || !isProgram(file)) return undefined;
  const target = realPathOf(file);
  // Removed meanwhile.
  if (target === undefined) return undefined;
  // netlab calls `ansible-playbook` and `netlab` by name. When `netlab` links into a virtual environment, they lie beside
  // the target of the link.
  const binDirs = new Set([path.dirname(file), path.dirname(target)]);
  return { name: path.basename(file), file, binDirs: [...binDirs] };
}

/** Tells which programs are on a search path; looks for each once. */
export function programsOn(PATH: string | undefined): (name: string) => boolean {
  const found = new Map<string, boolean>();
  return (name) => {
    const isThere = found.get(name) ?? findProgram(name, { PATH }) !== undefined;
    found.set(name, isThere);
    return isThere;
  };
}
