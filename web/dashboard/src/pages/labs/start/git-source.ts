/** A directory of a Git repository, as it is typed. */
export interface GitText {
  readonly url: string;
  readonly ref: string;
  readonly path: string;
  /** The topology file in the directory. */
  readonly topology: string;
}

export const noGit: GitText = { url: '', ref: '', path: '', topology: '' };

/** The request fields with errors about it. */
export const gitNames = ['source.git', 'source.ref', 'source.path', 'source', 'topologyPath'];

/** The fields of the request; empty ones are left out. */
export function gitRequest({ url, ref, path, topology }: GitText) {
  return {
    source: {
      git: url.trim(),
      ...(ref.trim() !== '' && { ref: ref.trim() }),
      ...(path.trim() !== '' && { path: path.trim() }),
    },
    ...(topology.trim() !== '' && { topologyPath: topology.trim() }),
  };
}

/** The errors that can be found without the service. */
export function wrongGit({ url }: GitText): ReadonlyMap<string, string> {
  const text = url.trim();
  if (text === '') return new Map([['source.git', 'the address of a repository is needed']]);
  if (/^(?:ssh:|git@)/i.test(text))
    return new Map([['source.git', 'SSH is not supported: give the https address of the repository']]);
  return new Map();
}

/** The directory, or the repository, by which a workspace is named. */
export function gitName({ url, path }: GitText): string {
  const last = (text: string): string => text.split('/').findLast((part) => part.trim() !== '') ?? '';
  return last(path.trim()) || last(url.trim().replace(/^https?:\/\/[^/]*/i, '')).replace(/\.git$/, '');
}
