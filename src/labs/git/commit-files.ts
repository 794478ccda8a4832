/** The files of a directory of a commit, as `git ls-tree -r -z` lists them. */
import { readPath, shownPath } from '../../lib/archives/entry-path.ts';
import { refuse } from '../../lib/archives/unpack-target.ts';

interface CommitFile {
  readonly path: string;
  /** The id of its content. */
  readonly object: string;
  readonly isProgram: boolean;
}

interface CommitFiles {
  readonly files: readonly CommitFile[];
  /** Sentences about what is left out. */
  readonly warnings: readonly string[];
}

/** gitformat-index(5) and git-fast-import(1) have the modes. */
const [symlinkMode, submoduleMode] = ['120000', '160000'];

/** Labs may read what `git` in their directory would obey. */
function isGitDirectory(path: string): boolean {
  const reading = readPath(path);
  return reading.kind === 'path' && reading.parts.some((part) => part.toLowerCase() === '.git');
}

function leftOut(paths: readonly string[], what: string): string[] {
  const [first] = paths;
  if (first === undefined) return [];
  const such = paths.length === 1 ? shownPath(first) : `${paths.length}, such as ${shownPath(first)}`;
  return [`source: ${what} are left out: ${such}`];
}

/** @throws AppError `archive-refused`. */
export function readListing(listing: Buffer): CommitFiles {
  const files: CommitFile[] = [];
  const [links, submodules]: [string[], string[]] = [[], []];
  for (const entry of listing.toString('utf8').split('\0')) {
    const [, mode = '', object = '', path = ''] = /^(\d+) [a-z]+ ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
    if (path === '') continue;
    if (isGitDirectory(path)) throw refuse(`it has a file in a directory .git: ${shownPath(path)}`);
    if (mode === symlinkMode) links.push(path);
    else if (mode === submoduleMode) submodules.push(path);
    else files.push({ path, object, isProgram: mode === '100755' });
  }
  const warnings = [...leftOut(links, 'symbolic links'), ...leftOut(submodules, 'submodules')];
  return { files, warnings };
}
