/** How far a phase is, for a person who waits: a large lab takes many seconds. */
import { readFileSync } from 'node:fs';

export interface ProgressOptions {
  /** How often it is said. A phase that ends before that says nothing. */
  readonly everyMs: number;
  /** `fraction` of the phase is done: from 0 to 1. */
  readonly say: (fraction: number) => void;
}

/** Says how far `work` is for as long as it runs. `fractionDone` is asked each time, and undefined when nobody knows. */
export async function withProgress<T>(
  work: Promise<T>,
  fractionDone: () => number | undefined,
  options: ProgressOptions | undefined,
): Promise<T> {
  if (options === undefined) return work;
  const timer = setInterval(() => {
    const fraction = fractionDone();
    if (fraction !== undefined) options.say(fraction);
  }, options.everyMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** What a program reads from a file at once: the buffer of stdio, a block of the file system. */
const bufferBytes = 4_096;

/**
 * How much of its input a program has done, at least. `inputFd` is our descriptor of the file that it reads: both share
 * one position (open(2)), which the kernel tells in /proc/self/fdinfo (proc(5)). What is in the buffer of the program
 * may not be done yet. Undefined when the kernel does not say.
 */
export function fractionRead(inputFd: number, sizeBytes: number): number | undefined {
  try {
    const position = /^pos:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${inputFd}`, 'utf8'))?.[1];
    if (position === undefined) return undefined;
    return Math.max(0, Number(position) - bufferBytes) / Math.max(1, sizeBytes);
  } catch {
    return undefined;
  }
}
