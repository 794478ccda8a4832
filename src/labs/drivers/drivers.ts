/** The kinds of lab CLI that there are, and which of them is in use. */
import { expandHome } from '../../lib/home.ts';
import { findProgram } from './find-program.ts';
import { engine } from './engine/engine.ts';
import type { Environment, LabCli, LabDriver } from './lab-driver.ts';
import { netlab } from './netlab/netlab.ts';

/** In the order in which `auto` looks for them. */
const drivers: readonly LabDriver[] = [netlab, engine];

/** For a program of a kind that nobody knows, and as long as there is no lab CLI at all. */
export const defaultDriver = netlab;

/** The driver for a program that was not found by its driver's name. */
export function driverOf(file: string): LabDriver {
  return drivers.find(({ recognizes }) => recognizes(file)) ?? defaultDriver;
}

function findOwnProgram(driver: LabDriver, env: Environment): LabCli | undefined {
  const program = driver.find(env);
  return program && { ...program, driver };
}

/**
 * The lab CLI that `setting` (the value of LAB_API_CLI) stands for: `auto` (netlab when it is on PATH, else the bundled
 * engine), the name of a driver (`netlab`, `engine`), or a program by its name on PATH or its path. A program that no
 * driver recognizes must speak netlab's language. Looked up anew each time it is asked for, so a netlab that is installed
 * later is found without a restart.
 */
export function findLabCli(setting: string, env: Environment): LabCli | undefined {
  const candidates = drivers.filter(({ name }) => setting === 'auto' || setting === name);
  for (const driver of candidates) {
    const cli = findOwnProgram(driver, env);
    if (cli) return cli;
  }
  if (candidates.length > 0) return undefined;
  const program = findProgram(expandHome(setting), env);
  return program && { ...program, driver: driverOf(program.file) };
}
