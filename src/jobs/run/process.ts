/** Starts the lab CLI of a job, or finds it again after a restart of the service, and tells how it ended. */
import { spawn, type ChildProcess } from 'node:child_process';
import { open } from 'node:fs/promises';
import { deferred } from '../../lib/deferred.ts';
import { every } from '../../lib/disposal.ts';
import { identify, isAlive, type ProcessIdentity } from '../../lib/processes.ts';
import { untilItWorks } from '../../lib/until-it-works.ts';
import {
  fileMode,
  prepareExitFiles,
  readExitStatus,
  writeIdentity,
  type JobPaths,
} from '../store/job-files.ts';
import { jobIdVariable } from './job-scanner.ts';
import { endOfStatus, type ProcessEnd } from './process-end.ts';

/**
 * Stands between the service and the lab CLI, so that the exit status is known even when the service was away.
 *  - `trap :` keeps the shell alive through the signals of a cancel; unlike `trap ''` it leaves the child its defaults.
 *  - The shell's own words ("Killed") go to a file, not to the log, which holds what the lab CLI printed and nothing else.
 *    They tell a signal from an exit status over 128. The command stands in a subshell because dash would redirect
 *    itself for as long as a command with redirections runs.
 *  - Signals are ignored while the result is written: a late one would kill `mv`.
 *  - Words and result overwrite what is in their files already (`<>` does not truncate): a full disk does not lose them.
 *  - No variable is set before the command runs: one of that name in the environment would change for the lab CLI too.
 * `$1` is the job's directory, the rest is the command. Nothing is ever pasted into this text.
 */
const shim = `trap : INT TERM HUP QUIT
exec 3>&2 2<>"$1/shim.err"
(shift; exec "$@" 2>&3 3>&-)
status=$?
trap '' INT TERM HUP QUIT
signaled=false
read -r words <"$1/shim.err"
[ -n "$words" ] && signaled=true
printf '{"exitCode":%d,"signaled":%s}' "$status" "$signaled" 1<>"$1/exit.json.tmp" && mv -f "$1/exit.json.tmp" "$1/exit.json"
exit "$status"`;

/** How often a process that is not our child is looked at. */
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
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How a process ended that is our child: as the shim wrote, or else as the kernel tells us of the shim itself. */
function watchChild(child: ChildProcess, paths: JobPaths): Promise<ProcessEnd> {
  const end = deferred<ProcessEnd>();
  child.once('exit', (code, signal) => {
    void untilItWorks(async () => readExitStatus(paths)).then((status) => {
      if (status !== undefined) end.resolve(endOfStatus(status));
      else if (code !== null) end.resolve(endOfStatus({ exitCode: code, signaled: false }));
      else end.resolve({ kind: 'signaled', signal: signal ?? 'SIGKILL' });
    });
  });
  return end.promise;
}

/**
 * Starts the command in its own session and process group, standard output and error on the log's one O_APPEND
 * descriptor: the log grows without us, and a crash of the service breaks no pipe.
 * @throws Error when it could not be started.
 */
export async function startProcess(spec: StartSpec): Promise<JobProcess> {
  const { id, paths, command, workdir, env } = spec;
  await prepareExitFiles(paths);
  const log = await open(paths.log, 'a', fileMode);
  const spawned = deferred<void>();
  let child: ChildProcess;
  let ended: Promise<ProcessEnd>;
  try {
    child = spawn('/bin/sh', ['-c', shim, 'lab-job', paths.directory, ...command], {
      cwd: workdir,
      env: { ...env, [jobIdVariable]: id },
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    // At once: a quick process may end while we wait below, and nobody would ever hear of it.
    ended = watchChild(child, paths);
    child.once('spawn', () => spawned.resolve());
    child.on('error', (error) => spawned.reject(error));
    await spawned.promise;
  } finally {
    await log.close();
  }
  const identity = identify(child.pid ?? 0);
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
    else if (!alive) end.resolve({ kind: 'lost' });
  };
  // That the system cannot tell now does not mean that the process is gone: the next look may tell.
  const stop = every(adoptedPollMs, () => void look().catch(() => undefined));
  void end.promise.then(stop);
  void look().catch(() => undefined);
  return { identity, ended: end.promise };
}
