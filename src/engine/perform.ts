/** The common part of all commands of the engine: the options of netlab, the run of a task, the report of a failure. */
import { CommanderError, InvalidArgumentError, Option } from 'commander';
import { messageOf } from '../lib/app-error.ts';
import { harmlessTextLines } from '../lib/text/harmless-text.ts';
import type { EngineContext } from './core/engine-context.ts';
import { EngineError, Interrupted } from './core/engine-error.ts';
import { isInstance } from './core/namespace-names.ts';
import { enter, type Invocation, type Need } from './namespaces/enter.ts';

/** The input of `runEngine`: the environment and the command line. */
export interface EngineInvocation extends Invocation {
  readonly context: Omit<EngineContext, 'seesKernel'>;
  readonly version: string;
}

type Task = (context: EngineContext) => Promise<number | void>;

/** Receives the exit code. */
export type Finish = (exitCode: number) => void;

/** Options of netlab that control the configuration of devices. */
export interface NetlabFlags {
  config?: boolean;
  reloadConfig?: string;
  tools?: boolean;
  fastConfig?: boolean;
  output?: string[];
}

function instanceOf(value: string): string {
  if (isInstance(value)) return value;
  throw new InvalidArgumentError('an instance has 1 to 32 letters, digits and underscores.');
}

export const instanceOption = (): Option =>
  new Option('-i, --instance <id>', 'the lab instance').argParser(instanceOf);

/** `exactOptionalPropertyTypes`: an absent option is an absent property. */
export function defined<T extends object>(options: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]: Exclude<T[Key], undefined> };
}

/**
 * Names the given options that have no effect: they control how netlab configures devices, and the engine's nodes
 * need no configuration.
 */
export function noteIgnored(invocation: EngineInvocation, flags: NetlabFlags): void {
  const ignored = [
    ...(flags.config === false ? ['--no-config'] : []),
    ...(flags.reloadConfig === undefined ? [] : ['--reload-config']),
    ...(flags.tools === false ? ['--no-tools'] : []),
    ...(flags.fastConfig === true ? ['--fast-config'] : []),
    ...((flags.output ?? []).length > 0 ? ['--output'] : []),
  ];
  if (ignored.length > 0)
    invocation.context.err(`Note: ${ignored.join(', ')} has no effect in the bundled engine\n`);
}

/** Prints the reason of a failure; returns the exit code. */
export function printFailure(invocation: EngineInvocation, command: string, error: unknown): number {
  const { err } = invocation.context;
  if (error instanceof CommanderError) throw error;
  const details = error instanceof EngineError ? error.details : [];
  // Names in it may come from a topology of another user.
  for (const line of [...details, `Fatal error in lab ${command}: ${messageOf(error)}`])
    err(`${harmlessTextLines(line)}\n`);
  return error instanceof Interrupted ? error.exitCode : 1;
}

/** Runs the task where the namespaces of the user's labs are visible; returns the exit code. */
export async function perform(
  invocation: EngineInvocation,
  command: string,
  need: Need | 'nothing',
  task: Task,
): Promise<number> {
  try {
    const entered = need === 'nothing' ? undefined : await enter(need, invocation.context, invocation);
    if (entered?.kind === 'done') return entered.exitCode;
    invocation.context.interrupted.throwIfAborted();
    return (await task({ ...invocation.context, seesKernel: entered?.seesKernel ?? false })) ?? 0;
  } catch (error) {
    return printFailure(invocation, command, error);
  }
}
