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

const namedMax = 5;

/** Where there are labs, for whoever is in the wrong directory. */
function elsewhere(entries: LabEntries): string {
  if (entries.size === 0) return 'start one with "lab up"';
  const named = [...entries].slice(0, namedMax).map(([instance, { dir }]) => `${instance} in ${dir}`);
  const list = `${named.join(', ')}${entries.size > named.length ? ', …' : ''}`;
  return `elsewhere there is lab ${list}: say which with --instance`;
}

/**
 * The lab that a command is about: the instance asked for, else the lab of this directory. Never another one, even when it is the
 * only one: what is meant for one lab would be true of another, and nobody would notice. netlab is as strict.
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
  return new EngineError(`Unknown lab instance ${instance}; "lab status --all" lists those there are`);
}
