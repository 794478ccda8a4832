/** Brings a command to where its namespaces are: right here for root, inside the user namespace for everybody else. */
import { spawn } from 'node:child_process';
import { inForeground } from './foreground.ts';
import { endIdleHolder, findHolder, joinArguments, requireHolder, shareHolder, type Held } from './holder.ts';
import { privileges } from './privileges.ts';

/** This very program, as it was called. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Node, its options, and our script. */
  readonly program: readonly string[];
  readonly args: readonly string[];
}

interface Place {
  readonly home: string;
  readonly cwd: string;
  readonly runDir: string;
}

/** `make`: namespaces will be made. `see`: those that exist will be looked at, and there need not be any. */
export type Need = 'make' | 'see';

export type Entered =
  | { readonly kind: 'here'; readonly seesKernel: boolean }
  /** The command ran inside, as a process of its own, from beginning to end. */
  | { readonly kind: 'done'; readonly exitCode: number };

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs ourselves again, inside. The lock goes along: killed or not, the holder stays while the command runs. */
async function runInside(held: Held, place: Place, host: Host): Promise<number> {
  const command = [...host.program, ...host.args];
  const child = spawn('nsenter', joinArguments(held.identity, place.cwd, command), {
    env: { ...host.env, LAB_HOME: place.home },
    stdio: ['inherit', 'inherit', 'inherit', held.lock.fd],
  });
  return inForeground(child, 'nsenter', forwarded);
}

/** @throws EngineError when network namespaces can be made neither here nor in a user namespace. */
export async function enter(need: Need, place: Place, host: Host): Promise<Entered> {
  const { isEnough, missing } = privileges(place.runDir);
  if (isEnough) return { kind: 'here', seesKernel: true };
  const { home } = place;
  if (need === 'see' && (await findHolder(home)) === undefined) return { kind: 'here', seesKernel: false };
  const held = await (need === 'make' ? requireHolder(home, host.env, missing) : shareHolder(home));
  if (held === undefined) return { kind: 'here', seesKernel: false };
  try {
    return { kind: 'done', exitCode: await runInside(held, place, host) };
  } finally {
    await held.lock.release();
    await endIdleHolder(home);
  }
}
