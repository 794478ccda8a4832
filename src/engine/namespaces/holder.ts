/**
 * The holder: for labs without privileges, one small process (`sleep infinity`) that keeps a user namespace alive, with
 * a network and a mount namespace. In there we may do what root may, and commands join it. The holder must outlive the
 * command, the job and the terminal that started it. So it has a session of its own and no open files, and in its
 * environment there is no LAB_JOB_ID, by which the processes of a cancelled job are found and ended.
 */
import { spawn } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { deferred } from '../../lib/async/deferred.ts';
import { findProcess, identify, isAlive, type ProcessIdentity } from '../../lib/processes/processes.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { readRegistry } from '../state/lab-registry.ts';
import { makeDirectory, readOwnFile, replaceFile } from '../system/files.ts';
import { tryLock, type Lock } from '../system/lock.ts';
import { startFailure } from '../system/run-program.ts';
import { removeTemporaries } from '../system/temporary-files.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What the holder does before it sleeps. It mounts a `/run` of its own, where `ip netns` can write; every command that
 * joins sees the same. It goes on only after it was told that its identity is on record: should we be killed before
 * that, it ends, because nobody would ever find it again.
 */
const holderScript = `mount -t tmpfs -o mode=755 tmpfs /run && mkdir /run/netns && ip link set lo up && echo ready &&
read -r recorded && exec sleep infinity </dev/null >/dev/null 2>&1`;

const lockWaitSeconds = 30;

const identityFile = (home: string): string => path.join(home, 'holder.json');
const lockFile = (home: string): string => path.join(home, 'locks', '.holder.lock');

/** The process that holds the user namespace; undefined when there is none (any more). */
export async function findHolder(home: string): Promise<ProcessIdentity | undefined> {
  const file = identityFile(home);
  const text = await readOwnFile(file).catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const identity = JSON.parse(text) as ProcessIdentity;
    return isAlive(identity) ? identity : undefined;
  } catch {
    // The engine writes the file whole or not at all, so somebody else changed it; the process may still hold labs.
    throw new EngineError(
      `cannot understand ${file}; end the process "sleep infinity" of your labs, then remove it`,
    );
  }
}

/** Whether we run inside the user namespace of the holder already. */
export function isHeldBy(holder: ProcessIdentity): boolean {
  try {
    return readlinkSync(`/proc/${holder.pid}/ns/user`) === readlinkSync('/proc/self/ns/user');
  } catch {
    // Another user's process: the kernel does not show us its namespaces.
    return false;
  }
}

function holderEnvironment(env: Environment): Record<string, string> {
  const kept = ['PATH', 'LANG', 'LC_ALL'].map((name): [string, string | undefined] => [name, env[name]]);
  return Object.fromEntries(kept.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/**
 * Starts the holder and puts its identity on record. The caller has the lock of the holder alone.
 * @throws EngineError with what `unshare` said, when user namespaces are not allowed.
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
  // It closes its standard error when it becomes `sleep`; from then on it does not depend on us.
  await ended.promise;
  child.unref();
}

export interface Held {
  readonly identity: ProcessIdentity;
  /** Shared by all commands that need the holder; while one of them has it, no command ends the holder. */
  readonly lock: Lock;
}

/** `interrupted` ends the wait for a lock. */
type Context = Pick<EngineContext, 'home' | 'interrupted'>;

/** The holder, with the lock that keeps it from being ended while this command uses it; undefined when there is none. */
export async function shareHolder({ home, interrupted }: Context): Promise<Held | undefined> {
  const options = { waitSeconds: lockWaitSeconds, kind: 'shared', signal: interrupted } as const;
  const lock = await tryLock(lockFile(home), options);
  if (lock === undefined) throw new EngineError(`the lock ${lockFile(home)} could not be had in time`);
  const identity = await findHolder(home);
  if (identity !== undefined) return { identity, lock };
  await lock.release();
  return undefined;
}

/** The same, but the holder is started when there is none. */
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
  // There may be none: another command ended it between the two locks, or was about to start it and could not.
  // Then all of this is tried once more.
  return (await shareHolder(context)) ?? requireHolder(context, env, missing);
}

/** Ends the holder when there is no lab in the registry and no command is using it. */
export async function endIdleHolder(home: string): Promise<void> {
  const lock = await tryLock(lockFile(home), { waitSeconds: 0 });
  if (lock === undefined) return;
  try {
    const identity = await findHolder(home);
    if (identity === undefined || (await readRegistry(home)).size > 0) return;
    if (findProcess(identity.pid) !== undefined) process.kill(identity.pid, 'SIGKILL');
    await rm(identityFile(home), { force: true });
  } finally {
    await lock.release();
  }
}

/**
 * Goes on only when its parent is still the one that started it: that may have been killed before `--pdeathsig` was
 * set.
 */
const insideScript = '[ "$PPID" = "$1" ] && cd "$2" && shift 2 && exec "$@"';

/**
 * The arguments of `nsenter` that run a command inside, in the same directory as outside. The kernel kills it when we
 * are killed: otherwise an `up` that was killed could still make its lab after the `down` that followed.
 */
export function joinArguments(identity: ProcessIdentity, cwd: string, command: readonly string[]): string[] {
  const target = ['--target', String(identity.pid), '--user', '--preserve-credentials', '--net', '--mount'];
  const inside = ['sh', '-c', insideScript, 'lab', String(process.pid), cwd, ...command];
  return [...target, '--', 'setpriv', '--pdeathsig', 'KILL', ...inside];
}
