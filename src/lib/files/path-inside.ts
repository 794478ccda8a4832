import path from 'node:path';

/** Whether `candidate` is `parent` or lies below it. Both absolute; resolve symbolic links first when it matters. */
export function isInside(parent: string, candidate: string): boolean {
  const relative = path.relative(parent, candidate);
  return relative === '' || (!path.isAbsolute(relative) && relative.split(path.sep)[0] !== '..');
}
