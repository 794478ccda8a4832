/** Which of the registered labs a command is about. */
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { readRegistry, type LabEntries, type LabEntry } from './lab-registry.ts';

export interface RegisteredLab {
  readonly instance: string;
  readonly entry: LabEntry;
}

/** The lab that lives in this directory. */
export function labInDirectory(entries: LabEntries, directory: string): RegisteredLab | undefined {
  const found = [...entries].find(([, entry]) => entry.dir === directory);
  return found && { instance: found[0], entry: found[1] };
}

/**
 * The lab that a command is about: the instance asked for, else the lab of this directory, else the only one.
 * @throws EngineError when there is no such lab.
 */
export async function chooseLab(context: EngineContext, instance?: string): Promise<RegisteredLab> {
  const entries = await readRegistry(context.home);
  if (instance !== undefined) {
    const entry = entries.get(instance);
    if (entry === undefined) throw unknownInstance(instance);
    return { instance, entry };
  }
  const here = labInDirectory(entries, context.cwd);
  if (here !== undefined) return here;
  const [only, ...others] = entries;
  if (only === undefined) throw new EngineError('no lab is running; start one with "lab up"');
  if (others.length > 0) {
    const names = [...entries.keys()].join(', ');
    throw new EngineError(
      `several labs are running (${names}), none of them in ${context.cwd}; say which with --instance`,
    );
  }
  return { instance: only[0], entry: only[1] };
}

export function unknownInstance(instance: string): EngineError {
  return new EngineError(`Unknown lab instance ${instance}; "lab status --all" lists those there are`);
}
