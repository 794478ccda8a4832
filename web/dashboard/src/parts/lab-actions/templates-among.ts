/** The path from the directory of the lab; undefined for a file outside. */
function below(directory: string, path: string): string | undefined {
  if (directory === '') return path;
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : undefined;
}

/** Files that end with `.j2`, and the directories that have one, by their paths from the directory of the lab. */
export function templatesAmong(paths: readonly string[], directory: string): readonly string[] {
  const files = paths
    .filter((path) => path.endsWith('.j2'))
    .flatMap((path) => below(directory, path) ?? [])
    .toSorted();
  const directories = files.flatMap((path) => path.split('/').slice(0, -1).join('/') || []);
  return [...new Set([...files, ...directories])];
}
