/**
 * Brings a command to where the namespaces of its labs are. For root that is here. For anybody else it is inside the
 * user namespace that the holder keeps: there, this very program is started once more, and does all of the work.
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
import { waitInForeground } from '../system/wait-in-foreground.ts';
import {
  endIdleHolder,
  findHolder,
  isHeldBy,
  joinArguments,
  requireHolder,
  shareHolder,
  type Held,
} from './holder.ts';

/** How this very program was called: enough to start it once more. */
export interface Invocation {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Node, its options, and our script. */
  readonly program: readonly string[];
  readonly args: readonly string[];
}

type Context = Pick<EngineContext, 'home' | 'cwd' | 'runDir' | 'interrupted'>;

/** `make`: namespaces will be made. `see`: those that exist will be looked at, and there need not be any. */
export type Need = 'make' | 'see';

export type Entered =
  | { readonly kind: 'here'; readonly seesKernel: boolean }
  /** The command ran inside, as a process of its own, from beginning to end. */
  | { readonly kind: 'done'; readonly exitCode: number };

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs ourselves once more, inside. The command inherits the lock of the holder: the holder stays while the command
 * runs, even when we are killed. A signal that came before the start prevents it. Later signals are passed on: the
 * engine inside undoes what it made and says so; before it has started, the signal kills the program that was to become
 * it, and then the interruption is reported here.
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
    `the labs of ${home} were started without privileges: run this as the user with the number ${owner}, ` +
      'or set LAB_HOME to another directory',
  );
}

/** A path with its symbolic links resolved; the part of it that does not exist yet stays as it is. */
async function realPathOf(file: string): Promise<string> {
  const parent = path.dirname(file);
  const real = await realpath(file).catch(() => undefined);
  return real ?? (parent === file ? file : path.join(await realPathOf(parent), path.basename(file)));
}

/** Inside, another file system is mounted at `/run`: the state and the working directory would not be found there. */
async function refuseBelow({ home, cwd, runDir }: Context): Promise<void> {
  const needed = { LAB_HOME: home, 'the working directory': cwd };
  for (const [what, directory] of Object.entries(needed)) {
    if (!isInside(await realPathOf(runDir), await realPathOf(directory))) continue;
    throw new EngineError(
      `without privileges, ${what} cannot be below ${runDir}: ${directory} is; use another`,
    );
  }
}

/** Runs the command inside; undefined when the holder has ended meanwhile, so that there is nothing to see. */
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
    // Also after an error: otherwise a holder that was started for this command alone would stay for ever.
    await endIdleHolder(context.home);
  }
}

/**
 * Runs the command inside (`done`), or says that it has to be run by the caller (`here`).
 * @throws EngineError when network namespaces can be made neither here nor in a user namespace; Interrupted when a
 * signal came before the command began.
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
