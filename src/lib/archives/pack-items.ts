import { systemCode } from '../app-error.ts';
import type { OpenDirectory } from '../files/open-directory.ts';
import { walkTree } from '../files/walk-tree.ts';
import type { PackItem } from './pack.ts';

const goneCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** The files and directories in a directory, for an archive. `onLeftOut` is called for everything else. */
export async function* packItems(
  directory: OpenDirectory,
  onLeftOut: (path: string) => void = () => undefined,
): AsyncGenerator<PackItem, void, void> {
  for await (const { kind, path, stats, parent, name } of walkTree(directory)) {
    if (kind === 'other') {
      onLeftOut(path);
      continue;
    }
    yield {
      path,
      isDirectory: kind === 'directory',
      isProgram: kind === 'file' && (stats.mode & 0o100) !== 0,
      modifiedAt: stats.mtime,
      open: async () =>
        parent.file(name).catch((error: unknown) => {
          if (goneCodes.has(systemCode(error) ?? '')) return undefined;
          throw error;
        }),
    };
  }
}
