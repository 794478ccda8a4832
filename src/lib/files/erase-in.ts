import { OpenDirectory } from './open-directory.ts';
import { removeTree } from './remove-tree.ts';

/** Erases a file or a tree of a directory, through no link. Never rejects: `onFailure` gets the reason why something of it stays. */
export async function eraseIn(
  directory: string,
  name: string,
  onFailure: (error: unknown) => void,
): Promise<void> {
  try {
    const parent = await OpenDirectory.open(directory);
    try {
      await removeTree(parent, name);
    } finally {
      await parent.close();
    }
  } catch (error) {
    onFailure(error);
  }
}
