/** Chooses the registered lab that a command works on. */
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import type { LabEntries, LabEntry } from '../core/lab-status.ts';
import { readRegistry } from './lab-registry.ts';

export interface RegisteredLab {
  readonly instance: string;
  readonly entry: LabEntry;
}

/** The lab of this directory. */
export function labInDirectory(entries: LabEntries, directory: string): RegisteredLab | undefined {
  const found = [...entries].find(([, entry]) => entry.dir === directory);
  return found && { instance: found[0], entry: found[1] };
}

const namedMax = 5;

/** Lists the labs of other directories, for a user in the wrong directory. */
function elsewhere(entries: LabEntries): string {
  if (entries.size === 0) return 'start one with "lab up"';
  const named = [...entries].slice(0, namedMax).map(([instance, { dir }]) => `${instance} in ${dir}`);
  const list = `${named.join(', ')}${entries.size > named.length ? ', …' : ''}`;
  return `choose one with --instance: ${list}`;
}

/**
 * The lab that a command works on: the requested instance, else the lab of this directory. It is never another lab,
 * even if that is the only one: a command meant for one lab would run on another without notice. netlab is as strict.
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
  if (here === undefined) throw new EngineError(`no lab is running in ${context.cwd}; ${elsewhere(entries)}`);
  return here;
}

export function unknownInstance(instance: string): EngineError {
  return new EngineError(`Unknown lab instance ${instance}; "lab status --all" lists all labs`);
}
