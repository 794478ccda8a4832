/** The rules of the service for names of workspaces and files, checked while the user types. */
import { harmlessText } from '../../../../../src/lib/text/harmless-text.ts';

const nameFormat = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** The mistake in a workspace name; undefined if it is valid. */
export function workspaceNameProblem(name: string): string | undefined {
  if (name === '') return 'the name is missing';
  if (name === 'auto') return '“auto” is reserved for workspaces named after their job';
  if (name.length > 63) return 'at most 63 characters';
  if (/[A-Z]/.test(name)) return 'only lower-case letters';
  if (/^[._-]/.test(name)) return 'must begin with a letter or a digit';
  return nameFormat.test(name) ? undefined : 'only lower-case letters, digits and . _ -';
}

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
