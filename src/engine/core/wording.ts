/** How commands word what they print. */
import type { EngineContext } from './engine-context.ts';
import type { Lab } from './lab.ts';

/** Whether a command prints its progress; errors are printed always. */
export interface Verbosity {
  readonly quiet: boolean;
}

/** Prints what a command is doing, or nothing when that is not wanted. */
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
