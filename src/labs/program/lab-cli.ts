import path from 'node:path';
import { AppError } from '../../lib/app-error.ts';
import { actions, specOf, type Action } from '../model/actions.ts';
import type { Environment, LabCli, LabDriver, LabProgram } from '../drivers/lab-driver.ts';
import type { OptionName } from '../model/option-kinds.ts';
import { defaultPath } from '../drivers/find-program.ts';
import { labHome } from '../drivers/lab-home.ts';
import { runCaptured } from '../system/run.ts';

/** The error for a missing lab CLI. The setting is a name, a path, or `auto` for any. */
export function whyMissing(setting: string, place: 'server' | 'machine' = 'server'): string {
  return setting === 'auto'
    ? `there is no lab CLI on this ${place}: install netlab, or set LAB_API_CLI`
    : `"${setting}" is not on this ${place}, or cannot be executed: install it, or name another lab CLI in LAB_API_CLI or LAB_API_CLIS`;
}

/** @throws AppError `lab-cli-missing` when there is none. */
export function requireLabCli(cli: LabCli | undefined, setting: string): LabCli {
  if (cli) return cli;
  throw new AppError('lab-cli-missing', whyMissing(setting), { retryAfterSeconds: 60 });
}

/** By action: the options that it has with other lab CLIs, and is refused with this one. */
export function otherOptions(
  driver: Pick<LabDriver, 'options'>,
): Readonly<Record<Action, readonly OptionName[]>> {
  const refused = (action: Action): readonly OptionName[] =>
    specOf(action).isOfService === true
      ? []
      : specOf(action).options.filter((name) => !driver.options[action].includes(name));
  return Object.fromEntries(actions.map((action) => [action, refused(action)])) as Record<
    Action,
    OptionName[]
  >;
}

/**
 * As netlab makes its own PATH (netsim/cli/external_commands.py, add_netlab_path): what is on it already stays where the
 * administrator put it.
 */
function searchPath(
  { binDirs, interpreterDir }: Pick<LabProgram, 'binDirs' | 'interpreterDir'>,
  env: Environment,
) {
  const given = env['PATH'] ?? defaultPath;
  const onPath = new Set(given.split(path.delimiter).map((directory) => path.resolve('/', directory)));
  const missing = binDirs.filter((directory) => !onPath.has(directory));
  return [...(interpreterDir === undefined ? [] : [interpreterDir]), ...missing, given].join(path.delimiter);
}

/**
 * The environment of every lab CLI: the service's own without `LAB_API_*` (netlab copies what it can see into its
 * snapshots), line by line output, and tables wide enough to read (without a terminal they are cut at 80 columns).
 */
export function labCliEnvironment(
  program: Pick<LabProgram, 'binDirs' | 'interpreterDir' | 'environment'>,
  env: Environment,
): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !entry[0].startsWith('LAB_API_') && entry[0] !== 'LAB_JOB_ID',
  );
  // For every lab CLI: what is given by its path may be a way to the bundled engine.
  const home = labHome(env);
  return {
    COLUMNS: '200',
    ...Object.fromEntries(kept),
    ...(home !== undefined && { LAB_HOME: home }),
    PYTHONUNBUFFERED: '1',
    ...program.environment,
    PATH: searchPath(program, env),
  };
}

/** The version number on the first line that has one; undefined when the lab CLI does not say. */
export async function labCliVersion(
  cli: LabCli,
  env: Environment,
  words: readonly string[] = [],
): Promise<string | undefined> {
  const { file, driver } = cli;
  const result = await runCaptured(file, driver.versionArguments, {
    env: labCliEnvironment(cli, env),
    timeoutMs: 15_000,
    words,
  });
  if (result.exitCode !== 0) return undefined;
  return /\d+(?:\.[\w-]+)+/.exec(result.stdout.toString('utf8'))?.[0];
}
