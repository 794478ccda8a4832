/** What workspaces and files may be called, as the service has it: said while one types, and not only when it refuses. */

const nameFormat = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** In words, what is wrong with the name of a workspace; undefined when nothing is. */
export function workspaceNameProblem(name: string): string | undefined {
  if (name === '') return 'a workspace needs a name';
  if (name === 'auto') return '“auto” stands for a workspace that is called after its job';
  if (name.length > 63) return 'at most 63 characters';
  if (/[A-Z]/.test(name)) return 'small letters only';
  if (/^[._-]/.test(name)) return 'it begins with a letter or a digit';
  return nameFormat.test(name) ? undefined : 'only small letters, digits and . _ -';
}

/** A name for a workspace that is made of an archive: `My Course.tar.gz` gives `my-course`. */
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

/** The type of an archive, by the end of its name; undefined for what is none. */
export function archiveType(fileName: string): 'application/gzip' | 'application/zip' | undefined {
  if (/\.(?:tar\.gz|tgz)$/i.test(fileName)) return 'application/gzip';
  return /\.zip$/i.test(fileName) ? 'application/zip' : undefined;
}

/** In words, what is wrong with the path of a file below a workspace; undefined when nothing is. */
export function filePathProblem(path: string): string | undefined {
  if (path === '') return 'a file needs a name';
  if (path.startsWith('/')) return 'it is below the workspace: without a slash at its beginning';
  if (path.endsWith('/')) return 'a directory is made with the first file in it: add the name of a file';
  if (path.includes('\\')) return 'without a backslash';
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'without //, . and ..';
  if (parts.length > 32) return 'at most 32 directories deep';
  // Control characters are what is looked for.
  return /\p{Cc}/u.test(path) ? 'without control characters' : undefined;
}
