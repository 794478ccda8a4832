/** API paths of workspaces and their files. */

export const workspacePath = (name: string): string => `/workspaces/${encodeURIComponent(name)}`;

export const filePath = (name: string, path: string): string =>
  `${workspacePath(name)}/files/${path.split('/').map(encodeURIComponent).join('/')}`;

/** The page of a workspace, with an open file. */
export function pageOf(name: string, file?: string): string {
  const query = file === undefined ? '' : `?${new URLSearchParams({ file }).toString()}`;
  return workspacePath(name) + query;
}

/** Whether a file name may be that of a topology. */
export const isYaml = (path: string): boolean => /\.ya?ml$/i.test(path);
