/**
 * The holder: for labs without privileges, one small process (`sleep infinity`) keeps a user namespace alive, with a
 * network and a mount namespace. Inside it, the user has the rights of root, and commands join it. The holder must
 * outlive the command, the job and the terminal that started it. So it has its own session, no open files, and no
 * LAB_JOB_ID in its environment, because cancelling a job ends all processes with that variable.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { deferred } from '../../lib/async/deferred.ts';
import { findProcess, identify, isAlive, type ProcessIdentity } from '../../lib/processes/processes.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { isContainerLab } from '../core/namespace-names.ts';
import { readRegistry } from '../state/lab-registry.ts';
import { makeDirectory, readOwnFile, removeTemporaries, replaceFile } from '../system/files.ts';
import { tryLock, type Lock } from '../system/lock.ts';
import { startFailure } from '../system/run-program.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The script that the holder runs before it sleeps. It mounts its own `/run`, where `ip netns` can write; every
 * command that joins uses the same mount. It continues only after its parent confirms that its identity is recorded.
 * If the parent is killed before that, the holder ends, because no later command could find it.
 */
const holderScript = `mount -t tmpfs -o mode=755 tmpfs /run && mkdir /run/netns && ip link set lo up && echo ready &&
read -r recorded && exec sleep infinity </dev/null >/dev/null 2>&1`;

const lockWaitSeconds = 30;

const identityFile = (home: string): string => path.join(home, 'holder.json');
const lockFile = (home: string): string => path.join(home, 'locks', '.holder.lock');

/** The process that holds the user namespace; undefined if it does not run. */
export async function findHolder(home: string): Promise<ProcessIdentity | undefined> {
  const file = identityFile(home);
  const text = await readOwnFile(file).catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const identity = JSON.parse(text) as ProcessIdentity;
    return isAlive(identity) ? identity : undefined;
  } catch {
    // The engine writes the file whole or not at all, so another program changed it; the process may still hold labs.
    throw new EngineError(
      `${file} is damaged; end the process "sleep infinity" of your labs, then remove the file`,
    );
  }
}

/** Whether this process already runs inside the user namespace of the holder. */
export function isHeldBy(holder: ProcessIdentity): boolean {
  try {
    return readlinkSync(`/proc/${holder.pid}/ns/user`) === readlinkSync('/proc/self/ns/user');
  } catch {
    // The process belongs to another user: the kernel does not show its namespaces.
    return false;
  }
}

function holderEnvironment(env: Environment): Record<string, string> {
  const kept = ['PATH', 'LANG', 'LC_ALL'].map((name): [string, string | undefined] => [name, env[name]]);
  return Object.fromEntries(kept.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/**
 * Starts the holder and records its identity. The caller has the exclusive lock of the holder.
 * @throws EngineError with the error output of `unshare` when user namespaces are not allowed.
 */
async function startHolder(home: string, env: Environment, missing: string): Promise<void> {
  const args = ['--user', '--map-root-user', '--net', '--mount', '--', 'sh', '-c', holderScript];
  const child = spawn('unshare', args, {
    cwd: '/',
    detached: true,
    env: holderEnvironment(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ready = deferred<boolean>();
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => (words += chunk.toString()));
  child.stdout.once('data', () => ready.resolve(true));
  child.stdin.on('error', () => undefined);
  const ended = deferred<void>();
  child.stderr.once('close', () => ended.resolve());
  child.once('error', (error) => ready.reject(startFailure('unshare', error)));
  child.once('close', () => ready.resolve(false));
  if (!(await ready.promise) || child.pid === undefined) {
    throw new EngineError(
      `making network namespaces needs ${missing}, and user namespaces are not allowed here either ` +
        `(${words.trim().split('\n')[0] ?? ''}): run it as root, give the container NET_ADMIN and SYS_ADMIN, ` +
        'or allow user namespaces (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns=0)',
    );
  }
  const identity = identify(child.pid);
  await removeTemporaries(identityFile(home));
  await replaceFile(identityFile(home), `${JSON.stringify(identity)}\n`, 0o600);
  child.stdin.end('recorded\n');
  // The holder closes its standard error when it becomes `sleep`; from then on it does not depend on this process.
  await ended.promise;
  child.unref();
}

export interface Held {
  readonly identity: ProcessIdentity;
  /**
   * A lock that all commands with a need for the holder share; no command ends the holder while another has the lock.
   */
  readonly lock: Lock;
}

/** `interrupted` ends the wait for a lock. */
type Context = Pick<EngineContext, 'home' | 'interrupted'>;

/** The holder, with a shared lock that prevents other commands from ending it; undefined if it does not run. */
export async function shareHolder({ home, interrupted }: Context): Promise<Held | undefined> {
  const options = { waitSeconds: lockWaitSeconds, kind: 'shared', signal: interrupted } as const;
  const lock = await tryLock(lockFile(home), options);
  if (lock === undefined)
    throw new EngineError(`the lock ${lockFile(home)} was not free within ${lockWaitSeconds} seconds`);
  const identity = await findHolder(home);
  if (identity !== undefined) return { identity, lock };
  await lock.release();
  return undefined;
}

/** As `shareHolder`, but starts the holder if it does not run. */
export async function requireHolder(context: Context, env: Environment, missing: string): Promise<Held> {
  const { home } = context;
  await makeDirectory(home, 0o700);
  const first = await tryLock(lockFile(home), { waitSeconds: 0 });
  if (first !== undefined) {
    try {
      if ((await findHolder(home)) === undefined) await startHolder(home, env, missing);
    } finally {
      await first.release();
    }
  }
  // The holder may be missing: another command ended it between the two locks, or failed to start it. Then try again.
  return (await shareHolder(context)) ?? requireHolder(context, env, missing);
}

/** Whether containers of netlab's labs run inside: their claims are in the holder's own `/run`. */
function hasContainerLabs({ pid }: ProcessIdentity): boolean {
  try {
    return readdirSync(`/proc/${pid}/root/run/lab-engine`).some(isContainerLab);
  } catch {
    return false;
  }
}

/** Ends the holder if it has no lab and no command uses it. */
export async function endIdleHolder(home: string): Promise<void> {
  const lock = await tryLock(lockFile(home), { waitSeconds: 0 });
  if (lock === undefined) return;
  try {
    const identity = await findHolder(home);
    if (identity === undefined || (await readRegistry(home)).size > 0 || hasContainerLabs(identity)) return;
    if (findProcess(identity.pid) !== undefined) process.kill(identity.pid, 'SIGKILL');
    await rm(identityFile(home), { force: true });
  } finally {
    await lock.release();
  }
}

/**
 * Continues only if its parent is still the process that started it: the parent may have been killed before
 * `--pdeathsig` took effect.
 */
const insideScript = '[ "$PPID" = "$1" ] && cd "$2" && shift 2 && exec "$@"';

/**
 * The arguments of `nsenter` that run a command inside, in the current directory. The kernel kills the command when
 * this process is killed: otherwise an `up` that was killed could still make its lab after a later `down`.
 */
export function joinArguments(identity: ProcessIdentity, cwd: string, command: readonly string[]): string[] {
  const target = ['--target', String(identity.pid), '--user', '--preserve-credentials', '--net', '--mount'];
  const inside = ['sh', '-c', insideScript, 'lab', String(process.pid), cwd, ...command];
  return [...target, '--', 'setpriv', '--pdeathsig', 'KILL', ...inside];
}
