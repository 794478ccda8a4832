/** The rules of the service for names of files and archives, checked while the user types. */
import { harmlessText } from '../../../../../src/lib/text/harmless-text.ts';

/** A workspace name from the name of an archive: `my-course` for `My Course.tar.gz`. */
export function nameFromArchive(fileName: string): string {
  return fileName
    .toLowerCase()
    .replace(/\.(?:tar\.gz|tgz|zip|gz)$/, '')
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, 63)
    .replace(/[._-]+$/, '');
}

/** The media type of an archive by its file name; undefined for other files. */
export function archiveType(fileName: string): 'application/gzip' | 'application/zip' | undefined {
  if (/\.(?:tar\.gz|tgz)$/i.test(fileName)) return 'application/gzip';
  return /\.zip$/i.test(fileName) ? 'application/zip' : undefined;
}

/** The mistake in the path of a file in a workspace; undefined if it is valid. */
export function filePathProblem(path: string): string | undefined {
  if (path === '') return 'the name is missing';
  if (path.startsWith('/')) return 'must not begin with a slash: the path is relative to the workspace';
  if (path.endsWith('/')) return 'add a file name: a directory is created with its first file';
  if (path.includes('\\')) return 'must not contain a backslash';
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    return 'must not contain //, . or ..';
  if (parts.length > 32) return 'at most 32 directories deep';
  return harmlessText(path) === path
    ? undefined
    : 'must not contain control characters, nor marks of the direction of text';
}
