/** Reports the progress of a phase: a large lab takes many seconds. */
import { readFileSync } from 'node:fs';

export interface ProgressOptions {
  /** The interval between reports. A phase that ends earlier reports nothing. */
  readonly everyMs: number;
  /** `fraction` is the finished part of the phase, from 0 to 1. */
  readonly say: (fraction: number) => void;
}

/** Reports progress while `work` runs. `fractionDone` returns undefined when the progress is unknown. */
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

/** The number of bytes that a program reads from a file at once: the buffer of stdio, a block of the file system. */
const bufferBytes = 4_096;

/**
 * A lower bound for the part of its input that a program has processed. `inputFd` is this process's descriptor of the
 * input file. Both processes share one file position (open(2)), which the kernel shows in /proc/self/fdinfo
 * (proc(5)). The program may not have processed the contents of its buffer yet. Undefined when the kernel does not
 * show the position.
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
