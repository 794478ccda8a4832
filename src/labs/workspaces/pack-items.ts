import { systemCode } from '../../lib/app-error.ts';
import type { PackItem } from '../../lib/archives/pack.ts';
import type { OpenDirectory } from '../../lib/open-directory.ts';
import { walkTree } from '../../lib/walk-tree.ts';

const goneCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** What is in a directory, for an archive: files and directories, and nothing else. */
export async function* packItems(directory: OpenDirectory): AsyncGenerator<PackItem, void, void> {
  for await (const { kind, path, stats, parent, name } of walkTree(directory)) {
    if (kind === 'other') continue;
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
