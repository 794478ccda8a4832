/** The named network namespaces: files in `/run/netns` (ip-netns(8)). Always read from the kernel, never cached. */
import { readdirSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';

/** `NSFS_MAGIC` of linux/magic.h: the file system type of a mounted namespace. */
export const nsfsMagic = 0x6e_73_66_73;

export function namespaceFile(runDir: string, name: string): string {
  return path.join(runDir, 'netns', name);
}

/** The directory of a lab that ends with its namespaces: see src/engine/state/claim.ts. */
export function claimDirectory(runDir: string, instance: string): string {
  return path.join(runDir, 'lab-engine', instance);
}

/** All names. Some may be empty files without a namespace: an `ip netns add` that was killed leaves one. */
export function namespaceNames(runDir: string): Set<string> {
  try {
    return new Set(readdirSync(path.join(runDir, 'netns')));
  } catch {
    return new Set();
  }
}

/** Whether a namespace of that name exists. */
export function isNamespace(runDir: string, name: string): boolean {
  try {
    return statfsSync(namespaceFile(runDir, name)).type === nsfsMagic;
  } catch {
    return false;
  }
}

/** The inode of the namespace of that name, which identifies it in the kernel (namespaces(7)). */
export function inodeOf(runDir: string, name: string): number | undefined {
  return isNamespace(runDir, name) ? statSync(namespaceFile(runDir, name)).ino : undefined;
}
