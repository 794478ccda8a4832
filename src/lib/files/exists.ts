import { access, lstat } from 'node:fs/promises';
import { systemCode } from '../app-error.ts';

/** Whether there is a file or directory of that name. @throws Error when the system cannot tell (at the moment). */
export async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') return false;
      throw error;
    },
  );
}

/** Whether nothing has that name, not even a link that leads nowhere. False where the system cannot tell. */
export async function isNothingAt(file: string): Promise<boolean> {
  return lstat(file).then(
    () => false,
    (error: unknown) => systemCode(error) === 'ENOENT',
  );
}
