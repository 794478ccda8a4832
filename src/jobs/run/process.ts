/** Starts the lab CLI of a job, or finds it again after a restart of the service, and tells how it ended. */
import { spawn, type ChildProcess } from 'node:child_process';
import { open } from 'node:fs/promises';
import { deferred } from '../../lib/async/deferred.ts';
import { every } from '../../lib/async/disposal.ts';
import { identify, isAlive, type ProcessIdentity } from '../../lib/processes/processes.ts';
import { untilItWorks } from '../../lib/async/until-it-works.ts';
import {
  fileMode,
  letRead,
  prepareStart,
  preventStart,
  readExitStatus,
  writeIdentity,
  type JobPaths,
  type ExitStatus,
} from '../store/job-files.ts';
import type { RunsAs } from '../model/lab-port.ts';
import { jobIdVariable } from './job-processes.ts';
import os from 'node:os';
import { withoutHidden } from '../../lib/processes/hidden-descriptors.ts';

export type ProcessEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signaled'; readonly signal: string }
  /** The shim is gone, and it is proven that the lab CLI never ran. */
  | { readonly kind: 'unstarted' }
  /** It is gone and its end was not observed. */
  | { readonly kind: 'lost' };

// Reversed, because some numbers have two names (SIGABRT and SIGIOT): the first is the one that people know.
const signalNames = new Map(
  Object.entries(os.constants.signals)
    .toReversed()
    .map(([name, number]) => [number, name]),
);

/** With these statuses, those of SIGINT and SIGPIPE, shells print no word that tells a signal from an exit status. */
const silentStatuses = new Set([128 + os.constants.signals.SIGINT, 128 + os.constants.signals.SIGPIPE]);

/**
 * A shell's status as what it stands for. POSIX (XCU 2.8.2): a command that a signal ended is reported as more than 128,
 * in practice 128 + its number; a command may also exit with such a status by itself, and then the shell keeps quiet.
 */
export function endOfStatus({ exitCode, signaled }: ExitStatus): ProcessEnd {
  const isSignal = signaled || silentStatuses.has(exitCode);
  const signal = isSignal ? signalNames.get(exitCode - 128) : undefined;
  return signal === undefined ? { kind: 'exited', exitCode } : { kind: 'signaled', signal };
}

/**
 * Stands between the service and the lab CLI, so that the exit status is known even when the service was away.
 *  - `trap :` keeps the shell alive through the signals of a cancel; unlike `trap ''` it leaves the child its defaults.
 *  - The shell's own words ("Killed") go to a file, not to the log, which holds what the lab CLI printed and nothing else.
 *    They tell a signal from an exit status over 128. The command stands in a subshell because dash would redirect
 *    itself for as long as a command with redirections runs.
 *  - Signals are ignored while the result is written: a late one would kill `mv`.
 *  - Words and result overwrite what is in their files already (`<>` does not truncate): a full disk does not lose them.
 *  - No variable is set before the command runs: one of that name in the environment would change for the lab CLI too.
 *  - The ticket is used up before the command starts, so that it starts once at most, and never after a service has taken
 *    the ticket away (`preventStart`). Renaming needs no room on a full disk. `command -p` finds `mv` whatever PATH is.
 * `$1` is the job's directory, `$2` the ticket, the rest is the command. Nothing is ever pasted into this text.
 */
export const shim = `trap : INT TERM HUP QUIT
exec 3>&2 2<>"$1/shim.err"
command -p mv -f "$2" "$1/exit.json.tmp" || exit 125
(shift 2; exec "$@" 2>&3 3>&-)
status=$?
trap '' INT TERM HUP QUIT
signaled=false
read -r words <"$1/shim.err"
[ -n "$words" ] && signaled=true
printf '{"exitCode":%d,"signaled":%s}' "$status" "$signaled" 1<>"$1/exit.json.tmp" && mv -f "$1/exit.json.tmp" "$1/exit.json"
exit "$status"`;

/** The interval between two checks of a process that is not our child. */
const adoptedPollMs = 200;

export interface JobProcess {
  readonly identity: ProcessIdentity;
  /** Resolves once, when the lab CLI itself has ended; never rejects. */
  readonly ended: Promise<ProcessEnd>;
}

interface StartSpec {
  readonly id: string;
  readonly paths: JobPaths;
  readonly command: readonly string[];
  /** The real path of the directory to run in. */
  readonly workdir: string;
  /** A path that leads to that very directory even if its name has been replaced. */
  readonly cwd?: string;
  /** The descriptor that `cwd` leads through. */
  readonly held?: number | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** The user that the command runs as; undefined for the service's own user. */
  readonly runAs?: RunsAs | undefined;
}

