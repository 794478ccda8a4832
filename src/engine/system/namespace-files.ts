/**
 * The network namespaces that have a name: files in `/run/netns` (ip-netns(8)). Looked up in the kernel each time,
 * never remembered.
 */
import { readdirSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';

/** `NSFS_MAGIC` of linux/magic.h: the file system that a mounted namespace shows. */
const nsfsMagic = 0x6e_73_66_73;

export function namespaceFile(runDir: string, name: string): string {
  return path.join(runDir, 'netns', name);
}

/** All names; some may be empty files without a namespace: an `ip netns add` that was killed leaves one. */
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

/** The inode of the namespace of that name, by which the kernel tells it from others (namespaces(7)). */
export function inodeOf(runDir: string, name: string): number | undefined {
  return isNamespace(runDir, name) ? statSync(namespaceFile(runDir, name)).ino : undefined;
}
