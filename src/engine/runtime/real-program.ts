/** The programs that `bin/` stands in for, as they are on this machine as well. */
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { packageFile } from '../../lib/files/package-root.ts';
import { runInForeground, runProgram } from '../system/run-program.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const standIns = packageFile('dist', 'engine', 'runtime');

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * The next program of that name on PATH; undefined if there is none, or in a user namespace, where Docker is not reached.
 * A program before ours may stand in for it as well: the two must not call each other.
 */
export function realProgram(name: string, env: Environment): string | undefined {
  if (env['LAB_INSIDE'] !== undefined) return undefined;
  const places = (env['PATH'] ?? '').split(path.delimiter);
  const after = places.slice(places.indexOf(standIns) + 1).filter((place) => path.isAbsolute(place));
  return after.map((place) => path.join(place, name)).find(isProgram);
}

/** Becomes that program, for which there are no stand-ins: it knows containers only. Returns its exit code. */
export async function runReal(file: string, words: readonly string[], env: Environment): Promise<number> {
  const places = (env['PATH'] ?? '').split(path.delimiter).filter((place) => place !== standIns);
  return runInForeground(file, words, { ...env, PATH: places.join(path.delimiter) });
}

/** The output of a command that only reads; empty when it fails, for example because the daemon does not run. */
export async function outputOf(file: string | undefined, words: readonly string[]): Promise<string> {
  if (file === undefined) return '';
  const { exitCode, stdout } = await runProgram(file, words);
  return exitCode === 0 ? stdout : '';
}
