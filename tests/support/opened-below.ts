import { readdirSync, readlinkSync } from 'node:fs';

/** What this process has open in a directory, or below it: paths as they are now (proc(5), /proc/<pid>/fd). */
export function openedBelow(directory: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return `${target}/`.startsWith(`${directory}/`) ? [target] : [];
    } catch {
      // It was that of this look.
      return [];
    }
  });
}
