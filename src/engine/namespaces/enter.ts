/** Brings a command to where its namespaces are: right here for root, inside the user namespace for everybody else. */
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../../lib/path-inside.ts';
import type { ProcessIdentity } from '../../lib/processes.ts';
import type { EngineContext } from '../core/context.ts';
import { EngineError } from '../core/engine-error.ts';
import { inForeground } from '../system/foreground.ts';
import {
  endIdleHolder,
  findHolder,
  isHeldBy,
  joinArguments,
  requireHolder,
  shareHolder,
  type Held,
} from './holder.ts';
import { privileges } from '../system/privileges.ts';

/** This very program, as it was called. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Node, its options, and our script. */
  readonly program: readonly string[];
  readonly args: readonly string[];
}

type Place = Pick<EngineContext, 'home' | 'cwd' | 'runDir' | 'interrupted'>;

/** `make`: namespaces will be made. `see`: those that exist will be looked at, and there need not be any. */
export type Need = 'make' | 'see';

export type Entered =
  | { readonly kind: 'here'; readonly seesKernel: boolean }
  /** The command ran inside, as a process of its own, from beginning to end. */
  | { readonly kind: 'done'; readonly exitCode: number };

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs ourselves again, inside. The lock goes along: killed or not, the holder stays while the command runs. A signal
 * before the start means that there is none; one that finds no engine there yet, to undo things and say so, ends
 * whatever is on its way to become it.
 */
async function runInside(held: Held, place: Place, host: Host): Promise<number> {
  const command = [...host.program, ...host.args];
  place.interrupted.throwIfAborted();
  const child = spawn('nsenter', joinArguments(held.identity, place.cwd, command), {
    env: { ...host.env, LAB_HOME: place.home },
    stdio: ['inherit', 'inherit', 'inherit', held.lock.fd],
  });
  const { exitCode, wasKilled } = await inForeground(child, 'nsenter', forwarded);
  if (wasKilled) place.interrupted.throwIfAborted();
  return exitCode;
}

function notOurs(home: string, holder: ProcessIdentity): EngineError {
  const owner = statSync(`/proc/${holder.pid}`).uid;
  return new EngineError(
    `the labs of ${home} were started without privileges: run this as the user with the number ${owner}, ` +
      'or set LAB_HOME to another directory',
  );
}

/** A path as it is behind all symbolic links; what does not exist yet stays as it is called. */
async function realPathOf(file: string): Promise<string> {
  const parent = path.dirname(file);
  const real = await realpath(file).catch(() => undefined);
  return real ?? (parent === file ? file : path.join(await realPathOf(parent), path.basename(file)));
}

/** Inside, `/run` is another: neither the state nor the directory may be in it. */
async function refuseBelow({ home, cwd, runDir }: Place): Promise<void> {
  for (const [what, directory] of [
    ['LAB_HOME', home],
    ['the working directory', cwd],
  ] as const) {
    if (!isInside(await realPathOf(runDir), await realPathOf(directory))) continue;
    throw new EngineError(
      `without privileges, ${what} cannot be below ${runDir}: ${directory} is; use another`,
    );
  }
}

/** Runs the command inside; undefined when there is nothing to see there any more. */
async function joinHolder(need: Need, place: Place, host: Host, missing: string) {
  try {
    const held = await (need === 'make' ? requireHolder(place, host.env, missing) : shareHolder(place));
    if (held === undefined) return undefined;
    try {
      return await runInside(held, place, host);
    } finally {
      await held.lock.release();
    }
  } finally {
    // Whatever happened: one that was started for us alone would stay for ever.
    await endIdleHolder(place.home);
  }
}

/**
 * @throws EngineError when network namespaces can be made neither here nor in a user namespace; Interrupted when a
 * signal came before the command began.
 */
export async function enter(need: Need, place: Place, host: Host): Promise<Entered> {
  const { isEnough, missing } = privileges(place.runDir);
  const holder = await findHolder(place.home);
  if (isEnough) {
    if (holder !== undefined && !isHeldBy(holder)) throw notOurs(place.home, holder);
    return { kind: 'here', seesKernel: true };
  }
  if (need === 'see' && holder === undefined) return { kind: 'here', seesKernel: false };
  await refuseBelow(place);
  const exitCode = await joinHolder(need, place, host, missing);
  return exitCode === undefined ? { kind: 'here', seesKernel: false } : { kind: 'done', exitCode };
}
