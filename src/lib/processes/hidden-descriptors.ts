/**
 * Open descriptors that child processes must not get: those of terminals, through which a process could read and type for
 * another user. Node opens its own with close-on-exec, and cannot set that for the descriptor of a package (fcntl(2)).
 */
import { openSync } from 'node:fs';

type Slot = 'ignore' | 'pipe' | number;

const hidden = new Set<number>();
let nothing: number | undefined;

/** From now on, `withoutHidden` keeps the descriptor from children; the result ends that. */
export function hideDescriptor(fd: number): () => void {
  nothing ??= openSync('/dev/null', 'r');
  hidden.add(fd);
  return () => void hidden.delete(fd);
}

/** The `stdio` of a child in which /dev/null is in the place of each hidden descriptor. */
export function withoutHidden<Stdio extends [Slot, Slot, Slot]>(stdio: Stdio): Stdio {
  const length = Math.max(stdio.length, ...[...hidden].map((fd) => fd + 1));
  const places = Array.from({ length }, (_, fd) => {
    if (fd < stdio.length) return stdio[fd];
    return hidden.has(fd) ? nothing : 'ignore';
  });
  return places as unknown as Stdio;
}
