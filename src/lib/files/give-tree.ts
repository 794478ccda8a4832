import { lchown } from 'node:fs/promises';
import { OpenDirectory } from './open-directory.ts';
import { walkTree } from './walk-tree.ts';

/** Changes the owner of a directory and of everything in it; the target of a link keeps its owner. */
export async function giveTree(
  directory: string,
  owner: { readonly uid: number; readonly gid: number },
): Promise<void> {
  const top = await OpenDirectory.open(directory);
  try {
    for await (const { parent, name } of walkTree(top)) await lchown(parent.at(name), owner.uid, owner.gid);
    await top.giveTo(owner);
  } finally {
    await top.close();
  }
}