/** How a process ended that is our child: as the shim wrote, or else as the kernel tells us of the shim itself. */
function watchChild(child: ChildProcess, paths: JobPaths): Promise<ProcessEnd> {
  const end = deferred<ProcessEnd>();
  child.once('exit', (code, signal) => {
    const seen: ProcessEnd =
      code === null
        ? { kind: 'signaled', signal: signal ?? 'SIGKILL' }
        : endOfStatus({ exitCode: code, signaled: false });
    void untilItWorks(async () => readExitStatus(paths)).then(async (status) => {
      end.resolve(status === undefined ? await endWithoutStatus(paths, seen) : endOfStatus(status));
    });
  });
  return end.promise;
}

/** The end of a job whose shim is gone and wrote no result; `seen` is the end that the kernel reports. Never rejects. */
async function endWithoutStatus(paths: JobPaths, seen: ProcessEnd): Promise<ProcessEnd> {
  const beginning = await untilItWorks(async () => preventStart(paths));
  return beginning === 'prevented' ? { kind: 'unstarted' } : seen;
}

/** The shim stays what the service is, so it takes its own programs from where only root puts any; the command has its PATH. */
function asOther({ command, env }: StartSpec, { commandPrefix }: RunsAs): Pick<StartSpec, 'command' | 'env'> {
  const { PATH = '' } = env;
  return {
    command: [...commandPrefix, '/bin/sh', '-c', 'PATH=$1; shift; exec "$@"', 'lab', PATH, ...command],
    env: { ...env, PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
  };
}

/** Starts the shim with the log as its output; gives it once it is there. */
async function spawnShim(
  spec: StartSpec,
  ticket: string,
): Promise<Omit<JobProcess, 'identity'> & { pid: number }> {
  const { id, paths, workdir, cwd = workdir, runAs } = spec;
  const { command, env } = runAs ? asOther(spec, runAs) : spec;
  const log = await open(paths.log, 'a', fileMode);
  const spawned = deferred<void>();
  try {
    const child = spawn('/bin/sh', ['-c', shim, 'lab-job', paths.directory, ticket, ...command], {
      cwd,
      // The shell believes PWD when it names the directory that it is in, and finds the name itself when not.
      env: { ...env, PWD: workdir, [jobIdVariable]: id },
      detached: true,
      stdio: withoutHidden(['ignore', log.fd, log.fd], spec.held),
    });
    // At once: a quick process may end while we wait below, and its end would be missed.
    const ended = watchChild(child, paths);
    child.once('spawn', () => spawned.resolve());
    child.on('error', (error) => spawned.reject(error));
    await spawned.promise;
    return { pid: child.pid ?? 0, ended };
  } finally {
    // Nothing was written here, so there is nothing that could be lost; and the process may run already.
    await log.close().catch(() => undefined);
  }
}

/**
 * Starts the command in its own session and process group, standard output and error on the log's one O_APPEND
 * descriptor: the log grows without us, and a crash of the service breaks no pipe.
 * @throws Error when it could not be started; nothing of it runs then.
 */
export async function startProcess(spec: StartSpec): Promise<JobProcess> {
  const { paths, runAs } = spec;
  if (runAs) await letRead(paths, runAs.gid);
  const ticket = await prepareStart(paths);
  const { pid, ended } = await spawnShim(spec, ticket).catch(async (error: unknown) => {
    await preventStart(paths).catch(() => undefined);
    throw error;
  });
  // Without the retry, a shortage of descriptors would leave a running process without supervision.
  const identity = await untilItWorks(() => Promise.resolve().then(() => identify(pid)));
  // When this write fails, or the service ends before it, the next service finds the process by LAB_JOB_ID (`findShim`).
  await writeIdentity(paths, identity).catch(() => undefined);
  return { identity, ended };
}

/** Watches a process that an earlier service started. */
export function adoptProcess(identity: ProcessIdentity, paths: JobPaths): JobProcess {
  const end = deferred<ProcessEnd>();
  const look = async (): Promise<void> => {
    // Whether it lives is asked first. A process that writes its result and ends between the two questions then counts as
    // alive, and the next look finds the result; the other way round, it would be taken for lost.
    const alive = isAlive(identity);
    const status = await readExitStatus(paths);
    if (status !== undefined) end.resolve(endOfStatus(status));
    else if (!alive) end.resolve(await endWithoutStatus(paths, { kind: 'lost' }));
  };
  // That the system cannot tell now does not mean that the process is gone: the next look may tell.
  const stop = every(adoptedPollMs, () => void look().catch(() => undefined));
  void end.promise.then(stop);
  void look().catch(() => undefined);
  return { identity, ended: end.promise };
}
