/**
 * Runs a command where the namespaces of the user's labs are. For root, that is the current namespace. For other
 * users, it is the user namespace that the holder keeps alive: this program starts again inside it and does all of
 * the work there.
 */
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../../lib/files/path-inside.ts';
import type { ProcessIdentity } from '../../lib/processes/processes.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { privileges } from '../system/privileges.ts';
import { waitInForeground } from '../system/run-program.ts';
import {
  endIdleHolder,
  findHolder,
  isHeldBy,
  joinArguments,
  requireHolder,
  shareHolder,
  type Held,
} from './holder.ts';

/** The command line of this program, to start it again. */
export interface Invocation {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Node, its options, and the path of this script. */
  readonly program: readonly string[];
  readonly args: readonly string[];
}

type Context = Pick<EngineContext, 'home' | 'cwd' | 'runDir' | 'interrupted'>;

/** `make`: the command makes namespaces. `see`: the command only reads existing namespaces, and there may be none. */
export type Need = 'make' | 'see';

export type Entered =
  | { readonly kind: 'here'; readonly seesKernel: boolean }
  /** The command ran to its end inside the user namespace, as a separate process. */
  | { readonly kind: 'done'; readonly exitCode: number };

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs this program again inside the user namespace. The child inherits the lock of the holder, so the holder stays
 * while the child runs, even if this process is killed. A signal that arrives before the start prevents the start.
 * Later signals go on to the child: the engine inside undoes its work and reports that. If the signal arrives before
 * the engine has started inside, it kills `nsenter`, and this process reports the interruption.
 */
async function runInside(held: Held, context: Context, invocation: Invocation): Promise<number> {
  const command = [...invocation.program, ...invocation.args];
  context.interrupted.throwIfAborted();
  const child = spawn('nsenter', joinArguments(held.identity, context.cwd, command), {
    env: { ...invocation.env, LAB_HOME: context.home },
    stdio: ['inherit', 'inherit', 'inherit', held.lock.fd],
  });
  const { exitCode, wasKilled } = await waitInForeground(child, 'nsenter', forwarded);
  if (wasKilled) context.interrupted.throwIfAborted();
  return exitCode;
}

function notOurs(home: string, holder: ProcessIdentity): EngineError {
  const owner = statSync(`/proc/${holder.pid}`).uid;
  return new EngineError(
    `the labs of ${home} were started without privileges: run this as the user with uid ${owner}, ` +
      'or set LAB_HOME to another directory',
  );
}

/** Resolves the symbolic links of a path; the part of the path that does not exist yet stays as it is. */
async function realPathOf(file: string): Promise<string> {
  const parent = path.dirname(file);
  const real = await realpath(file).catch(() => undefined);
  return real ?? (parent === file ? file : path.join(await realPathOf(parent), path.basename(file)));
}

/** Another file system is mounted at `/run` inside, so the state and the working directory cannot be below it. */
async function refuseBelow({ home, cwd, runDir }: Context): Promise<void> {
  const needed = { LAB_HOME: home, 'the working directory': cwd };
  for (const [what, directory] of Object.entries(needed)) {
    if (!isInside(await realPathOf(runDir), await realPathOf(directory))) continue;
    throw new EngineError(
      `without privileges, ${what} cannot be below ${runDir}: move it away from ${directory}`,
    );
  }
}

/** Runs the command inside; undefined if the holder has ended meanwhile, so that no namespace exists. */
async function joinHolder(need: Need, context: Context, invocation: Invocation, missing: string) {
  try {
    const held = await (need === 'make'
      ? requireHolder(context, invocation.env, missing)
      : shareHolder(context));
    if (held === undefined) return undefined;
    try {
      return await runInside(held, context, invocation);
    } finally {
      await held.lock.release();
    }
  } finally {
    // Also after an error: otherwise a holder that was started only for this command would run for ever.
    await endIdleHolder(context.home);
  }
}

/**
 * Runs the command inside (`done`), or returns `here` when the caller has to run it.
 * @throws EngineError when neither this process nor a user namespace may make network namespaces; Interrupted when a
 *   signal arrived before the command started.
 */
export async function enter(need: Need, context: Context, invocation: Invocation): Promise<Entered> {
  const { isEnough, missing } = privileges(context.runDir);
  const holder = await findHolder(context.home);
  if (isEnough) {
    if (holder !== undefined && !isHeldBy(holder)) throw notOurs(context.home, holder);
    return { kind: 'here', seesKernel: true };
  }
  if (need === 'see' && holder === undefined) return { kind: 'here', seesKernel: false };
  await refuseBelow(context);
  const exitCode = await joinHolder(need, context, invocation, missing);
  return exitCode === undefined ? { kind: 'here', seesKernel: false } : { kind: 'done', exitCode };
}
