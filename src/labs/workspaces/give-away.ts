import { lchown } from 'node:fs/promises';
import { OpenDirectory } from '../../lib/files/open-directory.ts';

/** The new owner of a file. */
export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/** Changes the owner of everything in a directory, then of the directory; the target of a link keeps its owner. */
async function give(directory: OpenDirectory, owner: FileOwner): Promise<void> {
  for (const entry of await directory.entries()) {
    if (!entry.isDirectory()) await lchown(directory.at(entry.name), owner.uid, owner.gid);
    else await giveAndClose(await directory.directory(entry.name), owner);
  }
  await directory.giveTo(owner);
}

async function giveAndClose(directory: OpenDirectory, owner: FileOwner): Promise<void> {
  try {
    await give(directory, owner);
  } finally {
    await directory.close();
  }
}

/** Changes the owner of a directory and of everything in it. */
export async function giveTree(directory: string, owner: FileOwner): Promise<void> {
  await giveAndClose(await OpenDirectory.open(directory), owner);
}
