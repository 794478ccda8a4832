import { lchown, readdir } from 'node:fs/promises';
import path from 'node:path';

/** Whose a file is to be. */
export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/** Gives somebody a directory with all that is in it, which nobody else can reach meanwhile: the names stay what they are. */
export async function giveTree(directory: string, { uid, gid }: FileOwner): Promise<void> {
  const entries = await readdir(directory, { recursive: true });
  for (const name of entries) await lchown(path.join(directory, name), uid, gid);
  await lchown(directory, uid, gid);
}
