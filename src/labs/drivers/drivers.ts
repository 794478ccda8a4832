/** All drivers, and the choice of one. */
import { expandHome } from '../../lib/files/home.ts';
import { findProgram } from './find-program.ts';
import { engine } from './engine/engine.ts';
import type { Environment, LabCli, LabDriver, LabProgram } from './lab-driver.ts';
import { netlab } from './netlab/netlab.ts';
import { containerlab } from './containerlab/containerlab.ts';
import { specOf, type Action } from '../model/actions.ts';
import type { OptionName } from '../model/option-kinds.ts';

/** The order in which `auto` looks for lab CLIs. */
const automatic: readonly LabDriver[] = [netlab, engine];
const drivers: readonly LabDriver[] = [...automatic, containerlab];

/** For a program that no driver recognizes, and while there is no lab CLI at all. */
const defaultDriver = netlab;

/** The driver that knows a program by its path; undefined when none does. */
function driverOfProgram(file: string): LabDriver | undefined {
  return drivers.find(({ recognizes }) => recognizes(file));
}

/** The driver of a record that names only its program: the bundled engine may have been elsewhere before an upgrade. */
export function driverOfRecord(program: string): LabDriver | undefined {
  return driverOfProgram(program) ?? (program.endsWith('/dist/engine/main.js') ? engine : undefined);
}

/** The driver for a program that a path or another name led to. */
function driverOf(file: string): LabDriver {
  return driverOfProgram(file) ?? defaultDriver;
}

/** The names of lab CLIs in settings and requests. */
export const driverNames: readonly string[] = drivers.map(({ name }) => name);

/**
 * Returns the problem of a list of values like LAB_API_CLI, one for each lab CLI; undefined when the list is good. A single value
 * may be any program.
 */
export function problemOfClis(settings: readonly string[]): string | undefined {
  if (settings.length === 1) return undefined;
  const strange = settings.find((setting) => !setting.includes('/') && !driverNames.includes(setting));
  if (strange !== undefined)
    return `"${strange}" is no lab CLI: use ${driverNames.join(', ')}, or the path of a program`;
  const names = settings.map((setting) => driverOfSetting(setting).name);
  const twice = names.findIndex((name, index) => names.indexOf(name) < index);
  if (twice === -1) return undefined;
  const pair = `"${settings[names.indexOf(names[twice] ?? '')]}" and "${settings[twice]}"`;
  return `${pair} are both "${names[twice]}" to requests: a service has one lab CLI of a kind`;
}

/** The driver for a setting, whether or not its lab CLI is installed. */
export function driverOfSetting(setting: string): LabDriver {
  return drivers.find(({ name }) => name === setting) ?? driverOf(setting);
}

/** Whether this lab CLI takes the option with the action. */
export function takesOption(driver: LabDriver, name: OptionName, action: Action): boolean {
  return name === 'instance' || specOf(action).isOfService === true || driver.options[action].includes(name);
}

/** All drivers that take the option with the action. */
export function driversWith(name: OptionName, action: Action): readonly LabDriver[] {
  return drivers.filter((driver) => takesOption(driver, name, action));
}

function withDriver(
  program: LabProgram | undefined,
  driver: LabDriver,
  env: Environment,
): LabCli | undefined {
  if (program === undefined) return undefined;
  const { binDirs = [], ...further } = driver.standIns?.(env, program) ?? {};
  return { ...program, ...further, binDirs: [...binDirs, ...program.binDirs], driver };
}

/**
 * Finds the lab CLI for `setting` (LAB_API_CLI): `auto` (netlab when it is on PATH, else the bundled engine), the name of a
 * driver, or a program by its name on PATH or its path. A program that no driver recognizes must speak netlab's language. The
 * result is not cached, so a netlab that is installed later is found without a restart.
 */
export function findLabCli(setting: string, env: Environment): LabCli | undefined {
  const candidates = setting === 'auto' ? automatic : drivers.filter(({ name }) => setting === name);
  for (const driver of candidates) {
    const cli = withDriver(driver.find(env), driver, env);
    if (cli) return cli;
  }
  if (candidates.length > 0) return undefined;
  const program = findProgram(expandHome(setting), env);
  return withDriver(program, driverOf(program?.file ?? ''), env);
}
