/** Common parts of the output of commands. */
import type { EngineContext } from './engine-context.ts';
import type { Lab } from './lab.ts';

/** Whether a command prints its progress; errors are always printed. */
export interface Verbosity {
  readonly quiet: boolean;
}

/** Prints a line about progress, or nothing with `--quiet`. */
export type Say = (text: string) => void;

export function sayUnlessQuiet({ out }: EngineContext, { quiet }: Verbosity): Say {
  return quiet ? () => undefined : out;
}

/** `12 nodes`, `1 node`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** `3 nodes, 2 links`. */
export function sizeInWords(lab: Lab): string {
  return `${counted(lab.nodes.length, 'node')}, ${counted(lab.links.length, 'link')}`;
}
