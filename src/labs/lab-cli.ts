import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, systemCode } from '../lib/app-error.ts';
import { expandHome } from '../lib/home.ts';
import { run } from './run.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The external program that does the work. */
export interface LabCli {
  /** What people call it: `netlab`. */
  readonly name: string;
  /** Absolute path of the program. */
  readonly file: string;
  /** Directories whose programs the lab CLI calls by name; they go first on its PATH. */
  readonly binDirs: readonly string[];
}

function isProgram(file: string): boolean {
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

const engineFile = fileURLToPath(new URL('../engine/main.js', import.meta.url));

/** The engine that comes with this program; undefined when it was not built. It is run with the Node that runs us. */
function bundledEngine(): LabCli | undefined {
  if (!isProgram(engineFile)) return undefined;
  return { name: 'lab', file: engineFile, binDirs: [path.dirname(process.execPath)] };
}

/** LAB_HOME from the root: a relative one would be another directory for each job, which runs in that of its lab. */
function engineHome(env: Environment): string | undefined {
  return env['LAB_HOME'] ? path.resolve(expandHome(env['LAB_HOME'])) : undefined;
}

/**
 * The file in which the lab CLI keeps its instances. When it changes, somebody started or stopped a lab, maybe not
 * through us: netlab's is `~/.netlab/status.yaml` (netsim/utils/status.py), the engine's `status.json` in LAB_HOME.
 */
export function labStateFile(cli: LabCli, env: Environment): string {
  const home = env['HOME'] || os.homedir();
  if (cli.file !== engineFile) return path.join(home, '.netlab', 'status.yaml');
  return path.join(engineHome(env) ?? path.join(home, '.lab'), 'status.json');
}

/**
 * Whether something of a lab may be left where an action was ended half-way. The bundled engine undoes what it made: it
 * enters a lab into its state before anything of it exists, and takes it out when nothing of it does. Of netlab, and of a
 * state that cannot be read, anything is possible.
 */
export function mayHaveLeftLab(cli: LabCli, env: Environment, directory: string): boolean {
  if (cli.file !== engineFile) return true;
  try {
    const entries: unknown = JSON.parse(readFileSync(labStateFile(cli, env), 'utf8'));
    return Object.values(entries as Record<string, { dir: unknown }>).some(({ dir }) => dir === directory);
  } catch (error) {
    return systemCode(error) !== 'ENOENT';
  }
}

/**
 * The program that `setting` (the value of LAB_API_CLI) stands for: `auto` (netlab when it is on PATH, else the bundled
 * engine), `engine`, a name on PATH, or a path. Looked up anew each time it is asked for, so a netlab that is installed
 * later is found without a restart.
 */
export function findLabCli(setting: string, env: Environment): LabCli | undefined {
  if (setting === 'engine') return bundledEngine();
  if (setting === 'auto') return findProgram('netlab', env) ?? bundledEngine();
  return findProgram(expandHome(setting), env);
}

function findProgram(wanted: string, env: Environment): LabCli | undefined {
  const file = wanted.includes('/') ? path.resolve(wanted) : onPath(wanted, env);
  if (file === undefined || !isProgram(file)) return undefined;
  // netlab calls `ansible-playbook` and `netlab` by name. With `netlab` as a link into a virtual environment, they are
  // beside the link's target.
  const binDirs = new Set([path.dirname(file), path.dirname(realpathSync(file))]);
  return { name: path.basename(file), file, binDirs: [...binDirs] };
}

/** @throws AppError `lab-cli-missing` when there is none. */
export function requireLabCli(cli: LabCli | undefined): LabCli {
  if (cli) return cli;
  throw new AppError(
    'lab-cli-missing',
    'there is no lab CLI on this server: install netlab, or set LAB_API_CLI',
    {
      retryAfterSeconds: 60,
    },
  );
}

/**
 * The environment of every lab CLI: the service's own without `LAB_API_*` (netlab copies what it can see into its
 * snapshots), line by line output, and tables wide enough to read (without a terminal they are cut at 80 columns).
 */
export function labCliEnvironment(cli: LabCli, env: Environment): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !entry[0].startsWith('LAB_API_') && entry[0] !== 'LAB_JOB_ID',
  );
  const home = engineHome(env);
  return {
    COLUMNS: '200',
    ...Object.fromEntries(kept),
    ...(home !== undefined && { LAB_HOME: home }),
    PYTHONUNBUFFERED: '1',
    PATH: [...cli.binDirs, env['PATH'] ?? defaultPath].join(path.delimiter),
  };
}

/** The first line of `<cli> version` without the words around the number; undefined when it does not say. */
export async function labCliVersion(cli: LabCli, env: Environment): Promise<string | undefined> {
  const result = await run(cli.file, ['version'], { env: labCliEnvironment(cli, env), timeoutMs: 15_000 });
  if (result.exitCode !== 0) return undefined;
  return /\d+(?:\.[\w-]+)+/.exec(result.stdout.toString('utf8'))?.[0];
}
