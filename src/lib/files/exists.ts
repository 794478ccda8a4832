import { access } from 'node:fs/promises';
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
