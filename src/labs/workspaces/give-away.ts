import { lchown } from 'node:fs/promises';
import { OpenDirectory } from '../../lib/files/open-directory.ts';

/** Whose a file is to be. */
export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/** Gives somebody all that is in a directory, then itself; what a link leads to stays whose it is. */
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

/** Gives somebody a directory, with all that is in it. */
export async function giveTree(directory: string, owner: FileOwner): Promise<void> {
  await giveAndClose(await OpenDirectory.open(directory), owner);
}
