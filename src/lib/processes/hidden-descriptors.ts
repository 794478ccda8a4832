/**
 * Open descriptors that child processes must not get: those of terminals, through which a process could read and type for
 * another user. Node opens its own with close-on-exec, and cannot set that for the descriptor of a package (fcntl(2)).
 */
import { closeSync, openSync } from 'node:fs';

type Slot = 'ignore' | 'ipc' | 'pipe' | number;

/** An entry for each: the number of a descriptor may be used again before its terminal has ended. */
const hidden = new Set<{ readonly fd: number }>();
let nothing: number | undefined;

/** From now on, `withoutHidden` keeps the descriptor from children; the result ends that. */
export function hideDescriptor(fd: number): () => void {
  nothing ??= openSync('/dev/null', 'r');
  const entry = { fd };
  hidden.add(entry);
  return () => void hidden.delete(entry);
}

/**
 * The `stdio` of a child in which /dev/null is in the place of each hidden descriptor. The child keeps `held`, through which
 * its `cwd` leads, under the same number.
 */
export function withoutHidden<Stdio extends [Slot, Slot, Slot]>(stdio: Stdio, held?: number): Stdio {
  const numbers = new Set([...hidden].map(({ fd }) => fd));
  const length = Math.max(stdio.length - 1, ...numbers) + 1;
  const places = Array.from({ length }, (_, fd) => {
    if (fd < stdio.length) return stdio[fd];
    if (fd === held) return fd;
    return numbers.has(fd) ? nothing : 'ignore';
  });
  return places as unknown as Stdio;
}

/** While terminals overlap without a break, each new one takes higher numbers. */
const highestFilled = 4_096;

/**
 * Runs `start` while each number up to the highest hidden descriptor is in use. node-pty 1.2.0-beta.15 closes the descriptors
 * of this process in its child one by one, and stops at the first number that is not in use. Past 4,096 numbers, and without a
 * free descriptor, hidden descriptors may get into the child.
 */
export function withoutGaps<T>(start: () => T): T {
  const highest = Math.min(highestFilled, Math.max(0, ...[...hidden].map(({ fd }) => fd)));
  const filling: number[] = [];
  try {
    while ((filling.at(-1) ?? 0) < highest) filling.push(openSync('/dev/null', 'r'));
  } catch {
    // No descriptor is free: `start` will say so.
  }
  try {
    return start();
  } finally {
    for (const fd of filling) closeSync(fd);
  }
}
