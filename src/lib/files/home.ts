import os from 'node:os';
import path from 'node:path';

/** `~` and `~/…` as the home directory, like a shell does; `~name` is left alone. */
export function expandHome(file: string): string {
  return file === '~' || file.startsWith('~/') ? path.join(os.homedir(), file.slice(1)) : file;
}
